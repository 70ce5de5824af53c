/// Checks whether a text is exactly JSON (RFC 8259).
///
/// FoundationEssentials' decoder accepts trailing commas, which a server that shows clients their
/// requests must not.
struct JSONValidator {
    private static let maximumDepth = 512

    private var rest: ArraySlice<UInt8>
    private var depth = 0

    /// The text itself when it is JSON, to be echoed without changing a digit; `null` otherwise.
    static func echo(_ text: String) -> JSON {
        var validator = JSONValidator(rest: Array(text.utf8)[...])
        return validator.isDocument() ? .verbatim(text) : nil
    }

    private init(rest: ArraySlice<UInt8>) {
        self.rest = rest
    }

    private mutating func isDocument() -> Bool {
        guard value() else { return false }
        skipSpace()
        return rest.isEmpty
    }

    private mutating func value() -> Bool {
        skipSpace()
        switch rest.first {
        case UInt8(ascii: "{"): return list(until: "}") { $0.member() }
        case UInt8(ascii: "["): return list(until: "]") { $0.value() }
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return take("true")
        case UInt8(ascii: "f"): return take("false")
        case UInt8(ascii: "n"): return take("null")
        default: return number()
        }
    }

    private mutating func list(
        until end: Unicode.Scalar,
        element: (inout JSONValidator) -> Bool
    ) -> Bool {
        guard depth < JSONValidator.maximumDepth else { return false }
        depth += 1
        defer { depth -= 1 }
        rest.removeFirst()
        skipSpace()
        if take(UInt8(ascii: end)) {
            return true
        }
        while true {
            guard element(&self) else { return false }
            skipSpace()
            if take(UInt8(ascii: end)) {
                return true
            }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func member() -> Bool {
        skipSpace()
        guard string() else { return false }
        skipSpace()
        return take(UInt8(ascii: ":")) && value()
    }

    private mutating func string() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return true
            case 0..<0x20:
                return false
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return false }
                if escaped == UInt8(ascii: "u") {
                    guard rest.count >= 4, rest.prefix(4).allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
                    else { return false }
                    rest = rest.dropFirst(4)
                } else {
                    guard Array("\"\\/bfnrt".utf8).contains(escaped) else { return false }
                }
            default:
                break
            }
        }
        return false
    }

    private mutating func number() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) {
            guard digits() else { return false }
        }
        if take(UInt8(ascii: ".")) {
            guard digits() else { return false }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            guard digits() else { return false }
        }
        return true
    }

    private mutating func digits() -> Bool {
        let count = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
        rest = rest.dropFirst(count)
        return count > 0
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func take(_ word: String) -> Bool {
        guard rest.starts(with: word.utf8) else { return false }
        rest = rest.dropFirst(word.utf8.count)
        return true
    }
}
