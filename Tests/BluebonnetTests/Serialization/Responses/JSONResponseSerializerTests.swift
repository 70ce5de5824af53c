import Foundation
import Testing

@testable import Bluebonnet

@Suite struct JSONResponseSerializerTests {
    @Test func `a JSON response is parsed`() throws {
        let example = ResponseExample(200, "application/json; charset=utf-8", #"{"a": [1, null, "x"]}"#)
        #expect(try example.serialized(as: .json) == ["a": [1, nil, "x"]] as JSONValue)
    }

    @Test(arguments: ["", " "])
    func `an empty JSON response and one space are null and not an error`(_ body: String) throws {
        #expect(try ResponseExample(200, "application/json", body).serialized(as: .json) == .null)
    }

    @Test func `two spaces are not a JSON response`() {
        #expect(ResponseExample(200, "application/json", "  ").error(as: .json)?.code == .responseSerializationFailed)
    }

    @Test func `nulls are removed from a JSON response when asked`() throws {
        let example = ResponseExample(200, "text/json", #"{"a": null, "b": [null, {"c": null, "d": 1}]}"#)
        #expect(
            try example.serialized(as: JSONResponseSerializer(removesKeysWithNullValues: true)) == ["b": [["d": 1]]]
                as JSONValue
        )
        #expect(try example.serialized(as: .json) == ["a": nil, "b": [nil, ["c": nil, "d": 1]]] as JSONValue)
    }

    @Test(arguments: ["\"x\"", "1", "true", "null"])
    func `a JSON response may be a fragment unless told otherwise`(_ body: String) throws {
        let example = ResponseExample(200, "application/json", body)
        _ = try example.serialized(as: .json)
        let error = example.error(as: JSONResponseSerializer(allowsFragments: false))
        #expect(error?.code == .responseSerializationFailed)
    }

    @Test func `a response that is not JSON is an error with its place`() throws {
        let error = try #require(ResponseExample(200, "application/json", "{\"a\": 1,\n oops}").error(as: .json))
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.hasPrefix("The response is not valid JSON: "))
        #expect(error.message.contains("line 2"))
        #expect((error.underlying as? JSONParsingError)?.line == 2)
        #expect(error.bodyString == "{\"a\": 1,\n oops}")
        #expect(error.response != nil && error.request != nil)
        #expect(error.number == 3840)
    }

    @Test func `the depth of a JSON response is limited`() {
        var serializer = JSONResponseSerializer()
        serializer.maximumDepth = 2
        let error = ResponseExample(200, "application/json", "[[[1]]]").error(as: serializer)
        #expect((error?.underlying as? JSONParsingError)?.code == .tooDeep)
    }

    @Test func `a bad status still has its JSON body parsed`() throws {
        let error = try #require(ResponseExample(422, "application/json", #"{"field": "name"}"#).error(as: .json))
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.parsedBody as? JSONValue == ["field": "name"])
        #expect(error.underlying == nil)
    }

    @Test func `a bad status with a body that is not JSON has the parsing error as the outer one`() throws {
        let error = try #require(ResponseExample(500, "application/json", "oops").error(as: .json))
        #expect(error.code == .responseSerializationFailed)
        #expect((error.underlying as? NetworkingError)?.code == .unacceptableStatusCode)
        #expect(error.contains(.unacceptableStatusCode))
        #expect(error.parsedBody == nil)
    }

    @Test(arguments: ["", " "])
    func `a bad status with an empty body is the status error alone`(_ body: String) throws {
        let error = try #require(ResponseExample(500, "application/json", body).error(as: .json))
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.underlying == nil)
    }

    @Test(arguments: [200, 404])
    func `a response with a wrong content type is not parsed as JSON`(_ status: Int) throws {
        let error = try #require(ResponseExample(status, "text/html", #"{"a": 1}"#).error(as: .json))
        #expect(error.contains(.unacceptableContentType))
        #expect(error.parsedBody == nil)
        #expect(error.code == (status == 200 ? .unacceptableContentType : .unacceptableStatusCode))
    }

    @Test(
        arguments: [
            ("application/json; charset=gbk", Data([0x22, 0xC4, 0xE3, 0x22]), "你"),
            ("application/json; charset=shift_jis", Data([0x22, 0x93, 0xFA, 0x22]), "日"),
            ("application/json; charset=iso-8859-1", Data([0x22, 0xFC, 0x22]), "ü"),
            ("application/json; charset=windows-1252", Data([0x22, 0x80, 0x22]), "€"),
            // The default charset of a framework, with a body that is UTF-8.
            ("application/json; charset=iso-8859-1", Data("\"ü\"".utf8), "ü"),
            ("application/json; charset=us-ascii", Data("\"ü\"".utf8), "ü"),
            ("application/json; charset=utf-16le", Data([0x22, 0, 0x41, 0, 0x22, 0]), "A"),
        ]
    )
    func `a JSON response in another charset is parsed`(_ type: String, _ body: Data, _ text: String) throws {
        let example = ResponseExample(200, type, body)
        #expect(try example.serialized(as: .json) == .string(text))
        #expect(try example.serialized(as: .decodable(String.self)) == text)
        #expect(try example.serialized(as: .decodable(String.self, decoder: JSONDecoder())) == text)
    }

    @Test func `a JSON response that is not in its charset, or in an unknown one, is an error`() throws {
        let invalid = ResponseExample(200, "application/json; charset=euc-kr", Data([0x22, 0xFF, 0x22]))
        for error in [invalid.error(as: .json), invalid.error(as: .decodable(String.self))] {
            #expect(error?.code == .responseSerializationFailed)
            #expect(error?.message == "The response is not valid EUC-KR, the charset that its Content-Type names.")
            #expect(error?.body == invalid.body)
        }
        let unknown = ResponseExample(200, "application/json; charset=nonsense", "1").error(as: .json)
        #expect(unknown?.message == "The response is text in the unknown charset “nonsense”.")
        var serializer = JSONResponseSerializer()
        serializer.charset = .utf8
        #expect(try ResponseExample(200, "application/json; charset=nonsense", "1").serialized(as: serializer) == 1)
    }

    @Test func `a custom prefix is removed from a JSON response that has it`() throws {
        var serializer = JSONResponseSerializer()
        serializer.preprocessor = .removingPrefix(Data("while(1);".utf8))
        #expect(try ResponseExample(200, "application/json", "while(1);[1]").serialized(as: serializer) == [1])
        #expect(try ResponseExample(200, "application/json", "[1]").serialized(as: serializer) == [1])
        let other = ResponseExample(200, "application/json", ")]}',\n[1]").error(as: serializer)
        #expect(other?.code == .responseSerializationFailed)
    }

    @Test func `a prefix against script inclusion is removed from a JSON response when asked`() throws {
        let example = ResponseExample(200, "application/json", ")]}',\n[1]")
        var serializer = JSONResponseSerializer()
        serializer.preprocessor = .removingXSSIPrefix
        #expect(try example.serialized(as: serializer) == [1])
        #expect(try ResponseExample(200, "application/json", "[1]").serialized(as: serializer) == [1])
        var decodable = DecodableResponseSerializer<[Int]>()
        decodable.preprocessor = .removingXSSIPrefix
        #expect(try example.serialized(as: decodable) == [1])
        #expect(example.error(as: .json)?.code == .responseSerializationFailed)
    }
}
