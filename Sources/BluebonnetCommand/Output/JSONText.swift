/// JSON as text for people: with one line for each value, and with colours, where the style has
/// them. It writes the tokens as they are: numbers, strings, their order and repeated names do not
/// change.
///
/// Characters that change the terminal or the direction of text are legal in strings; they are
/// written as escapes, which have the same value.
struct JSONText {
    /// The white space between tokens.
    enum Layout: Equatable, Sendable {
        /// One line for each value.
        case formatted
        /// None.
        case compact
        /// That of the text.
        case asWritten
    }

    /// The bytes of text behind which the rest is not broken into lines.
    static let mostFormatted = 16 << 20

    private let paint: Paint
    private var layout: Layout
    private var text = ""
    private var depth = 0
    private var previous: JSONTokens.Token.Kind?

    /// Writes a text.
    ///
    /// - Parameters:
    ///   - json: Valid JSON in UTF-8.
    ///   - layout: The white space.
    ///   - paint: The colours.
    /// - Returns: The text without a line end behind it.
    static func render(_ json: some Sequence<UInt8>, layout: Layout, paint: Paint) -> String {
        var writer = JSONText(paint: paint, layout: layout)
        writer.write(JSONTokens(Array(json)))
        return writer.text
    }

    private init(paint: Paint, layout: Layout) {
        (self.paint, self.layout) = (paint, layout)
    }

    private mutating func write(_ tokens: JSONTokens) {
        var rest = tokens
        var end = 0
        var token = rest.next()
        while let this = token {
            let following = rest.next()
            // Each level of a deep value costs its depth in spaces, for every line in it.
            if layout == .formatted, text.utf8.count >= Self.mostFormatted { layout = .compact }
            if layout == .asWritten, end > 0 {
                // A carriage return would move the cursor back.
                let space = tokens.bytes[end..<this.range.lowerBound].filter { $0 != UInt8(ascii: "\r") }
                text += String(decoding: space, as: UTF8.self)
            }
            write(this, of: tokens, before: following?.kind)
            previous = this.kind
            end = this.range.upperBound
            token = following
        }
    }

    private mutating func write(_ token: JSONTokens.Token, of tokens: JSONTokens, before next: JSONTokens.Token.Kind?) {
        let written = tokens.text(of: token)
        switch token.kind {
        case .open:
            text += written
            // An empty container stays on one line.
            guard next != .close else { return }
            depth += 1
            breakLine()
        case .close:
            if previous != .open {
                depth -= 1
                breakLine()
            }
            text += written
        case .comma:
            text += written
            breakLine()
        case .colon: text += layout == .formatted ? ": " : ":"
        case .string: text += paint(Self.harmless(written), next == .colon ? .key : .string)
        case .number: text += paint(written, .number)
        case .word: text += paint(written, .word)
        }
    }

    private mutating func breakLine() {
        guard layout == .formatted else { return }
        text += "\n"
        text += String(repeating: "  ", count: depth)
    }

    /// A string in which unwanted characters are escapes (RFC 8259 §7), in UTF-16 as they have to
    /// be.
    static func harmless(_ string: String) -> String {
        guard string.unicodeScalars.contains(where: ShownText.isUnwanted) else { return string }
        var shown = ""
        for scalar in string.unicodeScalars {
            guard ShownText.isUnwanted(scalar) else {
                shown.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return shown
    }
}
