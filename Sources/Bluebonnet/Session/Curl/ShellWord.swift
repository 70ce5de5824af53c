/// A text as one word of a POSIX shell.
struct ShellWord: Sendable {
    /// The word, quoted where it has to be.
    let text: String

    /// Letters, digits and signs that no shell takes for anything else stay as they are; everything else stands in single quotes,
    /// where nothing has a meaning but the single quote, which is written outside of them.
    init(_ word: String) {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy(Self.isPlain)
        text =
            isPlain
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "/"), UInt8(ascii: "@"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// Whether a text can be pasted into a terminal between quotes: control characters would be taken for keys.
    static func canCarry(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\n") }
    }
}
