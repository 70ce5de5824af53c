import Foundation
import Testing

@testable import Bluebonnet

struct JSONParsingTests {
    @Test(arguments: [
        "null", " true ", "false", "0", "-0", "1", "-1", "1.5", "1e5", "1E-5", "1e+5", "0.1e1", "123456789", "[]", "{}",
        "\n[ ]\t", "{ }", "[1]", "[1,2]", "[ 1 , 2 ]", "[[[]]]", #"{"a":1}"#, #"{ "a" : { "b" : [ ] } }"#, #""""#,
        #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001F\uABCD\uabcd""#, #""\uD834\uDD1E""#, "\"\u{7F}\u{80}\u{FFFF}\"",
        "\"\u{10FFFF}\"", #"{"":0}"#, #"{"a":1,"a":2}"#, "[1.7976931348623157e308]", "[4.9e-324]", "[-0.0]", "[1e400]",
        "[1e-400]", "[123456789012345678901234567890]", "[0.12345678901234567890123456789]", "\u{FEFF}[1]",
        #"["\\\\"]"#, #"["a\\"]"#, #"["0123456\n"]"#, #"["01234567","0123456789012345"]"#,
    ])
    func `every form of JSON that RFC 8259 defines is accepted`(text: String) throws {
        _ = try JSONValue(parsing: text)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "tru e", "'a'", "a", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1,,2]",
        "[1 2]", "[1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{1:1}"#, #"{"a":1 "b":2}"#, #"{"a" 1}"#,
        #"{"a":1]"#, #"{,"a":1}"#, "00", "01", "-01", "-", "+1", ".5", "1.", "1.e5", "1e", "1e+", "1.5.5", "0x10",
        "1_0",
        "NaN", "Infinity", "-Infinity", "--1", "\"", "\"a", "\"\\", "\"\\\"", #""\x""#, #""\u""#, #""\u12""#,
        #""\u12G4""#, #""\u 123""#, #""\uD800""#, #""\uD800x""#, #""\uD800\n""#, #""\uD800\u0041""#, #""\uDC00""#,
        #""\uD800\uD800""#, "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", "[1] 2", "[1][2]", "{}}", "1 1", "//x\n1",
        "/* */1", "[1]\u{0}", "\u{A0}1", "[1]\u{2028}", "\u{0C}1", "\u{B}1", "[\u{0}]", "@", "\u{FEFF}", "[1]\u{FEFF}",
    ])
    func `JSON that RFC 8259 does not define is refused`(text: String) {
        #expect(throws: JSONParsingError.self) { try JSONValue(parsing: text) }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xFF], [0xFE], [0xF0, 0x9F, 0x98], [0xE6, 0x97, 0x22],
        ] as [[UInt8]]
    )
    func `bytes of JSON that are not UTF-8 are refused with their place`(bytes: [UInt8]) throws {
        let text = Array("[\"ok\",\"".utf8) + bytes + Array("\"]".utf8)
        let error = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: text) }
        #expect(error.code == .encoding)
        #expect(error.path == "[1]")
        #expect(error.offset == 7)
    }

    @Test(arguments: [
        ("[1,\n 2,]", JSONParsingError.Code.syntax, 2, 4, "[2]"),
        (#"{"users":[1,{"name": tru}]}"#, .syntax, 1, 25, "users[1].name"),
        ("", .empty, 1, 1, ""),
        ("\n\n", .empty, 3, 1, ""),
        ("[1, [2,", .unexpectedEnd, 1, 8, "[1][1]"),
        (#"{"a": "b"#, .unexpectedEnd, 1, 9, "a"),
        ("[\r\n\r\n01]", .number, 3, 2, "[0]"),
        (#"["é日😀", x]"#, .syntax, 1, 9, "[1]"),
        (#"{"a" 1}"#, .syntax, 1, 6, "a"),
        (#"{"a":[],"b":{"c":"\q"}}"#, .string, 1, 20, "b.c"),
        ("[1] x", .syntax, 1, 5, ""),
        ("{\"a\":\"\t\"}", .string, 1, 7, "a"),
    ])
    func `a JSON parsing error names line, column and path`(
        text: String,
        code: JSONParsingError.Code,
        line: Int,
        column: Int,
        path: String
    ) throws {
        let error = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: text) }
        #expect(error.code == code)
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.path == path)
    }

    @Test func `a JSON parsing error reads as a sentence`() throws {
        let error = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: "{\"a\": [1, ?]}") }
        #expect(error.description == "Expected a JSON value but found '?' at line 1, column 11 (in a[1]).")
        #expect(error.localizedDescription == error.description)
    }

    @Test(arguments: ["k", "😀", "e\u{301}\u{302}", "\u{301}"])
    func `the path of a JSON parsing error is short however deep and long the keys are`(letter: String) throws {
        let key = String(repeating: letter, count: 5000)
        let text = String(repeating: "{\"\(key)\":", count: 500) + "?"
        let error = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: text) }
        #expect(error.path.unicodeScalars.count <= 20 * 62 + 1)
        #expect(error.path.contains("…"))
        let shallow = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: #"{"a":[{"b":{"c":?}}]}"#) }
        #expect(shallow.path == "a[0].b.c")
        let deep = String(repeating: "[", count: 30) + "?"
        #expect(throws: JSONParsingError.self) { try JSONValue(parsing: deep) }
    }

    @Test func `a deep JSON path shows its beginning and its end`() throws {
        let text = (0..<30).map { "{\"k\($0)\":" }.joined() + "?"
        let error = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: text) }
        #expect(error.path == "k0.k1.k2.k3.k4.k5.k6.k7.k8.k9…k20.k21.k22.k23.k24.k25.k26.k27.k28.k29")
    }

    @Test func `JSON nested up to the limit is parsed and one level more is an error`() throws {
        let text = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        _ = try JSONValue(parsing: text)
        let deeper = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: "[" + text + "]") }
        #expect(deeper.code == .tooDeep)
        _ = try JSONValue(parsing: "[" + text + "]", maximumDepth: 513)
        #expect(throws: JSONParsingError.self) { try JSONValue(parsing: "[[1]]", maximumDepth: 1) }
        #expect(throws: JSONParsingError.self) { try JSONValue(parsing: "[]", maximumDepth: 0) }
        #expect(try JSONValue(parsing: "1", maximumDepth: 0) == 1)
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
    func `a hundred thousand levels of JSON are an error whatever limit is asked for`(opening: String) throws {
        let text = String(repeating: opening, count: 100_000)
        let error = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: text, maximumDepth: .max) }
        #expect(error.code == .tooDeep)
    }

    @Test func `JSON of the greatest possible depth is parsed, compared, written and freed`() throws {
        let depth = JSONTape.largestDepth
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let value = try JSONValue(parsing: text, maximumDepth: depth)
        #expect(try value.string() == text)
        #expect(value == value.removingNulls())
    }

    @Test(arguments: ["1", "\"a\"", "null", " true"])
    func `a JSON fragment is refused when fragments are not allowed`(text: String) throws {
        let error = try #require(throws: JSONParsingError.self) {
            try JSONValue(parsing: text, allowsFragments: false)
        }
        #expect(error.code == .fragment)
        #expect(try JSONValue(parsing: "[\(text)]", allowsFragments: false).array?.count == 1)
    }

    @Test(arguments: [
        String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian, .utf8,
    ])
    func `JSON in UTF-16 and UTF-32 is recognised with and without a byte-order mark`(encoding: String.Encoding) throws
    {
        let text = #"{"name":"é日😀","list":[1,2]}"#
        for text in [text, "\u{FEFF}" + text] {
            let data = try #require(text.data(using: encoding))
            #expect(try JSONValue(parsing: data) == ["name": "é日😀", "list": [1, 2]])
        }
        let number = try #require("7".data(using: encoding))
        #expect(try JSONValue(parsing: number) == 7)
    }

    @Test func `random JSON documents are the same in every encoding`() throws {
        var generator = JSONGenerator(seed: 13)
        let encodings: [String.Encoding] = [
            .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian, .utf16, .utf32,
        ]
        for _ in 0..<60 {
            let text = generator.document()
            let expected = try JSONTape(parsing: text.utf8, maximumDepth: 512)
            for encoding in encodings {
                let data = try #require(text.data(using: encoding))
                #expect(try JSONTape(parsing: data, maximumDepth: 512).bytes == expected.bytes)
            }
        }
    }

    @Test(
        arguments: [
            [0x5B, 0x00, 0x22, 0x00, 0x00, 0xD8, 0x22, 0x00, 0x5D, 0x00], [0x5B, 0x00, 0x5D], [0xFF, 0xFE, 0x31],
            [0x00, 0x00, 0x00, 0x31, 0x00], [0x00, 0x11, 0x00, 0x00], [0xFF, 0xFE, 0x00, 0x00, 0x00, 0x00, 0x11, 0x00],
        ] as [[UInt8]]
    )
    func `malformed UTF-16 and UTF-32 in JSON is refused`(bytes: [UInt8]) {
        #expect(throws: JSONParsingError.self) { try JSONValue(parsing: bytes) }
    }

    @Test func `JSON is parsed from all kinds of byte collections`() throws {
        let text = "[1,\"a\"]"
        let expected: JSONValue = [1, "a"]
        #expect(try JSONValue(parsing: Data(text.utf8)) == expected)
        #expect(try JSONValue(parsing: Array(text.utf8)) == expected)
        #expect(try JSONValue(parsing: Array(text.utf8)[...]) == expected)
        #expect(try JSONValue(parsing: text.utf8) == expected)
        #expect(try JSONValue(parsing: Array(text.utf8).lazy.map { $0 }) == expected)
        #expect(try JSONValue(parsing: text.dropFirst(0)) == expected)
        var bytes = Array(text.utf8)
        // The buffer is not used after the closure.
        #expect(try unsafe bytes.withUnsafeMutableBytes { unsafe try JSONValue(parsing: $0) } == expected)
    }

    @Test(arguments: ["0", "[]", "{}", "\"\"", "[[0],0]", "{\"\":0}", "[[[[0]]]]"])
    func `the densest JSON documents have room on the tape`(element: String) throws {
        for count in [1, 2, 3, 100, 5000] {
            let text = "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
            #expect(try JSONValue(parsing: text, maximumDepth: 5).array?.count == count)
            #expect(throws: JSONParsingError.self) { try JSONValue(parsing: text.dropLast(), maximumDepth: 5) }
        }
    }

    @Test func `JSON strings of every length around a block keep their content`() throws {
        for length in 0..<40 {
            let text = String(repeating: "x", count: length)
            for (written, read) in [("", ""), ("\\n", "\n"), ("é", "é"), ("\\u00e9", "é"), ("😀", "😀")] {
                for value in [text + read, read + text] {
                    let json = value == text + read ? "\"\(text)\(written)\"" : "\"\(written)\(text)\""
                    #expect(try JSONValue(parsing: json) == .string(value))
                    #expect(try JSONValue(parsing: "{\(json):\(json)}") == [value: .string(value)])
                }
            }
        }
    }

    @Test func `the last of repeated JSON keys wins and has the place of the first`() throws {
        let value = try JSONValue(parsing: #"{"a":1,"b":2,"a":3,"\u0062":4}"#)
        #expect(value["a"] == 3)
        #expect(value["b"] == 4)
        #expect(value.description == #"{"a":3,"b":4}"#)
        let keys = (0..<300).map { "\"k\($0 % 100)\":\($0)" }.joined(separator: ",")
        let large = try #require(try JSONValue(parsing: "{\(keys)}").object)
        #expect(large.count == 100)
        #expect(large["k7"] == 207)
    }

    @Test func `random JSON documents are parsed as by Foundation's decoder`() throws {
        var generator = JSONGenerator(seed: 1)
        var compared = 0
        for _ in 0..<600 {
            let text = generator.document()
            let expected = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
            let value = try JSONValue(parsing: text)
            // Foundation refuses the few numbers that no type of the standard library holds.
            guard let expected else { continue }
            #expect(value == expected, "\(text)")
            compared += 1
        }
        #expect(compared > 550, "\(compared)")
    }

    @Test func `damaged JSON documents are refused exactly when Foundation refuses them`() throws {
        var generator = JSONGenerator(seed: 2)
        var refused = 0
        for _ in 0..<3000 {
            let bytes = generator.mutated(generator.document(depth: 3))
            let foundation = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
            do {
                // RFC 8259 §6 allows numbers beyond every double; Foundation refuses them.
                if Self.hasNumberBeyondDoubles(try JSONValue(parsing: bytes)) { continue }
                #expect(foundation != nil, "\(bytes)")
            } catch {
                refused += 1
                // Foundation accepts a comma at the end of an object, against RFC 8259 §4.
                if error.message.hasPrefix("Expected another element after ','") { continue }
                #expect(foundation == nil, "\(bytes)")
            }
        }
        #expect(refused > 500)
    }

    private static func hasNumberBeyondDoubles(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let number): number.double == nil
        case .array(let array): array.contains(where: hasNumberBeyondDoubles)
        case .object(let object): object.values.contains(where: hasNumberBeyondDoubles)
        default: false
        }
    }

    @Test func `random bytes do not crash the JSON parser`() {
        var generator = JSONGenerator(seed: 3)
        let alphabet = Array("[]{}\",:\\u0123eE+-.tfn \n".utf8) + [0, 0x80, 0xC3, 0xE2, 0xF0, 0xFF, 0xED]
        for _ in 0..<20000 {
            let bytes = (0..<Int(generator.next() % 24)).map { _ in generator.pick(alphabet) }
            _ = try? JSONValue(parsing: bytes)
        }
    }
}
