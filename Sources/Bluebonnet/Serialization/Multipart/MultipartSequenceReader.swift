import NIOCore

/// Reads a sequence, piece by piece.
final class MultipartSequenceReader<Iterator: AsyncIteratorProtocol>: MultipartReader
where Iterator.Element: Collection<UInt8> {
    private var iterator: Iterator
    /// What is left of a piece that was longer than was asked for.
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
