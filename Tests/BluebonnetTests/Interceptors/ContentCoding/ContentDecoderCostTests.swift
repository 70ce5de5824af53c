import NIOCore
import Testing

@testable import Bluebonnet

/// The calls of the library and the room for blocks that an encoded body costs are proportional to
/// its received and its decoded bytes.
@Suite struct ContentDecoderCostTests {
    private struct Cost {
        var calls = 0
        var allocated = 0
        var produced = 0
        var bytes = 0
        var pieces = 0
    }

    /// Decodes a body in pieces of this size, and drops the output.
    private static func cost(_ coding: ContentCoding.Coding, _ bytes: [UInt8], piece: Int) throws -> Cost {
        let stage = DecompressionStage(coding)
        var pieces = 0
        var body = ByteBuffer(bytes: bytes)
        while body.readableBytes > 0, let next = body.readSlice(length: min(piece, body.readableBytes)) {
            stage.push(next)
            pieces += 1
            while try stage.nextBlock() != nil {}
        }
        try stage.finish()
        return Cost(
            calls: stage.calls,
            allocated: stage.allocated,
            produced: stage.produced,
            bytes: bytes.count,
            pieces: pieces
        )
    }

    private static func check(_ costs: [Cost]) {
        for cost in costs {
            // At most one call for each byte, since a piece may be one byte. Room is made for the
            // output: at least a page for each piece that has output, and once for all pieces that
            // have none.
            #expect(cost.calls <= cost.bytes + cost.produced / 4_096 + 8, "\(cost)")
            let most = 16 * (cost.bytes + cost.produced) + 4_096 * min(cost.pieces, cost.produced) + 2 * 262_144
            #expect(cost.allocated <= most, "\(cost)")
        }
        for (less, more) in zip(costs, costs.dropFirst()) {
            #expect(more.calls <= less.calls * 9 / 4 + 8, "\(costs)")
        }
    }

    @Test(arguments: HostileBody.allCases, [1, 7, Int.max])
    func `decoding work grows linearly with the bytes received, however they are split`(body: HostileBody, piece: Int)
        throws
    {
        let coding = try #require(ContentCoding.Coding(name: body.coding))
        Self.check(try [100, 200, 400].map { try Self.cost(coding, body.bytes($0), piece: piece) })
    }

    @Test(arguments: [Deflater.Format.gzip, .deflate], [1, 7, Int.max])
    func `decoding work for a bomb grows linearly with its output`(format: Deflater.Format, piece: Int) throws {
        let coding = try #require(ContentCoding.Coding(name: format.rawValue))
        let costs = try [1, 2, 4].map { size in
            let deflater = try Deflater(format, level: 9)
            var bytes: [UInt8] = []
            bytes += try deflater.compress(ByteBuffer(bytes: [UInt8](repeating: 0, count: size << 19)))
                .readableBytesView
            bytes += try deflater.finish().readableBytesView
            return try Self.cost(coding, bytes, piece: piece)
        }
        #expect(costs.map(\.produced) == [1 << 19, 2 << 19, 4 << 19])
        Self.check(costs)
    }
}
