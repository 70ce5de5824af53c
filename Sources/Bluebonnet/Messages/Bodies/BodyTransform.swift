import NIOCore

/// What is done to the bytes of a body on their way to its reader: decoding, copying, counting.
///
/// One object serves one reading. It takes a piece of the body, hands over blocks until there are
/// none left, and takes the next piece; the body is read no faster than that. Everything else of
/// the body stays what it was: its trailers, its end, its progress, and what happens when it is
/// discarded or stopped.
///
/// A block becomes the reader's own, who may write into its memory: a transform that passes on what
/// it was given, and keeps it, keeps a copy.
protocol BodyTransform: AnyObject {
    /// Takes the next piece of the body, when ``next()`` has returned nil.
    func push(_ piece: ByteBuffer)

    /// The next block, never empty; nil when another piece is needed. The body waits while it does.
    func next() async throws(NetworkingError) -> ByteBuffer?

    /// The body has come to its end, and nothing is left of it. Not called for a body that failed,
    /// or that was not read to its end.
    func finish() async throws(NetworkingError)
}

extension ResponseBody {
    /// Makes the transform of one reading.
    typealias MakeTransform = @Sendable () -> any BodyTransform

    /// The same body, read through a transform behind those that it has.
    func transformed(_ makeTransform: @escaping MakeTransform) -> ResponseBody {
        var body = self
        body.options.transforms.append(makeTransform)
        return body
    }
}

/// A body that is read through a transform. A class, so that no block moves the two into new
/// memory.
final class TransformedBuffers {
    private var source: ResponseBody.Buffers
    private let transform: any BodyTransform

    init(_ source: ResponseBody.Buffers, _ transform: any BodyTransform) {
        self.source = source
        self.transform = transform
    }

    func next() async throws -> ByteBuffer? {
        while true {
            if let block = try await transform.next() { return block }
            guard let piece = try await source.next() else {
                try await transform.finish()
                return nil
            }
            transform.push(piece)
        }
    }
}
