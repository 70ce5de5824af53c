import Testing

@testable import BluebonnetCommand

@Suite struct ShellWordsTests {
    private func words(_ line: String) throws -> [String] {
        try ShellWords(line).words.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("a b  c\td", ["a", "b", "c", "d"]), ("", []), ("''", [""]), (#""""#, [""]), ("$''", [""]),
        ("'a b'c", ["a bc"]), (#"a'b'"c"\d"#, ["abcd"]), (#"'a\b'"#, [#"a\b"#]), (#""a\"b\\c\d\$e""#, [#"a"b\c\d$e"#]),
        ("a \\\n b", ["a", "b"]), ("a\\\nb", ["ab"]), ("a \\\r\n b", ["a", "b"]), ("\"a\\\nb\"", ["ab"]),
        ("'a\nb'", ["a\nb"]), ("a\n\n", ["a"]), ("\n a", ["a"]), (#"\ a"#, [" a"]), ("a # b", ["a"]), ("a#b", ["a#b"]),
        ("$ a", ["$", "a"]), ("a$", ["a$"]), ("'$HOME `x` $(y)'", ["$HOME `x` $(y)"]),
        ("a?b*c[d]~e{f}", ["a?b*c[d]~e{f}"]),
        (#"$'a\nb\tc\'d\"e\\f'"#, ["a\nb\tc'd\"e\\f"]), (#"$'\x41\101\u00e9\U0001F600\e\ca'"#, ["AAé😀\u{1B}\u{1}"]),
        (#"$'\x4\q\u'"#, ["\u{4}\\q\\u"]), (#"$'\x411'"#, ["A1"]), ("é 'ü'", ["é", "ü"]),
        ("\"a\u{301}\"", ["a\u{301}"]),
    ])
    func `a line is split as bash splits it`(line: String, expected: [String]) throws {
        #expect(try words(line) == expected)
    }

    @Test(.timeLimit(.minutes(1)))
    func `megabytes of data in a line are read in place`() throws {
        let quoted = String(repeating: #"a\\"#, count: 500_000)
        let escaped = String(repeating: #"\141"#, count: 500_000)
        let words = try ShellWords("curl \"\(quoted)\" $'\(escaped)'").words
        #expect(words.map(\.count) == [4, 1_000_000, 500_000])
    }

    @Test func `a tilde in front of a word is the home folder`() throws {
        let words = try ShellWords("~ ~/a a~ '~/b' \\~/c", home: "/home/ada").words
        #expect(words.map { String(decoding: $0, as: UTF8.self) } == ["/home/ada", "/home/ada/a", "a~", "~/b", "~/c"])
        #expect(throws: CommandFailure.self) { try ShellWords("~bob/a", home: "/home/ada") }
    }

    @Test func `bytes that are no text stay as they are`() throws {
        #expect(try ShellWords(#"$'\xff\x80a'"#).words == [[0xFF, 0x80, 0x61]])
    }

    @Test(arguments: [
        ("a | b", "“|”"), ("a&b", "“&”"), ("a;b", "“;”"), ("a > b", "“>”"), ("a\nb", "more than one command"),
        ("$HOME", "variable"), ("\"${A}\"", "variable"), ("`a`", "variable"), ("\"$(a)\"", "variable"),
        ("'a", "not closed"),
        ("\"a", "not closed"), ("$'a", "not closed"), (#"$'\x00'"#, "NUL"), (#"$'\c@'"#, "NUL"),
        (#"$'\400'"#, "NUL"), (#"$'\u0000'"#, "NUL"), (#"$'\ud83d'"#, "half of a character"),
        ("curl ^\r\n a", "Windows"), ("curl ^\"a^\"", "Windows"),
    ])
    func `what only a shell can do is refused`(line: String, part: String) {
        let error = #expect(throws: CommandFailure.self) { try ShellWords(line) }
        #expect(error?.status == .usage && error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
}
