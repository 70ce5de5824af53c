import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct BodyCollectorTests {
    @Test(arguments: [
        [], [1], [65_536], [10, 20, 30], [65_535, 1, 1], [100_000, 300_000, 5], [1 << 20, 1 << 20, 3],
    ])
    func `collected body pieces are joined in their order`(sizes: [Int]) throws {
        let collector = BodyCollector()
        var expected = Data()
        for (index, size) in sizes.enumerated() {
            let piece = [UInt8](repeating: UInt8(index + 1), count: size)
            try collector.append(ByteBuffer(bytes: piece))
            expected.append(contentsOf: piece)
        }
        #expect(collector.count == expected.count)
        #expect(collector.take() == expected)
        #expect(collector.count == 0 && collector.take().isEmpty)
    }

    @Test func `a collected body can be changed and copied, and outlives its collector`() throws {
        var collector: BodyCollector? = BodyCollector()
        for _ in 0..<3 { try collector?.append(ByteBuffer(repeating: 7, count: 100_000)) }
        var data = try #require(collector?.take())
        collector = nil
        let copy = data
        data.append(contentsOf: [8, 9])
        data[0] = 1
        data.removeSubrange(10..<20)
        #expect(copy == Data(repeating: 7, count: 300_000))
        #expect(data.count == 299_992 && data.first == 1 && data.last == 9)
    }

    @Test func `a small body does not keep a large receive buffer alive`() {
        var receiveBuffer = ByteBufferAllocator().buffer(capacity: 262_144)
        receiveBuffer.writeRepeatingByte(1, count: 20_000)
        #expect(!shares(receiveBuffer))
        receiveBuffer.writeRepeatingByte(1, count: 120_000)
        #expect(shares(receiveBuffer))
    }

    /// Whether the data made of a buffer uses the memory of the buffer.
    private func shares(_ buffer: ByteBuffer) -> Bool {
        let data = Data(taking: buffer)
        // Addresses are compared, nothing is read through them.
        return unsafe buffer.withUnsafeReadableBytes { bytes in
            unsafe data.withUnsafeBytes { unsafe $0.baseAddress == bytes.baseAddress }
        }
    }

    @Test func `a body larger than the largest buffer is collected in pieces`() async throws {
        let data = Data((0..<100).map { UInt8($0) })
        let body = ResponseBody.data(data, trailers: [.eTag: "x"], inPiecesOf: 30)
        var sizes: [Int] = []
        for try await piece in body { sizes.append(piece.count) }
        #expect(sizes == [30, 30, 30, 10])
        #expect(try await body.collect(upTo: .max) == data)
        #expect(body.trailers[.eTag] == "x")
    }
}
