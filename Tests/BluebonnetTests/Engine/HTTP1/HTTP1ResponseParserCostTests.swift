import NIOCore
import Testing

@testable import Bluebonnet

/// The work for a response outside of its body is proportional to its bytes, however they are
/// split. `HTTP1ResponseParserStateTests` tests `examined` for header sections.
@Suite struct HTTP1ResponseParserCostTests {
    enum Hostile: CaseIterable {
        case smallChunks, extensions, zeros, trailers, longTrailer, informationalResponses

        /// A whole response with `count` of these.
        func response(_ count: Int) -> String {
            func times(_ text: String) -> String { String(repeating: text, count: count) }
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            return switch self {
            case .smallChunks: head + times("1\r\na\r\n") + "0\r\n\r\n"
            case .extensions: head + times("1 ;\(String(repeating: "x=\"y\";", count: 20))\r\na\r\n") + "0;z\r\n\r\n"
            case .zeros: head + times("0000000000000001\r\na\r\n") + "0000\r\n\r\n"
            case .trailers: head + "0\r\n" + times("a: b\r\n") + "\r\n"
            case .longTrailer: head + "0\r\na: " + times("bcdefgh ") + "\r\n\r\n"
            case .informationalResponses:
                String(repeating: "HTTP/1.1 103 Early Hints\r\n\(times("a: b\r\n"))\r\n", count: 8)
                    + "HTTP/1.1 204 No Content\r\n\r\n"
            }
        }
    }

    private struct Cost {
        var bytes = 0
        /// Calls of `next`; the last call for each piece returns no event.
        var calls = 0
        var events = 0
        /// Bytes of the last section that were looked at.
        var examined = 0
    }

    private static func cost(_ response: String, piece: Int) throws -> Cost {
        var cost = Cost(bytes: response.utf8.count)
        var parser = HTTP1ResponseParser()
        parser.begin(.ordinary)
        var bytes = ByteBuffer(string: response)
        var isAtEnd = false
        while bytes.readableBytes > 0, var next = bytes.readSlice(length: min(piece, bytes.readableBytes)) {
            cost.calls += 1
            while let event = try parser.next(&next) {
                if case .end = event { isAtEnd = true }
                cost.events += 1
                cost.calls += 1
            }
            #expect(next.readableBytes == 0)
        }
        #expect(isAtEnd)
        cost.examined = parser.scanner.examined
        return cost
    }

    @Test(arguments: Hostile.allCases, [1, 7, Int.max])
    func `response parsing work grows linearly with the response, however it is split`(hostile: Hostile, piece: Int)
        throws
    {
        let costs = try [250, 500, 1_000].map { try Self.cost(hostile.response($0), piece: piece) }
        for cost in costs {
            #expect(cost.events <= cost.bytes / 6 + 4, "\(cost)")
            #expect(cost.calls <= cost.events + cost.bytes / min(piece, cost.bytes) + 1, "\(cost)")
            #expect(cost.examined <= cost.bytes, "each byte once: \(cost)")
        }
        for (less, more) in zip(costs, costs.dropFirst()) {
            #expect(more.calls <= less.calls * 9 / 4 + 8, "\(costs)")
            #expect(more.examined <= less.examined * 9 / 4 + 8, "\(costs)")
        }
    }

    @Test(arguments: ["1;", "1 ", "0;x=\""])
    func `an endless chunk line is refused at its limit`(line: String) {
        var parser = HTTP1ResponseParser()
        parser.begin(.ordinary)
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(line)"
        var taken = 0
        let error = #expect(throws: HTTP1ParseError.self) {
            for byte in Array(text.utf8) + [UInt8](repeating: 0x20, count: 100_000) {
                var next = ByteBuffer(bytes: [byte])
                while try parser.next(&next) != nil {}
                taken += 1
            }
        }
        #expect(error?.fault == .malformedChunk)
        #expect(taken <= text.utf8.count + HTTP1Limits().chunkLine)
    }
}
