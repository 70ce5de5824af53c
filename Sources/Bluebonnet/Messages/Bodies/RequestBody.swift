public import FoundationEssentials
import NIOCore

/// The body of a request: bytes in memory, a file, or a sequence that is sent as it is produced.
///
/// Counterpart of `HTTPBody` and `HTTPBodyStream` of `NSURLRequest`, and of Alamofire's
/// `UploadRequest.Uploadable`.
public struct RequestBody: Sendable {
    /// A piece of a body that is produced while it is sent.
    enum Piece: Sendable {
        case bytes(ByteBuffer)
        case file(FilePart)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.readableBytes
            case .file(let part): part.count
            }
        }
    }

    /// Takes the pieces of a body that is produced while it is sent; suspends while the connection
    /// cannot take more.
    struct Sink: Sendable {
        let takeBytes: @Sendable (ByteBuffer) async throws -> Void
        /// Takes parts of files as such; nil where files come as bytes.
        var takeFile: (@Sendable (FilePart) async throws -> Void)?

        func callAsFunction(_ bytes: ByteBuffer) async throws { try await takeBytes(bytes) }

        /// Takes everything as bytes.
        static func bytes(_ take: @escaping @Sendable (ByteBuffer) async throws -> Void) -> Sink {
            Sink(takeBytes: take)
        }
    }

    enum Storage: Sendable {
        case bytes(ByteBuffer)
        case file(path: String, length: Int)
        case produced(length: Int?, isReplayable: Bool, produce: @Sendable (Sink) async throws -> Void)
    }

    let storage: Storage

    /// The value it was made of, such as a form, for descriptions of the request.
    let source: (any AnyObject & Sendable)?

    /// The trailer section behind it.
    var trailers: RequestTrailers?

    /// The use of a source that can be read once, where it is known.
    var use: SingleUse?

    /// The paths of the files that it is read from while it is sent, in their order.
    let files: [String]

    init(_ storage: Storage, madeOf source: (any AnyObject & Sendable)? = nil, files: [String] = []) {
        self.storage = storage
        self.source = source
        self.files = if case .file(let path, _) = storage { [path] } else { files }
    }

    /// The path of the file it is read from.
    var path: String? {
        if case .file(let path, _) = storage { path } else { nil }
    }

    var isInMemory: Bool {
        if case .bytes = storage { true } else { false }
    }

    /// The length in bytes, or nil when it is not known before the end (the body is then sent
    /// chunked, RFC 9112 §7.1). A body with trailers is always sent so.
    public var length: Int? {
        switch storage {
        case .bytes(let buffer): buffer.readableBytes
        case .file(_, let length): length
        case .produced(let length, _, _): length
        }
    }

    /// Whether the body can be sent a second time, as a 307 or 308 redirect or a retry needs.
    public var isReplayable: Bool {
        switch storage {
        case .bytes, .file: true
        case .produced(_, let isReplayable, _): isReplayable
        }
    }

    /// The bytes, when the body is held in memory; nil for files, sequences, and more than 2 GiB.
    public var data: Data? {
        guard case .bytes(let buffer) = storage else { return nil }
        return Data(buffer.readableBytesView)
    }
}

extension RequestBody {
    /// Produces the body piece by piece: bytes in memory without copying them, a file in parts or
    /// blocks.
    func produce(_ sink: Sink) async throws {
        switch storage {
        case .bytes(var rest):
            while let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceSize)), piece.readableBytes > 0 {
                try await sink(piece)
            }
        case .file(let path, let length): try await Self.produceFile(at: path, length: length, 0..<length, sink)
        case .produced(_, _, let produce): try await produce(sink)
        }
    }

    /// A body in memory is sent in pieces of this size.
    private static let pieceSize = 1 << 18

    /// The most bytes of one buffer, which counts in 32 bits.
    static let longestBuffer = 1 << 31

    /// A body held in memory.
    ///
    /// - Parameter data: The bytes, any number of them.
    /// - Returns: The body.
    public static func data(_ data: Data) -> RequestBody {
        .data(data, longestBuffer: longestBuffer)
    }

    static func data(_ data: Data, longestBuffer: Int) -> RequestBody {
        guard data.count > longestBuffer else { return RequestBody(.bytes(ByteBuffer(bytes: data))) }
        return RequestBody(
            .produced(length: data.count, isReplayable: true) { sink in try await send(data, to: sink) }
        )
    }

    /// A text as UTF-8.
    ///
    /// - Parameter text: The text.
    /// - Returns: The body.
    public static func string(_ text: String) -> RequestBody {
        guard text.utf8.count > longestBuffer else { return RequestBody(.bytes(ByteBuffer(string: text))) }
        return .data(Data(text.utf8))
    }

    /// Sends bytes piece by piece, so that only one piece at a time is copied.
    private static func send(_ bytes: some Collection<UInt8>, to sink: Sink) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try await sink(ByteBuffer(bytes: rest.prefix(pieceSize)))
            rest = rest.dropFirst(pieceSize)
        }
    }

    /// A body produced by an asynchronous sequence while it is sent. It can be sent once; then the
    /// error is ``NetworkingError/Code/requestBodyNotReplayable``.
    ///
    /// - Parameters:
    ///   - sequence: The pieces. The sequence is read only as fast as the connection takes them.
    ///     When the request ends, with a response or an error, the Swift task that reads it is
    ///     cancelled, and the request waits at most a second for the sequence to end.
    ///   - length: The length in bytes, if known; the body is sent chunked without. A sequence that
    ///     turns out shorter or longer fails the request with
    ///     ``NetworkingError/Code/requestBodyLengthMismatch``, and a length below zero with
    ///     ``NetworkingError/Code/invalidRequest`` before anything is sent.
    /// - Returns: The body.
    public static func stream<Pieces: AsyncSequence & Sendable>(_ sequence: Pieces, length: Int? = nil) -> RequestBody
    where Pieces.Element: Collection<UInt8> {
        let use = SingleUse()
        var body = RequestBody(
            .produced(length: length, isReplayable: false) { sink in
                guard use.begin() else {
                    throw NetworkingError(
                        .requestBodyNotReplayable,
                        "The request body is a sequence that has been sent already."
                    )
                }
                for try await piece in sequence { try await send(piece, to: sink) }
            }
        )
        body.use = use
        return body
    }

    /// A body that can be produced as often as needed: the closure makes a new sequence for every
    /// sending.
    ///
    /// - Parameters:
    ///   - length: The length in bytes, if known; the body is sent chunked without.
    ///   - makeSequence: Makes the sequence of pieces.
    /// - Returns: The body.
    public static func stream<Pieces: AsyncSequence & SendableMetatype>(
        length: Int? = nil,
        makeSequence: @escaping @Sendable () -> Pieces
    ) -> RequestBody
    where Pieces.AsyncIterator: SendableMetatype, Pieces.Element: SendableMetatype, Pieces.Element: Collection<UInt8> {
        RequestBody(
            .produced(length: length, isReplayable: true) { sink in
                for try await piece in makeSequence() { try await send(piece, to: sink) }
            }
        )
    }
}
