/// Text from outside on a terminal: names of files and messages that a server or somebody else
/// chose.
enum ShownText {
    /// The text without characters that change the terminal or the direction of what follows; each
    /// of them is shown as U+FFFD.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnwanted) else { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(isUnwanted(scalar) ? "\u{FFFD}" : scalar) }
        return String(shown)
    }

    /// The columns that a text takes.
    static func width(of text: String) -> Int {
        text.reduce(0) { $0 + width(of: $1) }
    }

    /// The text in at most so many columns; where it is longer, `…` stands for its middle. The end
    /// keeps a little more than the beginning, since names of files differ there.
    static func shortened(_ text: String, to columns: Int) -> String {
        guard width(of: text) > columns else { return text }
        guard columns > 1 else { return columns == 1 ? "…" : "" }
        let end = prefix(of: text.reversed(), in: columns / 2)
        let start = prefix(of: Array(text), in: columns - 1 - width(of: String(end)))
        return "\(String(start))…\(String(end.reversed()))"
    }

    /// The text, shortened or filled with spaces, in exactly so many columns.
    static func fitted(_ text: String, to columns: Int) -> String {
        let text = shortened(text, to: columns)
        return text + String(repeating: " ", count: max(0, columns - width(of: text)))
    }

    private static func prefix(of characters: [Character], in columns: Int) -> [Character] {
        var room = columns
        return Array(
            characters.prefix { character in
                room -= width(of: character)
                return room >= 0
            }
        )
    }

    /// Whether a character changes the terminal or the direction of text.
    static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    private static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.isASCII { return 1 }
        // An emoji that is made of several is as wide as its first one.
        return wide.contains { $0.contains(first.value) } || first.properties.isEmojiPresentation ? 2 : 1
    }

    /// The blocks whose characters take two columns (Unicode Standard Annex 11): of East Asian
    /// scripts, and wide forms.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
