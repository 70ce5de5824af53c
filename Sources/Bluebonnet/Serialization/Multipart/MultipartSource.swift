import NIOCore

/// Content of a part that is read while it is sent.
struct MultipartSource: Sendable {
    /// The length that it must have; nil when any length is right.
    let length: Int?

    let isReplayable: Bool

    /// Whether it is a file and not a stream: a read of fewer bytes than wanted is then at the end,
    /// and pieces may wait for others.
    let isFile: Bool

    /// The path of the file, for descriptions.
    var path: String?

    /// Whether it is a file that is not gathered with the bytes before it, and may be sent by
    /// `sendfile`.
    var isLargeFile: Bool { isFile && length ?? 0 >= MultipartEncoder.blockSize }

    /// Begins to read.
    let open: @Sendable () throws -> any MultipartReader
}

/// Reads the content of a part from its beginning to its end, once.
protocol MultipartReader: AnyObject {
    /// The next piece, of at most `count` bytes; that of a stream may be shorter. Nil at the end.
    func next(upTo count: Int) async throws -> ByteBuffer?
}

/// Reads a file in blocks, on threads that may block. The file is opened with the first block and
/// closed with the reader.
final class MultipartFileReader: MultipartReader {
    private let path: String
    private var file: SystemFile?

    init(path: String) {
        self.path = path
    }

    func next(upTo count: Int) async throws -> ByteBuffer? {
        let (path, opened) = (path, file)
        let (file, block) = try await BlockingThreads.files.run {
            let file = try opened ?? SystemFile(reading: path)
            return (file, try file.read(upTo: count))
        }
        self.file = file
        return block
    }
}

/// Reads a sequence, piece by piece.
final class MultipartSequenceReader<Iterator: AsyncIteratorProtocol>: MultipartReader
where Iterator.Element: Collection<UInt8> {
    private var iterator: Iterator
    /// The rest of a piece that was longer than `count`.
    private var rest: Iterator.Element.SubSequence?

    init(_ iterator: Iterator) {
        self.iterator = iterator
    }

    func next(upTo count: Int) async throws -> ByteBuffer? {
        var piece: Iterator.Element.SubSequence
        if let rest {
            piece = rest
        } else if let next = try await iterator.next(isolation: #isolation) {
            piece = next[...]
        } else {
            return nil
        }
        let bytes = ByteBuffer(bytes: piece.prefix(count))
        piece = piece.dropFirst(count)
        rest = piece.isEmpty ? nil : piece
        return bytes
    }
}
