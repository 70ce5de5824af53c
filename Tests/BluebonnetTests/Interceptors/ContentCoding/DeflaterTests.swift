import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct DeflaterTests {
    private static let text = (0..<20_000).map { "line \($0 % 977)\n" }.joined()

    private func inflated(_ bytes: ByteBuffer, _ coding: Deflater.Format) throws -> ByteBuffer {
        let coding = try #require(try ContentCoding(contentEncoding: coding.rawValue))
        let decoder = ContentDecoder(coding, limits: Limits(decodingRatio: .max))
        decoder.push(bytes)
        var result = ByteBuffer()
        while var block = try decoder.nextBlock() { result.writeBuffer(&block) }
        try decoder.finish()
        return result
    }

    @Test(arguments: [Deflater.Format.gzip, .deflate], [1, 3, 1000, 65_536, .max])
    func `text compressed in any pieces inflates to the same text`(coding: Deflater.Format, size: Int) throws {
        let original = ByteBuffer(string: size < 1000 ? String(Self.text.prefix(5000)) : Self.text)
        let deflater = try Deflater(coding, level: 6)
        var rest = original
        var encoded = ByteBuffer()
        while let piece = rest.readSlice(length: min(size, rest.readableBytes)), piece.readableBytes > 0 {
            var block = try deflater.compress(piece)
            encoded.writeBuffer(&block)
        }
        var last = try deflater.finish()
        encoded.writeBuffer(&last)
        #expect(encoded.readableBytes < original.readableBytes / 2)
        #expect(try inflated(encoded, coding) == original)
    }

    @Test func `incompressible bytes in one large piece inflate to the same bytes`() throws {
        var generator = SeededGenerator(seed: 7)
        let original = ByteBuffer(
            bytes: (0..<3_000_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        )
        let deflater = try Deflater(.gzip, level: 1)
        var encoded = try deflater.compress(original)
        var last = try deflater.finish()
        encoded.writeBuffer(&last)
        #expect(try inflated(encoded, .gzip) == original)
    }

    @Test func `compressing zero bytes makes an empty encoded body`() throws {
        for coding in [Deflater.Format.gzip, .deflate] {
            let encoded = try Deflater(coding, level: 9).finish()
            #expect(encoded.readableBytes > 0)
            #expect(try inflated(encoded, coding).readableBytes == 0)
        }
    }

    @Test func `the content coding deflate is the zlib format`() throws {
        let encoded = try Deflater(.deflate, level: 6).finish()
        let header = try #require(encoded.getInteger(at: 0, as: UInt16.self))
        // RFC 1950 §2.2.
        #expect(header >> 8 == 0x78 && header % 31 == 0)
    }

    @Test(arguments: [(-5, 1), (0, 1), (10, 9), (100, 9)])
    func `compression levels out of range count as the nearest`(level: Int, nearest: Int) throws {
        var generator = SeededGenerator(seed: 1)
        let words = (0..<20_000).map { _ in
            ["spring", "bluebonnet", "tea", "\(generator.next() % 100)"].randomElement(using: &generator) ?? ""
        }
        let text = ByteBuffer(string: words.joined(separator: " "))
        func compressed(_ level: Int) throws -> ByteBuffer {
            let deflater = try Deflater(.gzip, level: level)
            var result = try deflater.compress(text)
            var rest = try deflater.finish()
            result.writeBuffer(&rest)
            return result
        }
        #expect(try compressed(level) == compressed(nearest))
        #expect(try compressed(1) != compressed(9))
    }
}
