import Testing

@testable import BluebonnetCommand

@Suite struct HeaderValueTests {
    @Test(arguments: [
        (" a", "a"), ("a \t", "a"), ("\t a b \t", "a b"), ("a\t b", "a\t b"), (" ", ""), ("", ""), ("a\n", "a\n"),
        (" \u{301}a", "\u{301}a"), ("a\t\u{200D}", "a\t\u{200D}"),
    ])
    func `the white space around a header value is removed`(value: String, trimmed: String) {
        #expect(HeaderValue.trimmed(value) == trimmed)
    }

    @Test(arguments: [("a\r\n", "a"), (" a\n\n", "a"), ("a\nb\r\n", "a\nb"), ("\n", "")])
    func `the line ends around a header value from a file are removed`(value: String, trimmed: String) {
        #expect(HeaderValue.trimmedWithLineEnds(value) == trimmed)
    }

    @Test(
        arguments: [
            ("a\nb", "a line end"), ("a\rb", "a line end"), ("a\r\nb", "a line end"),
            ("\u{0}", "the control character U+0000"),
            ("\u{1B}", "the control character U+001B"), ("\u{7F}", "the control character U+007F"), ("a\tb é", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func `the fault of a header value is described`(value: String, fault: String?) {
        #expect(HeaderValue.fault(of: value) == fault)
    }
}
