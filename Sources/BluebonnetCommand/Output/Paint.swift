import ArgumentParser

/// The colours of a theme, or nothing at all.
struct Paint: Sendable {
    /// The parts of the output that have a colour.
    enum Part: CaseIterable, Sendable {
        /// The name of a header field or an attribute.
        case name
        /// The name of a member of JSON, and a tag.
        case key
        case string, number
        /// true, false and null.
        case word
        case faint, success, redirection, failure
    }

    let isOn: Bool
    var theme = Theme.ansi

    init(isOn: Bool) {
        self.isOn = isOn
    }

    /// The colours of a style.
    init(_ style: OutputStyle) {
        self.init(isOn: style.colors)
        theme = style.theme
    }

    /// The text in the colour of a part.
    func callAsFunction(_ text: String, _ part: Part) -> String {
        let code = isOn && !text.isEmpty ? theme.code(of: part) : ""
        return code.isEmpty ? text : "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

/// A choice of colours.
enum Theme: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// Colours that can be read on dark and on light backgrounds: each has a contrast of at least
    /// 3.8 to 1 with black and with white.
    case balanced
    /// The colours 1 to 7 of the terminal, as its user has set them.
    case ansi
    case dark, light
    /// Bold and faint text, without colours.
    case mono

    /// The numbers of SGR (ECMA-48 §8.3.117); empty for text without a colour.
    func code(of part: Paint.Part) -> String {
        switch self {
        case .ansi: Self.ansiCode(of: part)
        case .balanced: Self.code(of: part, key: 63, string: 28, number: 130, word: 163, name: 98, failure: 160)
        case .dark: Self.code(of: part, key: 75, string: 114, number: 215, word: 176, name: 80, failure: 203)
        case .light: Self.code(of: part, key: 25, string: 22, number: 94, word: 90, name: 54, failure: 124)
        case .mono:
            switch part {
            case .name, .key, .success, .redirection, .failure: "1"
            case .faint: "2"
            case .string, .number, .word: ""
            }
        }
    }

    private static func ansiCode(of part: Paint.Part) -> String {
        switch part {
        case .name: "36"
        // Dark blue on black cannot be read in many terminals; bold text is brighter there.
        case .key: "1;34"
        case .string: "32"
        case .number: "33"
        case .word: "35"
        case .faint: "2"
        case .success: "1;32"
        case .redirection: "1;33"
        case .failure: "1;31"
        }
    }

    /// The code of a part in the palette of 256 colours.
    private static func code(
        of part: Paint.Part,
        key: Int,
        string: Int,
        number: Int,
        word: Int,
        name: Int,
        failure: Int
    ) -> String {
        switch part {
        case .name: "38;5;\(name)"
        case .key: "38;5;\(key)"
        case .string: "38;5;\(string)"
        case .number: "38;5;\(number)"
        case .word: "38;5;\(word)"
        case .faint: "2"
        case .success: "1;38;5;\(string)"
        case .redirection: "1;38;5;\(number)"
        case .failure: "1;38;5;\(failure)"
        }
    }
}
