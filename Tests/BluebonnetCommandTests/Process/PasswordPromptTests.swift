import Testing

@testable import BluebonnetCommand

@Suite struct PasswordPromptTests {
    private func type(_ keys: String) -> (String, PasswordPrompt.Line.Outcome) {
        var line = PasswordPrompt.Line()
        var outcome = PasswordPrompt.Line.Outcome.more
        for byte in keys.utf8 where outcome == .more { outcome = line.type(byte) }
        return (String(decoding: line.bytes, as: UTF8.self), outcome)
    }

    @Test(arguments: [
        ("secret\n", "secret", PasswordPrompt.Line.Outcome.done), ("secret\rmore", "secret", .done),
        ("aé\u{7F}b\u{8}c\n", "ac", .done), ("\u{7F}\n", "", .done), ("wrong\u{15}right\n", "right", .done),
        ("sec\u{3}", "sec", .interrupted), ("\u{4}", "", .ended), ("a\u{4}b\n", "ab", .done), ("sec", "sec", .more),
    ])
    func `a typed password can be edited`(keys: String, text: String, outcome: PasswordPrompt.Line.Outcome) {
        #expect(type(keys) == (text, outcome))
    }
}
