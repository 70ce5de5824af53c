import Foundation
import Testing

@testable import Bluebonnet

/// The rules of the public suites for JSON parsers, on our own texts. As in these suites, the names
/// begin with `y` for JSON that RFC 8259 allows, with `n` for JSON that it does not allow, and with
/// `i` for JSON that it leaves open: the result must always be the same.
struct JSONConformanceTests {
    // MARK: Must be accepted

    @Test(arguments: [
        // Structure
        "[]", "{}", "[[]   ]", "[\"\"]", "[ 4]", "[1\n]", " [1]", "[1,null,null,null,2]", "[true]", "[2] ",
        "\t[\r\n]\t",
        "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}", "{\"a\":\"b\",\"a\":\"c\"}", "{\"a\":\"b\",\"a\":\"b\"}", "{\"\":0}",
        "{\"foo\\u0000bar\": 42}", "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }", "{\"a\":[]}", "{\n\"a\": \"b\"\n}",
        "{\"x\":[{\"id\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}], \"id\":\"yyyyyyyyyyyyyyyyyyyyyyyyyyyyy\"}",
        // Words and numbers alone
        "false", "42", "-0.1", "null", "\"asd\"", "true", "\"\"", "0", "-0", "0e0", "1e0",
        // Numbers
        "[123e65]", "[0e+1]", "[0e1]", "[20e1]", "[-0.000000000000000000000000000000000000000000000000000000000001]",
        "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]", "[1e+2]", "[123]",
        "[123.456789]", "[18446744073709551616]", "[1e00000000000000000001]", "[0.1e-00]",
        // Strings
        #"["\u0060\u012a\u12AB"]"#, #"["\uD801\udc37"]"#, #"["\ud83d\ude39\ud83d\udc8d"]"#, #"["\"\\\/\b\f\n\r\t"]"#,
        #"["\\u0000"]"#, #"["\""]"#, "[\"a/*b*/c/*d//e\"]", #"["\\a"]"#, #"["\\n"]"#, #"["\u0012"]"#, #"["\uFFFF"]"#,
        "[ \"asd\"]", #"["\uDBFF\uDFFF"]"#, #"["new\u00A0line"]"#, "[\"\u{10FFFF}\"]", "[\"\u{FFFF}\"]", #"["\u0000"]"#,
        #"["\u002c"]"#, "[\"π\"]", "[\"\u{1BFFF}\"]", "[\"asd \"]", #"" ""#, "[\"\u{2028}\u{2029}\"]", "[\"\u{7F}\"]",
        #"["\u0821"]"#, #"["\u0123"]"#, #"["\u0061\u30af\u30EA\u30b9"]"#, "[\"€𝄞\"]", #"["\uA66D"]"#, "[\"⍂㈴⍂\"]",
        #"["\u200B"]"#, #"["\u2064"]"#, #"["\uFDD0"]"#, #"["\uFFFE"]"#, #"["\uD83F\uDFFE"]"#, #"["\u005C"]"#,
        #"["\u0022"]"#,
    ])
    func `y: JSON that the RFC allows is accepted`(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(try JSONValue(parsing: value.string()) == value)
        _ = try JSONBodyDecoder().decode(JSONValue.self, from: text.utf8)
    }

    // MARK: Must be refused

    @Test(arguments: [
        // Arrays
        "[1 true]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]", "[\"\",]", "[\"x\"", "[x",
        "[3[4]]",
        "[1:2]", "[,]", "[-]", "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]", "[1,,]", "[\"\u{0B}a\"\\f]", "[*]", "[\"\"",
        "[1,", "[1,\n1\n,1", "[{}", "[\"a\" \"b\"]", "[[1,2]", "[1}", "[1;2]", "[(1)]", "[<null>]", "[][]", "]", "[[",
        // Words
        "[fals]", "[nul]", "[tru]", "[True]", "[TRUE]", "[undefined]", "[truefalse]", "[nu ll]", "nan", "[None]",
        // Numbers
        "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]", "[0.1.2]", "[0.3e+]",
        "[0.3e]", "[0.e1]", "[0E+]", "[0E]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1 000.0]", "[1eE2]", "[2.e+3]",
        "[2.e-3]",
        "[2.e3]", "[9.e+]", "[Inf]", "[NaN]", "[\u{FF11}]", "[1+2]", "[0x1]", "[0x42]", "[Infinity]", "[0e+-1]",
        "[-123.123foo]", "[123\u{0}]", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]", "[-1x]", "[1ea]", "[1a]",
        "[1.]", "[.123]", "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", "[1e1.5]", "[1_000]", "[1f]", "[0b1]",
        "[0o7]",
        // Objects
        "[\"x\", truth]", "{[: \"x\"}", "{\"x\", null}", "{\"x\"::\"b\"}", "{🇨🇭}", "{\"a\":\"a\" 123}", "{key: 'value'}",
        "{\"a\" b}", "{:\"b\"}", "{\"a\":", "{\"a\"", "{1:1}", "{9999E9999:1}", "{null:null,null:null}",
        "{\"id\":0,,,,,}", "{'a':0}", "{\"id\":0,}", "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}//", "{\"a\":\"b\"}/",
        "{,\"a\":1}",
        "{\"a\":\"b\",,\"c\":\"d\"}", "{a: \"b\"}", "{\"a\":\"a", "{ \"foo\" : \"bar\", \"a\" }", "{\"a\":\"b\"}#",
        "{{}",
        "{\"a\":1,1}", "{\"a\":1 \"b\":2}", "{\"a\"=1}", "{\"a\":[}", "{\"a\":1]}", "{\"a\":\"b\"", "{}}", "{", "}",
        // Strings
        #"["\uD800\"]"#, #"["\uD800\u"]"#, #"["\uD800\u1"]"#, #"["\uD800\u1x"]"#, "[é]", "[\"\\\u{0}\"]", #"["\x00"]"#,
        #"["\\\"]"#, "[\"\\\t\"]", "[\"\\🌀\"]", #"["\"]"#, #"["\u00A"]"#, #"["\uD834\uDd"]"#, #"["\uD800\uD800\x"]"#,
        #"["\a"]"#, #"["\uqqqq"]"#, "[\\n]", "\"", "['single']", "abc", "[\"\\", "[\"a\u{0}a\"]", "[\"new\nline\"]",
        "[\"\t\"]", "\"\\UA66D\"", "\"\"x", "[\"\u{1F}\"]", "[“x”]", "[`x`]", #"["\'"]"#, #"["\0"]"#, #"["\v"]"#,
        // Everything else
        "<.>", "[<null>]", "[1]x", "[1]]", "[\"asd]", "aå", "[True]", "1]", "{\"x\": true,", "[][", "]", "2@", "{}{}",
        "{\"\":", "{\"a\":/*comment*/\"b\"}", "{\"a\": true} \"x\"", "['", "[,", "[{", "[\"a", "[\"a\"", "{]", "{,",
        "{[", "{\"a",
        "{'a'", "[\"\\{[\"\\{[\"\\{[\"\\{", "é", "*", "{\"a\":\"b\"}#{}", "[\\u000A\"\"]", "[1", "[ false, nul",
        "[ true, fals",
        "[ false, tru", "{\"asd\":\"asd\"", "\u{2060}", "[\u{2060}]", "[\u{0C}]", "\u{FEFF}", "[\u{A0}1]", "[\u{3000}]",
    ])
    func `n: JSON that the RFC does not allow is refused with a place`(text: String) throws {
        let error = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: text) }
        #expect(error.line >= 1 && error.column >= 1)
        #expect((0...text.utf8.count).contains(error.offset))
        #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode(JSONValue.self, from: text.utf8) }
    }

    @Test func `n: every incomplete beginning of a JSON document is refused`() {
        let text = #"{"a":[1.5e-3,true,null,"\u00e9\n",{"":-0}],"b":"x"}"#
        for length in 0..<text.utf8.count {
            #expect(throws: JSONParsingError.self) { try JSONValue(parsing: text.utf8.prefix(length)) }
        }
    }

    @Test func `n: open JSON brackets without end are an error, not a crash`() {
        for opening in ["[", "{\"\":", "[[],", "[{\"a\":[{},"] {
            let text = String(repeating: opening, count: 100_000)
            #expect(throws: JSONParsingError.self) { try JSONValue(parsing: text, maximumDepth: .max) }
            #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode([JSONValue].self, from: text.utf8) }
        }
        let closed = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(throws: JSONParsingError.self) { try JSONValue(parsing: closed) }
    }

    // MARK: Left open

    @Test(
        arguments: [
            // Numbers beyond a double are kept as they are written, and have no double value.
            ("[123.456e-789]", "[123.456e-789]"), ("[0.4e0066996543265432]", "[0.4e0066996543265432]"),
            ("[-1e+9999]", "[-1e+9999]"), ("[1.5e+9999]", "[1.5e+9999]"), ("[-123123e100000]", "[-123123e100000]"),
            ("[123123123123123123123123123123]", "[123123123123123123123123123123]"),
            ("[100000000000000000000]", "[100000000000000000000]"),
            (
                "[-237462374673276894279832749832423479823246327846]",
                "[-237462374673276894279832749832423479823246327846]"
            ),
            // Of a repeated key the last value wins here.
            ("{\"a\":1,\"a\":2}", "{\"a\":2}"),
            // A byte-order mark may come first.
            ("\u{FEFF}{}", "{}"), ("\u{FEFF}[1]", "[1]"),
            // Noncharacters of Unicode are accepted.
            ("[\"\u{FFFF}\"]", "[\"\u{FFFF}\"]"), (#"["\uFFFF"]"#, "[\"\u{FFFF}\"]"),
        ]
    )
    func `i: JSON that the RFC leaves open is accepted, always in the same way`(text: String, written: String) throws {
        #expect(try JSONValue(parsing: text).string() == written)
    }

    @Test(
        arguments: [
            // Half a pair of surrogates, in every position.
            #"["\uDADA"]"#, #"["\uD888\u1234"]"#, #"["\uD800\n"]"#, #"["\uDd1ea"]"#, #"["\uD800\uD800\n"]"#,
            #"["\ud800"]"#,
            #"["\ud800abc"]"#, #"["\uDd1e\uD834"]"#, #"["\uDFAA"]"#,
        ]
    )
    func `i: half a surrogate pair in JSON is refused`(text: String) throws {
        let error = try #require(throws: JSONParsingError.self) { try JSONValue(parsing: text) }
        #expect(error.code == .string)
        #expect(error.path == "[0]")
    }

    @Test(
        arguments: [
            // Not UTF-8: overlong forms, lone continuations, surrogates, beyond the last scalar,
            // ISO-8859-1, cut off.
            [0x22, 0xE6, 0x97, 0xA5, 0xD1, 0x88, 0xFA, 0x22], [0x5B, 0x22, 0xFF, 0x22, 0x5D], [0x22, 0x81, 0x22],
            [0x22, 0xF4, 0xBF, 0xBF, 0xBF, 0x22], [0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22],
            [0x22, 0xE0, 0xFF, 0x22],
            [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x5B, 0x22, 0xE9, 0x22, 0x5D], [0x22, 0xC3],
            [0xE5], [0x7B, 0x22, 0xB9, 0x22, 0x3A, 0x30, 0x7D], [0x5B, 0x61, 0xE5, 0x5D], [0x31, 0xE5],
            [0x5B, 0x31, 0xE5, 0x5D],
            [0xEF, 0xBB, 0x7B, 0x7D], [0xFF, 0xFE], [0xFE, 0xFF, 0x00], [0xFF, 0xFE, 0x5B],
        ] as [[UInt8]]
    )
    func `i: bytes in JSON that are not Unicode are refused`(bytes: [UInt8]) {
        #expect(throws: JSONParsingError.self) { try JSONValue(parsing: bytes) }
        #expect(throws: DecodingError.self) { try JSONBodyDecoder().decode(JSONValue.self, from: bytes) }
    }

    @Test func `i: five hundred levels of JSON are parsed`() throws {
        let text = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(try JSONValue(parsing: text).string() == text)
        #expect(try JSONBodyDecoder().decode(JSONValue.self, from: text.utf8).string() == text)
    }
}
