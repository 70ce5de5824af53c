import Foundation
import Testing

@testable import Bluebonnet

@Suite struct HTTPResponseSerializerTests {
    @Test func `the HTTP serializer returns the body unchanged`() throws {
        let example = ResponseExample(200, "any/thing", Data([0, 255, 1]))
        #expect(try example.serialized(as: .data) == Data([0, 255, 1]))
    }

    @Test func `a bad status has the body in its error, also as the parsed one`() {
        let error = ResponseExample(404, nil, "gone").error(as: .data)
        #expect(error?.code == .unacceptableStatusCode)
        #expect(error?.bodyString == "gone")
        #expect(error?.parsedBody as? Data == Data("gone".utf8))
    }

    @Test func `the serializer for unvalidated data accepts every response`() throws {
        #expect(try ResponseExample(500, "text/html", "x").serialized(as: .unvalidatedData) == Data("x".utf8))
    }

    @Test func `a serializer can be changed in place with a leading dot`() throws {
        #expect(try ResponseExample(404, nil, "x").serialized(as: .data.acceptingAnyStatus()) == Data("x".utf8))
        #expect(
            try ResponseExample(302, nil, "x").serialized(as: .data.accepting(statusCodes: 300..<400)) == Data("x".utf8)
        )
        #expect(
            ResponseExample(200, "a/b", "x").error(as: .data.accepting(contentTypes: ["c/d"]))?.code
                == .unacceptableContentType
        )
        #expect(
            try ResponseExample(200, "a/b", "{}").serialized(as: .json.acceptingAnyContentType()) == [:] as JSONValue
        )
        #expect(try ResponseExample(500, "a/b", "x").serialized(as: .string.validating(.none)) == "x")
    }
}
