import Testing

@testable import BluebonnetCommand

@Suite struct TypedLineTests {
    private func type(_ keys: String) -> (String, TypedLine.Outcome) {
        var line = TypedLine()
        var outcome = TypedLine.Outcome.more
        for byte in keys.utf8 where outcome == .more { outcome = line.type(byte) }
        return (String(decoding: line.bytes, as: UTF8.self), outcome)
    }

    @Test(arguments: [
        ("secret\n", "secret", TypedLine.Outcome.done), ("secret\rmore", "secret", .done),
        ("aé\u{7F}b\u{8}c\n", "ac", .done), ("\u{7F}\n", "", .done), ("wrong\u{15}right\n", "right", .done),
        ("sec\u{3}", "sec", .interrupted), ("\u{4}", "", .ended), ("a\u{4}b\n", "ab", .done), ("sec", "sec", .more),
        ("one two  \u{17}2\n", "one 2", .done), ("\u{17}\n", "", .done),
    ])
    func `a typed line can be edited`(keys: String, text: String, outcome: TypedLine.Outcome) {
        #expect(type(keys) == (text, outcome))
    }

    @Test(arguments: [
        ("a\u{1B}[Ab\u{1B}[1;5Cc\n", "abc", TypedLine.Outcome.done), ("a\u{1B}OPb\n", "ab", .done),
        ("a\u{1B}fb\n", "ab", .done), ("a\u{1B}[3\n", "a", .done), ("a\u{1B}\u{3}", "a", .interrupted),
        ("a\u{1B}\u{1B}[Db\n", "ab", .done),
    ])
    func `keys such as arrows change nothing`(keys: String, text: String, outcome: TypedLine.Outcome) {
        #expect(type(keys) == (text, outcome))
    }
}
