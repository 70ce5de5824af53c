import Testing

@testable import BluebonnetCommand

@Suite struct TerminalTextTests {
    private func text(_ pieces: [[UInt8]]) -> String {
        var shown = TerminalText()
        return pieces.map { shown.text(of: $0) }.joined() + shown.finish()
    }

    @Test(arguments: [
        ("a\tb\nc", "a\tb\nc"), ("a\r\nb", "a\nb"), ("a\rb", "a\u{FFFD}b"), ("a\r", "a\u{FFFD}"),
        ("\u{1B}]0;title\u{07}", "\u{FFFD}]0;title\u{FFFD}"), ("\u{9B}2J\u{7F}", "\u{FFFD}2J\u{FFFD}"),
        ("a\u{202E}b\u{2066}", "a\u{FFFD}b\u{FFFD}"), ("שלום\u{200F} 👩‍🚀", "שלום\u{200F} 👩‍🚀"),
    ])
    func `a text on a terminal has no characters that steer it, and line ends are LF`(body: String, expected: String) {
        #expect(text([Array(body.utf8)]) == expected)
    }

    @Test func `characters and line ends may be cut between pieces`() {
        let body = Array("é€😀\r\nx".utf8)
        #expect(text(body.map { [$0] }) == "é€😀\nx")
        #expect(text([[0xE2, 0x82]]) == "\u{FFFD}")
        #expect(text([[0x80, 0x80, 0x80, 0x80, 0x80], [0x41]]).hasSuffix("A"))
    }

    @Test(
        arguments: [
            ("text", .unknown, false), ("a\0b", .text, true), ("a\u{01}", .unknown, true), ("a\u{01}", .text, false),
            ("\u{1B}[1mx\u{0C}", .unknown, false),
        ] as [(String, BodyKind, Bool)]
    )
    func `a body is binary when its bytes are not text`(body: String, kind: BodyKind, isBinary: Bool) {
        #expect(TerminalText.isBinary(body.utf8, kind) == isBinary)
    }

    @Test func `a body without a type that is not UTF-8 is binary, a text in another charset is not`() {
        #expect(TerminalText.isBinary([0x63, 0xE9, 0x21], .unknown))
        #expect(!TerminalText.isBinary([0x63, 0xE9, 0x21], .text))
        #expect(!TerminalText.isBinary(Array("é".utf8).dropLast(), .unknown))
    }
}
