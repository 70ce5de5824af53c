import Dispatch
import Synchronization

/// The bytes of a file or of standard input, in pieces that a thread reads when they are wanted.
struct FilePieces: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    /// The path; `-` is standard input.
    let path: String

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let path: String
        private var reader: Reader?

        fileprivate init(path: String) {
            self.path = path
        }

        mutating func next() async throws -> [UInt8]? {
            let reader = try reader ?? Reader(InputFile(path: path))
            self.reader = reader
            return try await reader.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(path: path) }
}

/// Reads a file on a thread of its own: a read that blocks must not block a thread of Swift's.
private final class Reader: Sendable {
    private let file: Mutex<InputFile>
    private let queue = DispatchQueue(label: "bluebonnet.pieces")

    init(_ file: consuming InputFile) {
        self.file = Mutex(file)
    }

    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                do {
                    continuation.resume(returning: try self.file.withLock { try $0.next() })
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
