import NIOCore
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server is never far ahead of a slow reader.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct BackPressureTests {
    private static let size = 256 << 20
    private static let blockSize = 65_531
    private static let blockCount = size / blockSize

    /// The most bytes that may be between server and reader: the receive buffer of the kernel,
    /// which grows up to a limit that differs from machine to machine; and 4 MiB for the watermark
    /// of the stream, one read beyond it, one decoded block and the kernel's buffer for the sender.
    private static let bound: Int = {
        let sizes = try? String(contentsOfFile: "/proc/sys/net/ipv4/tcp_rmem", encoding: .utf8)
        let largest = sizes?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
        return (largest ?? (6 << 20)) + (4 << 20)
    }()

    /// Reads the whole body, pauses now and then until the server stops sending, and compares the
    /// counts after every piece.
    private static func readSlowly(_ server: CountingServer, expecting size: Int) async throws {
        let request = try Request(to: "http://127.0.0.1:\(server.port)/")
        try await withSession { session in
            var received = 0
            var pauseAt = 1
            var furthest = 0
            var mostInMemory = 0
            let response = try await ResponseStream(request, session: session).open()
            for try await piece in response.body {
                received += piece.count
                mostInMemory = max(mostInMemory, response.body.currentProgress.download.completed - received)
                if received >= pauseAt {
                    // Waits until the server has stopped writing, however slow the machine is.
                    _ = try await settled { server.written.value }
                    pauseAt = received + size / 6
                }
                furthest = max(furthest, server.written.value - received)
            }
            #expect(received == size)
            // The watermark of the stream, the bytes of one more cycle of reads, and one decoded
            // block.
            #expect(mostInMemory <= 8 << 20, "\(mostInMemory) bytes waited in memory")
            #expect(furthest <= bound, "the server was \(furthest) bytes ahead")
            // The test would prove nothing if the server had never been ahead.
            #expect(furthest > BodyStream.lowWatermark)
        }
    }

    @Test func `a slow reader of 256 MB holds the server back`() async throws {
        let size = Self.blockSize * Self.blockCount
        try await CountingServer.run(
            head: "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n",
            block: [UInt8](repeating: 0x61, count: Self.blockSize),
            count: Self.blockCount
        ) { server in
            try await Self.readSlowly(server, expecting: size)
        }
    }

    @Test func `a slow reader of 256 MB of gzip holds the server back`() async throws {
        let gzip = StoredGzip(blockSize: Self.blockSize)
        try await CountingServer.run(
            head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
            block: gzip.member,
            count: Self.blockCount
        ) { server in
            try await Self.readSlowly(server, expecting: Self.blockSize * Self.blockCount)
        }
    }

    @Test func `a slow reader of 256 MB keeps the process small`() async {
        // In another process, where no other test takes memory.
        await #expect(processExitsWith: .success) {
            let before = try peakMemory()
            let size = BackPressureTests.blockSize * BackPressureTests.blockCount
            try await CountingServer.run(
                head: "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n",
                block: [UInt8](repeating: 0x61, count: BackPressureTests.blockSize),
                count: BackPressureTests.blockCount
            ) { server in
                try await BackPressureTests.readSlowly(server, expecting: size)
            }
            let growth = try peakMemory() - before
            #expect(growth < 40 << 20, "the process grew by \(growth) bytes")
        }
    }

    @Test func `an encoded body is expanded block by block`() async throws {
        // 64 MiB of zeros from 64 KB: every block is decoded when it is asked for.
        let outer = ContentDecoder(try #require(try ContentCoding(contentEncoding: "gzip")), limits: Limits())
        outer.push(ByteBuffer(bytes: EncodedSample.bomb))
        let inner = ContentDecoder(
            try #require(try ContentCoding(contentEncoding: "gzip")),
            limits: Limits(decodingRatio: .max)
        )
        var count = 0
        while let piece = try outer.nextBlock() {
            inner.push(piece)
            while let block = try inner.nextBlock() {
                try #require(block.storageCapacity <= 262_144)
                count += block.readableBytes
            }
        }
        #expect(count == 64 << 20)
    }
}

/// Members of gzip that hold an uncompressed block (RFC 1951 §3.2.4), so that as many bytes are
/// sent as are decoded.
private struct StoredGzip {
    let member: [UInt8]

    init(blockSize: Int) {
        let block = [UInt8](repeating: 0x61, count: blockSize)
        let size = UInt16(blockSize)
        var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1]
        member += [UInt8(size & 0xFF), UInt8(size >> 8), UInt8(~size & 0xFF), UInt8(~size >> 8)]
        member += block
        for word in [Self.checksum(block), UInt32(blockSize)] {
            member += (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        self.member = member
    }

    /// CRC-32 (RFC 1952 §8).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
