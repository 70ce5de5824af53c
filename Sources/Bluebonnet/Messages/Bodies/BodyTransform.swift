import NIOCore

/// A step that the bytes of a body pass on their way to the reader: decoding, copying, counting.
///
/// One object serves one reading. It takes a piece of the body, hands over blocks until there are
/// none left, and takes the next piece; the body is read no faster than that. Everything else of
/// the body stays what it was: its trailers, its end, its progress, and what happens when it is
/// discarded or stopped.
///
/// The reader owns each block and may write into its memory: a transform that passes on a piece and
/// also keeps it must keep a copy.
protocol BodyTransform: AnyObject {
    /// Takes the next piece of the body, when ``next()`` has returned nil.
    func push(_ piece: ByteBuffer)

    /// The next block, never empty; nil when another piece is needed. The reading of the body waits
    /// for it.
    func next() async throws(NetworkingError) -> ByteBuffer?

    /// Ends the reading, when the body is complete and no block is left. Not called for a body that
    /// failed, or that was not read to its end.
    func finish() async throws(NetworkingError)

    /// The next block behind the end of the body, never empty; nil when there is none. Called
    /// behind ``finish()``. Default: none.
    func nextBehindEnd() async throws(NetworkingError) -> ByteBuffer?

    /// Hears that the body failed. Default: does nothing.
    func fail(_ error: NetworkingError) async
}

extension BodyTransform {
    func nextBehindEnd() async throws(NetworkingError) -> ByteBuffer? { nil }
    func fail(_ error: NetworkingError) async {}
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

/// A body that is read through a transform. A class, so that its two values are not moved in memory
/// for each block.
final class TransformedBuffers {
    private var source: ResponseBody.Buffers
    private let transform: any BodyTransform
    private var isFinished = false

    init(_ source: ResponseBody.Buffers, _ transform: any BodyTransform) {
        self.source = source
        self.transform = transform
    }

    func next() async throws(NetworkingError) -> ByteBuffer? {
        while true {
            if let block = try await transform.next() { return block }
            guard let piece = try await nextPiece() else {
                if !isFinished { try await transform.finish() }
                isFinished = true
                return try await transform.nextBehindEnd()
            }
            transform.push(piece)
        }
    }

    private func nextPiece() async throws(NetworkingError) -> ByteBuffer? {
        do throws(NetworkingError) {
            return try await source.next()
        } catch {
            await transform.fail(error)
            throw error
        }
    }
}
