import Foundation
import Testing

@testable import Bluebonnet

@Suite struct CompoundResponseSerializerTests {
    private enum Parsed: Sendable, Equatable {
        case json(JSONValue)
        case list(PropertyListValue?)
        case text(String)
    }

    private static let mixed = CompoundResponseSerializer<Parsed>([
        .trying(.json, as: Parsed.json), .trying(.propertyList, as: Parsed.list),
        .trying(.string.accepting(contentTypes: ["text/plain"]), as: Parsed.text),
    ])

    @Test(arguments: [
        ("application/json", "[1]", Parsed.json([1])), ("text/plain", "[1]", .text("[1]")),
        ("application/x-plist", "<plist><integer>1</integer></plist>", .list(.integer(1))),
    ])
    private func `the first of compound serializers that can read the response wins`(
        _ type: String,
        _ body: String,
        _ expected: Parsed
    ) throws {
        #expect(try ResponseExample(200, type, body).serialized(as: Self.mixed) == expected)
    }

    @Test func `compound serializers of one output need no mapping, and their order matters`() throws {
        let example = ResponseExample(200, "text/html", "[1]")
        let strict = JSONResponseSerializer()
        let lenient = JSONResponseSerializer(validation: .none)
        let either = CompoundResponseSerializer([strict, lenient])
        #expect(try example.serialized(as: either) == [1] as JSONValue)
        #expect(try example.serialized(as: .compound([lenient, strict])) == [1] as JSONValue)
        let bytes = try example.serialized(
            as: .compound(.trying(.data), .trying(.string) { @Sendable in Data($0.utf8) })
        )
        #expect(bytes.count == 3)
    }

    @Test func `a response that no compound serializer can read is an error with the error of each`() throws {
        let example = ResponseExample(200, "image/png", "x")
        let error = try #require(example.error(as: Self.mixed))
        #expect(error.code == .unacceptableContentType)
        #expect(
            error.message == "None of 3 serializers could read the response:"
                + " 1. Request failed: unacceptable content-type: image/png"
                + " 2. Request failed: unacceptable content-type: image/png"
                + " 3. Request failed: unacceptable content-type: image/png"
        )
        #expect((error.underlying as? CompoundResponseError)?.failures.count == 3)
        #expect(error.body == example.body && error.response == example.head)
        #expect(
            ResponseExample(200, "application/json", "oops").error(as: Self.mixed)?.code == .responseSerializationFailed
        )
    }

    @Test func `a refused status whose body could be parsed ends the search of a compound serializer`() throws {
        let error = try #require(ResponseExample(404, "application/json", "[1]").error(as: Self.mixed))
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.message == "Request failed: Not Found (404)")
        #expect(error.parsedBody(as: Parsed.self) == .json([1]))
        let text = try #require(ResponseExample(404, "text/plain", "gone").error(as: Self.mixed))
        #expect(text.parsedBody() == Parsed.text("gone"))
    }

    @Test func `a value that a compound serializer cannot map leads to the next serializer`() throws {
        struct Unusable: Error {}
        let serializer = CompoundResponseSerializer<String>([
            .trying(.json) { value in
                guard let text = value.string else { throw Unusable() }
                return text
            },
            .trying(.string),
        ])
        #expect(try ResponseExample(200, "application/json", #""a""#).serialized(as: serializer) == "a")
        #expect(try ResponseExample(200, "application/json", "[1]").serialized(as: serializer) == "[1]")
    }

    @Test func `a compound serializer without serializers reads no response`() {
        let serializer = CompoundResponseSerializer<String>([] as [CompoundResponseSerializer<String>.Alternative])
        #expect(ResponseExample().error(as: serializer)?.code == .responseSerializationFailed)
    }

    // MARK: Its own validation

    @Test func `a compound serializer of its own accepts every response`() throws {
        #expect(Self.mixed.validation == .none)
        let lenient = CompoundResponseSerializer<Parsed>([.trying(.json.validating(.none), as: Parsed.json)])
        #expect(try ResponseExample(500, "image/png", "[1]").serialized(as: lenient) == .json([1]))
    }

    @Test func `what a compound serializer refuses, none of its serializers can accept`() throws {
        let anything = CompoundResponseSerializer<Parsed>([.trying(.json.validating(.none), as: Parsed.json)])
        let refused = ResponseExample(500, "application/json", "[1]")
        let status = try #require(refused.error(as: anything.accepting(statusCodes: [200])))
        #expect(status.code == .unacceptableStatusCode)
        #expect(status.parsedBody(as: Parsed.self) == .json([1]))
        let type = try #require(refused.error(as: anything.accepting(contentTypes: ["text/html"])))
        #expect(type.code == .unacceptableContentType)
        #expect(type.parsedBody == nil)
        let rule = try #require(refused.error(as: anything.requiring { _, _, _ in throw CancellationError() }))
        #expect(rule.code == .responseRefused)
        #expect(rule.parsedBody(as: Parsed.self) == .json([1]))
    }

    @Test func `a status that a compound serializer refuses is the error although no serializer can read it`() throws {
        let strict = Self.mixed.accepting(statusCodes: 200..<300)
        let error = try #require(ResponseExample(502, "text/html", "<p>").error(as: strict))
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.parsedBody == nil)
        let read = try #require(ResponseExample(502, "text/plain", "down").error(as: strict))
        #expect(read.parsedBody(as: Parsed.self) == .text("down"))
    }
}
