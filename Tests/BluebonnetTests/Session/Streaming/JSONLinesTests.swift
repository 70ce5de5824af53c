import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct JSONLinesTests {
    private struct User: Decodable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    private func values<Value: Decodable & Sendable>(
        _ body: ResponseBody,
        limit: Int = 1000,
        as type: Value.Type = Value.self
    ) async throws -> [Value] {
        var values: [Value] = []
        for try await value in body.jsonLines(of: Value.self, limit: limit) { values.append(value) }
        return values
    }

    @Test func `JSON lines are decoded however they are split`() async throws {
        let text = "{\"id\":1,\"name\":\"Ädä\"}\n\r\n  \t\n{\"id\":2,\"name\":\"Grace\"}\r\n{\"id\":3,\"name\":\"x\"}"
        let expected = [User(id: 1, name: "Ädä"), User(id: 2, name: "Grace"), User(id: 3, name: "x")]
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            let body = ResponseBody.stream(Pieces(bytes: [Array(bytes[..<cut]), Array(bytes[cut...])]))
            let users: [User] = try await values(body)
            try #require(users == expected)
        }
    }

    @Test func `every JSON value can be a JSON line`() async throws {
        let body = ResponseBody.data(Data("1\n\"a\"\nnull\n[true]\n".utf8))
        let lines: [JSONValue] = try await values(body)
        #expect(lines == [1, "a", .null, [true]])
    }

    @Test func `a JSON line that cannot be decoded is an error with its number, and the last line`() async throws {
        let body = ResponseBody.data(Data("{\"id\":1,\"name\":\"a\"}\n\n{\"id\":\"x\"}\n{\"id\":3}\n".utf8))
        var iterator = body.jsonLines(of: User.self).makeAsyncIterator()
        let first = try await iterator.next()
        #expect(first?.id == 1)
        let error = try await networkingError { try await iterator.next() }
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.hasPrefix("Line 3 of the response could not be decoded as User: "))
        #expect(error.message.hasSuffix("(at id)"))
        #expect(error.bodyString == "{\"id\":\"x\"}")
        #expect(error.underlying is DecodingError)
        let next = try await iterator.next()
        #expect(next == nil)
    }

    @Test func `the error about a line that is not JSON says where`() async throws {
        let body = ResponseBody.data(Data("1\n[1,]\n".utf8))
        let error = try await networkingError { try await values(body, as: JSONValue.self) }
        #expect(error.message.contains("Line 2 "))
        #expect(error.message.contains("column 4"))
    }

    @Test func `a JSON line beyond the limit is an error`() async throws {
        let body = ResponseBody.data(Data("1\n[1,2,3,4,5,6]\n".utf8))
        let error = try await networkingError { try await values(body, limit: 10, as: JSONValue.self) }
        #expect(error.code == .lineTooLong)
        #expect(error.message.hasPrefix("Line 2 "))
    }

    @Test func `JSON lines obey the decoder's strategies, and their type can be inferred`() async throws {
        struct Row: Decodable, Sendable {
            var firstName: String
        }
        let transport = StubTransport(routes: [.get("/rows"): .text("{\"first_name\":\"Ada\"}\n")])
        try await withSession(transport: transport) { session in
            var decoder = JSONBodyDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let rows: JSONLines<Row> = HTTPSessionManager(baseURL: "http://x/", session: session)
                .stream("rows").jsonLines(decoder: decoder)
            var names: [String] = []
            for try await row in rows { names.append(row.firstName) }
            #expect(names == ["Ada"])
        }
    }

    @Test func `the error about a JSON line has the head of a streamed response`() async throws {
        let transport = StubTransport(routes: [.get("/rows"): .text("nonsense\n")])
        try await withSession(transport: transport) { session in
            let stream = HTTPSessionManager(baseURL: "http://x/", session: session).stream("rows")
            let error = try await networkingError { for try await _ in stream.jsonLines(of: Int.self) {} }
            #expect(error.response?.status == .ok)
            #expect(error.request?.url.path() == "/rows")
        }
    }
}
