import Foundation
import Testing

@testable import Bluebonnet

struct JSONValueCodableTests {
    private struct Envelope: Codable, Equatable {
        var name: String
        var extra: JSONValue
        var maybe: JSONValue?
    }

    @Test func `a value inside a type is decoded by every decoder`() throws {
        let text = #"{"name":"n","extra":{"a":[1,2.5,null,"x",true],"big":18446744073709551615}}"#
        let expected = Envelope(
            name: "n",
            extra: ["a": [1, 2.5, nil, "x", true], "big": JSONValue(UInt64.max)],
            maybe: nil
        )
        #expect(try JSONDecoder().decode(Envelope.self, from: Data(text.utf8)) == expected)
        #expect(try JSONBodyDecoder().decode(Envelope.self, from: text.utf8) == expected)
    }

    @Test func `a value goes through Foundation's encoders and comes back`() throws {
        let value: JSONValue = ["a": [1, 2.5, nil, "x", true, [:], []], "i": JSONValue(Int64.min), "d": 0.1]
        let json = try JSONEncoder().encode(value)
        #expect(try JSONValue(parsing: json) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: json) == value)
        let list = try PropertyListEncoder().encode(["v": JSONValue(["a": [1, "x", true]])])
        #expect(try PropertyListDecoder().decode([String: JSONValue].self, from: list)["v"]?["a"]?[1] == "x")
    }

    @Test func `a long number reaches Foundation's encoder as a decimal`() throws {
        let value = try JSONValue(parsing: "[123456789012345678901234567890]")
        #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == value.description)
        let endless = try JSONValue(parsing: "[1e400]")
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(endless) }
    }

    @Test func `numbers and objects are decoded and encoded by themselves`() throws {
        struct Pair: Codable, Equatable { var number: JSONNumber, object: JSONObject }
        let text = #"{"number":12345678901234567890,"object":{"b":1,"a":[]}}"#
        let pair = try JSONBodyDecoder().decode(Pair.self, from: text.utf8)
        #expect(pair.number.uint64 == 12_345_678_901_234_567_890)
        #expect(pair.object.keys == ["b", "a"])
        #expect(try JSONDecoder().decode(Pair.self, from: JSONEncoder().encode(pair)) == pair)
        #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode([JSONObject].self, from: "[1]".utf8) }
        #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode([JSONNumber].self, from: "[{}]".utf8) }
    }

    @Test func `an encodable value becomes a JSON value`() throws {
        #expect(try JSONValue(encoding: Envelope(name: "n", extra: [1, nil])) == ["name": "n", "extra": [1, nil]])
        #expect(try JSONValue(encoding: JSONValue("x")) == "x")
        #expect(try JSONValue(encoding: [1.5, 2]) == [1.5, 2])
    }

    @Test func `a type is decoded from a value`() throws {
        let value: JSONValue = ["name": "n", "extra": [1]]
        #expect(try JSONBodyDecoder().decode(Envelope.self, from: value) == Envelope(name: "n", extra: [1]))
    }
}
