import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values of types that the context names, and responses whose body does not matter.
struct InferredResponseSerializerTests {
    private struct User: Decodable, Sendable, Equatable { var name: String }

    private func value<Value: Decodable & Sendable>(
        _ example: ResponseExample,
        _ validation: ResponseValidation = .json
    ) throws(NetworkingError) -> Value {
        try example.serialized(as: InferredResponseSerializer(validation: validation))
    }

    private func error<Value: Decodable & Sendable>(
        _ type: Value.Type,
        _ example: ResponseExample,
        _ validation: ResponseValidation = .json
    ) -> NetworkingError? {
        example.error(as: InferredResponseSerializer<Value>(validation: validation))
    }

    @Test func `text and bytes are those of the body, of any content type`() throws {
        let page = ResponseExample(200, "text/plain; charset=ISO-8859-1", Data([0x22, 0xFC, 0x22]))
        #expect(try value(page) as String == #""ü""#)
        #expect(try value(page) as String? == #""ü""#)
        #expect(try value(page) as Data == page.body)
        #expect(try value(page) as Data? == page.body)
        let json = ResponseExample(200, "application/json", #""quoted""#)
        #expect(try value(json) as String == #""quoted""#)
        #expect(try value(json) as Data == json.body)
    }

    @Test func `an empty body is empty text, and nil for an optional`() throws {
        let empty = ResponseExample(200, "text/html", "")
        #expect(try value(empty) as String == "")
        #expect(try value(empty) as Data == Data())
        #expect(try value(empty) as String? == nil)
        #expect(try value(empty) as Data? == nil)
        #expect(try value(ResponseExample(204, nil, "")) as User? == nil)
    }

    @Test func `other types are decoded from JSON, whose content type is checked`() throws {
        let json = ResponseExample(200, "application/json", #"{"name":"Ada"}"#)
        #expect(try value(json) as User == User(name: "Ada"))
        #expect(try value(json) as User? == User(name: "Ada"))
        #expect(try value(json) as JSONValue == ["name": "Ada"])
        #expect(try value(json) as [String: String] == ["name": "Ada"])
        let page = ResponseExample(200, "text/html", "{}")
        #expect(error(User.self, page)?.code == .unacceptableContentType)
        #expect(error(JSONValue.self, page)?.code == .unacceptableContentType)
        #expect(error([String].self, page)?.code == .unacceptableContentType)
    }

    @Test func `an empty body as the type takes every body`() throws {
        #expect(try value(ResponseExample(200, "text/html", "<p>")) as EmptyBody == EmptyBody())
        #expect(error(EmptyBody.self, ResponseExample(404, "text/html", "<p>"))?.code == .unacceptableStatusCode)
    }

    @Test func `statuses and rules of the validation hold for text and bytes`() throws {
        let missing = ResponseExample(404, "text/plain", "gone")
        #expect(error(String.self, missing)?.parsedBody(as: String.self) == "gone")
        #expect(error(String.self, missing)?.code == .unacceptableStatusCode)
        #expect(error(String?.self, missing)?.code == .unacceptableStatusCode)
        #expect(error(Data.self, missing)?.body == missing.body)
        #expect(error(Data?.self, ResponseExample(404, nil, ""))?.code == .unacceptableStatusCode)
        var validation = ResponseValidation.json
        validation.acceptableStatusCodes?.insert(404)
        #expect(try value(missing, validation) as String == "gone")
        let ruled = validation.requiring { _, _, _ in throw CancellationError() }
        #expect(error(String.self, missing, ruled)?.code == .responseRefused)
        #expect(error(Data.self, missing, ruled)?.code == .responseRefused)
        #expect(error(EmptyBody.self, missing, ruled)?.code == .responseRefused)
    }

    // MARK: Discarding

    @Test func `a discarding serializer drops the body of every 2xx response`() throws {
        try ResponseExample(200, "image/png", "x").serialized(as: .discarding)
        try ResponseExample(204, nil, "").serialized(as: .discarding)
        try ResponseExample(404, nil, "x").serialized(as: .discarding.acceptingAnyStatus())
    }

    @Test func `the error of a discarding serializer has the body, parsed if it is JSON`() throws {
        let conflict = ResponseExample(409, "application/json", #"{"reason":"taken"}"#)
        let error = try #require(conflict.error(as: .discarding))
        #expect(error.code == .unacceptableStatusCode && error.body == conflict.body)
        #expect(error.parsedBody(as: JSONValue.self) == ["reason": "taken"])
        #expect(ResponseExample(500, "text/html", "<p>").error(as: .discarding)?.parsedBody == nil)
        let typed = conflict.error(as: .discarding.accepting(contentTypes: ["a/b"]))
        #expect(typed?.contains(.unacceptableContentType) == true && typed?.parsedBody == nil)
    }
}
