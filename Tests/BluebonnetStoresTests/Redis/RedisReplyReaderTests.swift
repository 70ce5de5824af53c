#if Redis
    @testable import BluebonnetStores
    import Foundation
    import NIOCore
    import Testing

    @Suite struct RedisReplyReaderTests {
        private func replies(_ pieces: [String]) throws -> [RedisReply] {
            let reader = try #require(RedisReplyReader())
            var found: [RedisReply] = []
            for piece in pieces {
                try reader.feed(ByteBuffer(string: piece))
                while let reply = try reader.next() { found.append(reply) }
            }
            return found
        }

        private let text = "+OK\r\n:-7\r\n$3\r\na\r\n\r\n*2\r\n$0\r\n\r\n$-1\r\n-ERR no\r\n*-1\r\n"
        private let expected: [RedisReply] = [
            .status("OK"), .integer(-7), .bytes(Data("a\r\n".utf8)), .array([.bytes(Data()), .none]),
            .error("ERR no"), .none,
        ]

        @Test func `replies are read however their bytes are cut`() throws {
            #expect(try replies([text]) == expected)
            #expect(try replies(text.map { String($0) }) == expected)
        }

        @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n", "$-5\r\n", ":a\r\n", "*99999999999999999999\r\n", "\r\n"])
        func `what is no reply is an error`(_ text: String) {
            #expect(throws: RedisFailure.self) { try replies([text]) }
        }

        private func nested(_ depth: Int) -> String { String(repeating: "*1\r\n", count: depth) + ":1\r\n" }

        @Test(arguments: [100, 10_000]) func `arrays that are nested too deeply are an error`(_ depth: Int) {
            #expect(throws: RedisFailure.self) { try replies([nested(depth)]) }
        }

        @Test func `arrays within arrays are read to a depth that commands of this library have`() throws {
            #expect(try replies([nested(3)]) == [.array([.array([.array([.integer(1)])])])])
        }
    }
#endif
