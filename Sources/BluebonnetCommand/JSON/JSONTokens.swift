import Bluebonnet

/// The tokens of a JSON text, as they are written in it (RFC 8259 §2).
///
/// A `JSONValue` has the values: of `1e2` it keeps 100.0, of a repeated name the last member. The
/// tokens keep the text of numbers and strings, the order, and repeated names.
///
/// The text must have been parsed without an error, by `JSONValue` for example: nothing is checked
/// here.
struct JSONTokens: Sequence, IteratorProtocol, Sendable {
    /// One token.
    struct Token: Equatable, Sendable {
        enum Kind: Equatable, Sendable {
            /// `{` or `[`.
            case open
            /// `}` or `]`.
            case close
            case comma, colon, string, number
            /// `true`, `false` or `null`.
            case word
        }

        var kind: Kind
        /// The bytes of the token in the text, the quotes of a string included.
        var range: Range<Int>
    }

    let bytes: [UInt8]
    private var position: Int

    /// Whether a valid text is in UTF-8: the parser accepts UTF-16 and UTF-32, too, whose tokens
    /// are not found.
    static func canCut(_ text: [UInt8]) -> Bool {
        text.count < 2 || text[0] != 0 && text[1] != 0 && text[0] < 0xFE
    }

    /// - Parameter text: Valid JSON in UTF-8, with or without a byte-order mark.
    init(_ text: [UInt8]) {
        bytes = text
        position = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func next() -> Token? {
        while position < bytes.count, Self.isWhitespace(bytes[position]) { position += 1 }
        guard position < bytes.count else { return nil }
        let start = position
        position += 1
        switch bytes[start] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return Token(kind: .open, range: start..<position)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return Token(kind: .close, range: start..<position)
        case UInt8(ascii: ","): return Token(kind: .comma, range: start..<position)
        case UInt8(ascii: ":"): return Token(kind: .colon, range: start..<position)
        case UInt8(ascii: "\""):
            skipString()
            return Token(kind: .string, range: start..<position)
        case let first:
            while position < bytes.count, Self.isPartOfScalar(bytes[position]) { position += 1 }
            let isNumber = first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
            return Token(kind: isNumber ? .number : .word, range: start..<position)
        }
    }

    /// The text of a token.
    func text(of token: Token) -> String {
        String(decoding: bytes[token.range], as: UTF8.self)
    }

    /// Moves behind the end of the string whose first quote was read.
    private mutating func skipString() {
        while position < bytes.count {
            let byte = bytes[position]
            position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return }
        }
        position = Swift.min(position, bytes.count)
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func isPartOfScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): false
        default: true
        }
    }
}

extension JSONTokens {
    /// The members of an object that are wanted, with their values as they are written, without
    /// white space between tokens. A repeated name has a member each time.
    ///
    /// - Parameters:
    ///   - text: A valid object.
    ///   - isWanted: Chooses the members by their names.
    /// - Returns: The members in their order.
    static func members(of text: [UInt8], where isWanted: (String) -> Bool) -> [(name: String, value: [UInt8])] {
        var tokens = JSONTokens(text)
        var members: [(name: String, value: [UInt8])] = []
        guard tokens.next()?.kind == .open else { return members }
        while let token = tokens.next(), token.kind != .close {
            guard token.kind == .string else { continue }
            let name = string(text[token.range])
            // The colon.
            _ = tokens.next()
            if let value = tokens.takeValue(keeping: isWanted(name)) { members.append((name, value)) }
        }
        return members
    }

    /// The elements of an array as they are written, without white space between tokens.
    ///
    /// - Parameter text: A valid array.
    /// - Returns: The elements in their order.
    static func elements(of text: [UInt8]) -> [[UInt8]] {
        var tokens = JSONTokens(text)
        var elements: [[UInt8]] = []
        guard tokens.next()?.kind == .open else { return elements }
        while let token = tokens.peek(), token.kind != .close {
            if token.kind == .comma { _ = tokens.next() }
            if let element = tokens.takeValue(keeping: true) { elements.append(element) }
        }
        return elements
    }

    /// The next token, which stays the next one.
    private func peek() -> Token? {
        var copy = self
        return copy.next()
    }

    /// The value of a string with its quotes.
    static func string(_ text: ArraySlice<UInt8>) -> String {
        guard text.contains(UInt8(ascii: "\\")) else {
            return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
        }
        return (try? JSONValue(parsing: text).string) ?? ""
    }

    /// Moves behind the next value.
    ///
    /// - Parameter keeps: Whether its text is returned.
    /// - Returns: The text, or nil.
    private mutating func takeValue(keeping keeps: Bool) -> [UInt8]? {
        var value: [UInt8]? = keeps ? [] : nil
        var depth = 0
        while let token = next() {
            value?.append(contentsOf: bytes[token.range])
            if token.kind == .open { depth += 1 }
            if token.kind == .close { depth -= 1 }
            if depth == 0 { break }
        }
        return value
    }
}
