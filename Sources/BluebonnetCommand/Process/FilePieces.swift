import Dispatch
import Synchronization

/// The bytes of a file or of standard input, in pieces that a thread reads when they are wanted.
struct FilePieces: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    /// The path; `-` is standard input.
    let path: String

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        mutating func next() async throws -> [UInt8]? { try await reader.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: Reader(path: path)) }
}

/// Opens and reads a file on a thread of its own: a pipe blocks both until somebody writes, and
/// must not block a thread of Swift's.
private final class Reader: Sendable {
    private let path: String
    private let file = Mutex<InputFile?>(nil)
    private let queue = DispatchQueue(label: "bluebonnet.pieces")

    init(path: String) {
        self.path = path
    }

    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.read() }) }
        }
    }

    private func read() throws -> [UInt8]? {
        try file.withLock { file in
            let open = if let file = file.take() { file } else { try InputFile(path: path) }
            let piece = try open.next()
            file = consume open
            return piece
        }
    }
}
