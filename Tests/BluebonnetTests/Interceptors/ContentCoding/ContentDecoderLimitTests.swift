import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct ContentDecoderLimitTests {
    /// 64 MiB of zeros as gzip: about 64 KB.
    private static func zeros() throws -> [UInt8] {
        let decoder = ContentDecoder(try #require(try ContentCoding(contentEncoding: "gzip")), limits: Limits())
        decoder.push(ByteBuffer(bytes: EncodedSample.bomb))
        var whole = ByteBuffer()
        while var block = try decoder.nextBlock() { whole.writeBuffer(&block) }
        return Array(whole.readableBytesView)
    }

    @Test func `a decompression bomb is stopped at the ratio, shortly after ten megabytes`() throws {
        let bytes = try Self.zeros()
        let (count, error) = try ContentDecoder.run("gzip", bytes, limits: Limits())
        #expect(error?.code == .contentDecodingLimitExceeded)
        #expect(count <= max(10 << 20, bytes.count * 200) + 262_144)
        #expect(error?.message.contains("more than 200 times") == true)
    }

    @Test func `a nested decompression bomb is stopped after ten megabytes`() throws {
        let (count, error) = try ContentDecoder.run("gzip, gzip", EncodedSample.bomb, limits: Limits())
        #expect(error?.code == .contentDecodingLimitExceeded)
        #expect(count <= 10 << 20)
    }

    @Test func `a higher decoding ratio lets the same body pass`() throws {
        let (count, error) = try ContentDecoder.run("gzip", try Self.zeros(), limits: Limits(decodingRatio: 2000))
        #expect(error == nil)
        #expect(count == 64 << 20)
    }

    @Test func `the decoded size has its own limit`() throws {
        let limits = Limits(decodingRatio: .max, decodedBody: 1_000_000)
        let (count, error) = try ContentDecoder.run("gzip", try Self.zeros(), limits: limits)
        #expect(error?.code == .contentDecodingLimitExceeded)
        #expect(count <= 1_000_000)
        #expect(error?.message.contains("1000000 bytes") == true)
    }

    @Test func `a body of exactly the decoded-size limit passes`() throws {
        let size = EncodedSample.text.utf8.count
        let exact = try ContentDecoder.run(
            "gzip",
            EncodedSample.gzip,
            limits: Limits(decodingRatio: 1, decodedBody: size)
        )
        #expect(exact == (size, nil))
        let short = try ContentDecoder.run("gzip", EncodedSample.gzip, limits: Limits(decodedBody: size - 1))
        #expect(short.1?.code == .contentDecodingLimitExceeded)
    }

    @Test func `the decoded-size limit holds between two content codings too`() throws {
        // Fifty bytes of gzip that hold 64 KB, which hold 64 MiB: the 64 MiB are never decoded.
        let (count, error) = try ContentDecoder.run(
            "gzip, gzip",
            EncodedSample.bomb,
            limits: Limits(decodedBody: 20_000)
        )
        #expect(error?.code == .contentDecodingLimitExceeded)
        #expect(count <= 20_000)
    }
}
