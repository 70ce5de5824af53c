/// Text of a body on a terminal, piece by piece: UTF-8 without the characters with which a server
/// could steer the terminal. Each of them is shown as U+FFFD, and so are bytes that are not UTF-8.
///
/// CRLF becomes a line end, since a carriage return alone lets text write over other text.
struct TerminalText: Sendable {
    /// The beginning of a character, or a CR that an LF may follow.
    private var pending: [UInt8] = []

    /// The text of a piece, as far as its characters are complete.
    mutating func text(of piece: some Sequence<UInt8>) -> String {
        let bytes = pending + piece
        let end = bytes.count - Self.incompleteSuffix(of: bytes)
        pending = Array(bytes[end...])
        return Self.harmless(String(decoding: bytes[..<end], as: UTF8.self))
    }

    /// The text of what is left at the end of the body.
    mutating func finish() -> String {
        defer { pending = [] }
        return Self.harmless(String(decoding: pending, as: UTF8.self))
    }

    /// The text without characters that steer the terminal. Line ends and tabs stay.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnwanted) else { return text }
        var shown = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            if isAfterReturn, scalar != "\n" { shown.append("\u{FFFD}") }
            isAfterReturn = scalar == "\r"
            guard !isAfterReturn else { continue }
            shown.append(isUnwanted(scalar) ? "\u{FFFD}" : scalar)
        }
        if isAfterReturn { shown.append("\u{FFFD}") }
        return String(shown)
    }

    /// Control characters, and the characters that change the direction of the text behind them
    /// (Unicode Standard Annex 9). Marks of direction and joiners, which texts need, are not among
    /// them.
    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The number of bytes at the end that may be the beginning of a character, or of CRLF.
    private static func incompleteSuffix(of bytes: [UInt8]) -> Int {
        for count in 1...4 where count <= bytes.count {
            let byte = bytes[bytes.count - count]
            // A byte that continues a character (RFC 3629 §3).
            if byte & 0xC0 == 0x80 { continue }
            let length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            return length > count || byte == UInt8(ascii: "\r") && count == 1 ? count : 0
        }
        return 0
    }

    /// Whether bytes are not text: there is a NUL among them, or, where the type does not say that
    /// they are text, another control character or something that is not UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The beginning of the body.
    ///   - kind: The kind of body.
    /// - Returns: Whether they would say nothing on a terminal.
    static func isBinary(_ bytes: some Sequence<UInt8>, _ kind: BodyKind) -> Bool {
        let bytes = Array(bytes)
        if bytes.contains(0) { return true }
        guard kind == .unknown else { return false }
        let whole = bytes[..<(bytes.count - incompleteSuffix(of: bytes))]
        guard let text = String(validating: whole, as: UTF8.self) else { return true }
        // Form feed and escape sequences are in texts, too.
        return text.unicodeScalars.contains { $0.value < 0x20 && !"\t\n\r\u{0C}\u{1B}".unicodeScalars.contains($0) }
    }
}
