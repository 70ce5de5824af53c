import Foundation
import Testing

@testable import Bluebonnet

struct JSONValueCodableTests {
    private struct Envelope: Codable, Equatable {
        var name: String
        var extra: JSONValue
        var maybe: JSONValue?
    }

    @Test func `a JSONValue inside a type is decoded by every decoder`() throws {
        let text = #"{"name":"n","extra":{"a":[1,2.5,null,"x",true],"big":18446744073709551615}}"#
        let expected = Envelope(
            name: "n",
            extra: ["a": [1, 2.5, nil, "x", true], "big": JSONValue(UInt64.max)],
            maybe: nil
        )
        #expect(try JSONDecoder().decode(Envelope.self, from: Data(text.utf8)) == expected)
        #expect(try JSONBodyDecoder().decode(Envelope.self, from: text.utf8) == expected)
    }

    @Test func `a JSONValue that Foundation encodes is decoded as the same value`() throws {
        let value: JSONValue = ["a": [1, 2.5, nil, "x", true, [:], []], "i": JSONValue(Int64.min), "d": 0.1]
        let json = try JSONEncoder().encode(value)
        #expect(try JSONValue(parsing: json) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: json) == value)
        let list = try PropertyListEncoder().encode(["v": JSONValue(["a": [1, "x", true]])])
        #expect(try PropertyListDecoder().decode([String: JSONValue].self, from: list)["v"]?["a"]?[1] == "x")
    }

    @Test func `a long JSON number reaches Foundation's encoder as a decimal`() throws {
        let value = try JSONValue(parsing: "[123456789012345678901234567890]")
        #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == value.description)
        let endless = try JSONValue(parsing: "[1e400]")
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(endless) }
    }

    @Test func `JSONNumber and JSONObject are decoded and encoded without a JSONValue`() throws {
        struct Pair: Codable, Equatable { var number: JSONNumber, object: JSONObject }
        let text = #"{"number":12345678901234567890,"object":{"b":1,"a":[]}}"#
        let pair = try JSONBodyDecoder().decode(Pair.self, from: text.utf8)
        #expect(pair.number.uint64 == 12_345_678_901_234_567_890)
        #expect(pair.object.keys == ["b", "a"])
        #expect(try JSONDecoder().decode(Pair.self, from: JSONEncoder().encode(pair)) == pair)
        #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode([JSONObject].self, from: "[1]".utf8) }
        #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode([JSONNumber].self, from: "[{}]".utf8) }
    }

    @Test(
        arguments: [
            ("true", true), ("false", false), ("yes", "yes"), ("1", 1), ("-12", -12), ("1.50", 1.5), ("1e3", 1000),
            ("12345678901234567890123", JSONValue.number(JSONNumber(text: "12345678901234567890123") ?? 0)),
            ("007", "007"), ("0x1F", "0x1F"), ("nan", "nan"), ("inf", "inf"), ("+1", "+1"), (" 1", " 1"), ("", ""),
            ("a", "a"),
        ] as [(String, JSONValue)]
    )
    func `a JSONValue from a decoder of text scalars has the type of the text`(text: String, expected: JSONValue)
        throws
    {
        #expect(try JSONValue(from: TextDecoder(text: text)) == expected)
    }

    @Test(arguments: ["\"true\"", "\"1\"", "\"1.5\"", "\"-0\""])
    func `a JSONValue string stays a string where the decoder knows strings`(text: String) throws {
        let list = Data("[\(text)]".utf8)
        #expect(try JSONDecoder().decode(JSONValue.self, from: list) == JSONValue(parsing: list))
        #expect(try JSONBodyDecoder().decode(JSONValue.self, from: list) == JSONValue(parsing: list))
    }

    @Test func `an Encodable becomes a JSONValue`() throws {
        #expect(try JSONValue(encoding: Envelope(name: "n", extra: [1, nil])) == ["name": "n", "extra": [1, nil]])
        #expect(try JSONValue(encoding: JSONValue("x")) == "x")
        #expect(try JSONValue(encoding: [1.5, 2]) == [1.5, 2])
    }

    @Test func `a type is decoded from a JSONValue`() throws {
        let value: JSONValue = ["name": "n", "extra": [1]]
        #expect(try JSONBodyDecoder().decode(Envelope.self, from: value) == Envelope(name: "n", extra: [1]))
    }
}

/// Holds one scalar as text, and reads it as any type, as decoders of YAML and of environment
/// variables do.
private struct TextDecoder: Decoder, SingleValueDecodingContainer {
    struct Refusal: Error {}

    let text: String
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw Refusal() }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refusal() }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { false }

    private func value<T: LosslessStringConvertible>(_ type: T.Type) throws -> T {
        guard let value = T(text) else { throw Refusal() }
        return value
    }

    func decode(_ type: Bool.Type) throws -> Bool { try value(type) }
    func decode(_ type: String.Type) throws -> String { text }
    func decode(_ type: Double.Type) throws -> Double { try value(type) }
    func decode(_ type: Float.Type) throws -> Float { try value(type) }
    func decode(_ type: Int.Type) throws -> Int { try value(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try value(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try value(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try value(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try value(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try value(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try value(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try value(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try value(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try value(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { throw Refusal() }
}
