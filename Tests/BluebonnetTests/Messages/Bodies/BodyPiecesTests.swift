import NIOCore
import Testing

@testable import Bluebonnet

/// Bytes of a body that wait, in how many pieces.
@Suite struct BodyPiecesTests {
    /// The pieces of a body that came in so many pieces of this size.
    private func pieces(_ count: Int, of size: Int) -> [ByteBuffer] {
        var pieces = BodyPieces()
        for index in 0..<count {
            pieces.append(ByteBuffer(repeating: UInt8(truncatingIfNeeded: index), count: size))
        }
        #expect(pieces.byteCount == count * size)
        var drained: [ByteBuffer] = []
        pieces.drain { drained.append($0) }
        let expected = (0..<count).flatMap { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: size) }
        #expect(drained.flatMap { Array($0.readableBytesView) } == expected)
        return drained
    }

    @Test func `a few pieces stay as they came`() {
        #expect(pieces(BodyPieces.mostSmall + 1, of: 1).count == BodyPieces.mostSmall + 1)
    }

    @Test func `many small pieces are joined`() {
        let count = pieces(100_000, of: 1).count
        #expect(count <= BodyPieces.mostSmall + 100_000 / 16_384 + 2, "\(count)")
    }

    @Test func `large pieces stay as they came`() {
        #expect(pieces(40, of: 16_384).count == 40)
    }

    @Test func `pieces of a buffer that is read into cost no more than their bytes`() {
        // As where the peer sends one byte at a time, each of which is read into a large buffer.
        var pieces = BodyPieces()
        for _ in 0..<10_000 {
            var buffer = ByteBuffer(repeating: 1, count: 1)
            buffer.reserveCapacity(65_536)
            pieces.append(buffer)
        }
        var capacity = 0
        pieces.drain { capacity += $0.capacity }
        #expect(capacity <= (BodyPieces.mostSmall + 2) * 65_536, "\(capacity)")
    }

    @Test func `a copy of slices has their bytes in memory of its own, and no more`() {
        // As where TLS decrypts a read of many frames into one large buffer.
        var read = ByteBuffer(bytes: (0..<200).map { UInt8($0) })
        read.reserveCapacity(65_536)
        var pieces = BodyPieces()
        for index in stride(from: 0, to: 200, by: 2) {
            if let slice = read.getSlice(at: index, length: 1) { pieces.appendSlice(slice) }
        }
        let copied = pieces.copied
        #expect(Array(copied.readableBytesView) == stride(from: 0, to: 200, by: 2).map { UInt8($0) })
        #expect(pieces.byteCount == 100 && copied.storageCapacity <= 128)
        #expect(BodyPieces().copied.readableBytes == 0)
    }
}
