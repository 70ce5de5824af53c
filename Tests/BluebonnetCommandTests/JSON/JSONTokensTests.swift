import Testing

@testable import BluebonnetCommand

@Suite struct JSONTokensTests {
    private func texts(_ text: String) -> [String] {
        let tokens = JSONTokens(Array(text.utf8))
        return tokens.map(tokens.text)
    }

    @Test func `tokens are the parts of the text as they are written`() {
        let text = #" {"a\"\\" : [1.50,-0, 1E+2 ,true],"a":null , "é": {} } "#
        #expect(
            texts(text) == [
                "{", #""a\"\\""#, ":", "[", "1.50", ",", "-0", ",", "1E+2", ",", "true", "]", ",", #""a""#, ":", "null",
                ",", #""é""#, ":", "{", "}", "}",
            ]
        )
    }

    @Test(
        arguments: [
            ("12", .number), ("-1", .number), ("null", .word), (#""x""#, .string), ("[", .open), ("{", .open),
            ("]", .close), ("}", .close), (":", .colon), (",", .comma),
        ] as [(String, JSONTokens.Token.Kind)]
    )
    func `each token has its kind`(text: String, kind: JSONTokens.Token.Kind) {
        #expect(JSONTokens(Array(text.utf8)).map(\.kind) == [kind])
    }

    @Test func `a byte-order mark is not a token`() {
        #expect(texts("\u{FEFF}[]") == ["[", "]"])
    }

    @Test(arguments: ["", " ", "\"", "\"a\\", "{\"a\"", "{\"a\":", "[[", "}", "nul"])
    func `text that is not JSON does not end the process`(text: String) {
        _ = texts(text)
        #expect(JSONTokens.members(of: Array(text.utf8), where: { _ in true }).count <= 1)
    }

    @Test func `members have their names decoded and their values as written, without white space`() {
        let text = #"{"a": [1.0, {"b" : "x y"}], "\u0062":1e2,"a":{} , "c":3}"#
        let members = JSONTokens.members(of: Array(text.utf8)) { $0 != "c" }
        #expect(members.map(\.name) == ["a", "b", "a"])
        #expect(members.map { String(decoding: $0.value, as: UTF8.self) } == [#"[1.0,{"b":"x y"}]"#, "1e2", "{}"])
    }
}
