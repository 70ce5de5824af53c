import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

struct RequestContentTests {
    private struct User: Codable, Sendable, Equatable {
        var firstName: String
    }

    private let api = HTTPSessionManager(baseURL: "http://example.com/")

    private func sent(
        _ content: RequestContent,
        headers: RequestHeaders = [:],
        by api: HTTPSessionManager? = nil
    ) async throws -> (type: String?, body: String) {
        let request = try (api ?? self.api).request(.post, "x", body: content, headers: headers)
        let body = try await request.body?.collect() ?? Data()
        return (request.headerFields[.contentType], String(decoding: body, as: UTF8.self))
    }

    @Test func `JSON content is JSON by the manager's encoder, whatever its serializer is`() async throws {
        let plain = try await sent(.json(User(firstName: "Ada")))
        #expect(plain == ("application/json", #"{"firstName":"Ada"}"#))
        var api = api
        api.requestSerializer = JSONRequestSerializer {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return encoder
        }
        #expect(try await sent(.json(User(firstName: "Ada")), by: api).body == #"{"first_name":"Ada"}"#)
        #expect(
            try await sent(.form(User(firstName: "Ada")), by: api) == (
                "application/x-www-form-urlencoded", "firstName=Ada"
            )
        )
    }

    @Test func `JSON content by an encoder keeps all of its settings`() async throws {
        struct Moment: Encodable, Sendable { var at = Date(timeIntervalSince1970: 0) }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .prettyPrinted
        var api = api
        api.requestSerializer = JSONRequestSerializer(writingOptions: .escapingSlashes)
        let sent = try await sent(.json(Moment(), encoder: encoder), by: api)
        #expect(sent.type == "application/json")
        #expect(sent.body == String(decoding: try encoder.encode(Moment()), as: UTF8.self))
        #expect(encoder.outputFormatting == .prettyPrinted)
        let error = #expect(throws: NetworkingError.self) {
            try api.request(.post, "x", body: .json(Double.infinity, encoder: encoder))
        }
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.underlying is EncodingError)
    }

    @Test func `content adds no header that the manager's serializer does not have`() throws {
        var api = api
        api.requestSerializer.headerFields = [:]
        let request = try api.request(.post, "x", body: .json(User(firstName: "Ada")))
        #expect(request.headerFields == [.contentType: "application/json"])
    }

    @Test func `a content type among the headers wins`() async throws {
        let headers: RequestHeaders = [.contentType: "application/vnd.x+json"]
        #expect(try await sent(.json(User(firstName: "A")), headers: headers).type == "application/vnd.x+json")
        #expect(try await sent(.data(Data("a".utf8)), headers: headers).type == "application/vnd.x+json")
    }

    @Test func `a property list is one`() async throws {
        let list = try await sent(.propertyList(User(firstName: "Ada")))
        #expect(list.type == "application/x-plist")
        let data = Data(list.body.utf8)
        #expect(try PropertyListDecoder().decode(User.self, from: data) == User(firstName: "Ada"))
    }

    @Test func `a URL as an encoded body is refused, since it may mean its file`() throws {
        let error = try #require(throws: NetworkingError.self) {
            try api.request(.put, "x", body: .encoded(URL(filePath: "/etc/passwd")))
        }
        #expect(error.code == .requestSerializationFailed)
        #expect(error.message.contains(".file"))
    }

    @Test func `parameters beside a body are an error, since both would be the body`() throws {
        let error = try #require(throws: NetworkingError.self) {
            try api.request(.post, "x", parameters: ["a": 1], body: .json(User(firstName: "Ada")))
        }
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains("query:"))
        let request = try api.request(.post, "x", body: .json(User(firstName: "Ada")), query: ["a": 1])
        #expect(request.url.query() == "a=1")
    }

    @Test func `content from a sequence that was sent is an error, not an empty body`() async throws {
        let pieces = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array("hello".utf8))
            continuation.finish()
        }
        let content = RequestContent.stream(pieces)
        #expect(try await sent(content).body == "hello")
        let error = try await networkingError { try await sent(content) }
        #expect(error.code == .requestBodyNotReplayable)
    }

    @Test func `a path with a zero byte names no file`() throws {
        let url = try #require(URL(string: "file:///etc/passwd%00.png"))
        let error = try #require(throws: NetworkingError.self) { try api.request(.put, "x", body: .file(url)) }
        #expect(error.code == .requestBodyFailed)
        #expect(error.message.contains("zero byte"))
    }

    @Test func `a file URL with the name of another machine is no file here`() throws {
        let here = try #require(URL(string: "file://localhost/dev/null"))
        let there = try #require(URL(string: "file://example.com/etc/passwd"))
        for (url, words) in [(here, "not a regular file"), (there, "another machine")] {
            let error = try #require(throws: NetworkingError.self) { try api.request(.put, "x", body: .file(url)) }
            #expect(error.code == .requestBodyFailed)
            #expect(error.message.contains(words))
        }
    }

    @Test func `a missing file and a content type with a line end are errors of the call`() throws {
        let missing = try #require(throws: NetworkingError.self) {
            try api.request(.put, "x", body: .file(URL(filePath: "/nonexistent/file")))
        }
        #expect(missing.code == .requestBodyFailed)
        #expect(missing.request?.url.path() == "/x")
        let type = try #require(throws: NetworkingError.self) {
            try api.request(.put, "x", body: .data(Data(), contentType: "a/b\r\nX: 1"))
        }
        #expect(type.code == .invalidRequest)
    }
}
