import NIOCore

/// Reads a sequence, piece by piece.
final class MultipartSequenceReader<Iterator: AsyncIteratorProtocol>: MultipartReader
where Iterator.Element: Collection<UInt8> {
    private var iterator: Iterator

    init(_ iterator: Iterator) {
        self.iterator = iterator
    }

    func next(upTo count: Int) async throws -> ByteBuffer? {
        guard let piece = try await iterator.next(isolation: #isolation) else { return nil }
        return ByteBuffer(bytes: piece)
    }
}
