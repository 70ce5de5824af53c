/// The value of a `Strict-Transport-Security` field (RFC 6797 §6.1).
struct StrictTransportSecurityField: Equatable {
    /// In seconds; 0 for a host that takes its wish back.
    let maxAge: Int
    let includesSubdomains: Bool

    /// Parses a value; nil for one that has to be ignored: without `max-age`, with a directive
    /// twice, or not well-formed. Directives that are not known are ignored.
    init?(_ value: String) {
        var rest = value.utf8[...]
        var names: Set<String> = []
        var maxAge: Int?
        var includesSubdomains = false
        while true {
            Self.skipSpace(&rest)
            if let directive = Self.directive(&rest) {
                guard let directive, names.insert(directive.name).inserted else { return nil }
                switch directive.name {
                case "max-age":
                    guard let age = directive.value.flatMap(Self.seconds) else { return nil }
                    maxAge = age
                case "includesubdomains":
                    // §6.1.2: it has no value.
                    guard directive.value == nil else { return nil }
                    includesSubdomains = true
                default: break
                }
            }
            Self.skipSpace(&rest)
            guard let next = rest.popFirst() else { break }
            guard next == UInt8(ascii: ";") else { return nil }
        }
        guard let maxAge else { return nil }
        self.maxAge = maxAge
        self.includesSubdomains = includesSubdomains
    }

    private typealias Bytes = Substring.UTF8View

    /// The next directive; nil where there is none, and inside of that nil for one that is not
    /// well-formed.
    private static func directive(_ rest: inout Bytes) -> (name: String, value: String?)?? {
        guard let first = rest.first, first != UInt8(ascii: ";") else { return .none }
        guard let name = token(&rest) else { return .some(nil) }
        skipSpace(&rest)
        guard rest.first == UInt8(ascii: "=") else { return (name.lowercased(), nil) }
        rest.removeFirst()
        skipSpace(&rest)
        guard let value = rest.first == UInt8(ascii: "\"") ? quoted(&rest) : token(&rest) else { return .some(nil) }
        return (name.lowercased(), value)
    }

    private static func token(_ rest: inout Bytes) -> String? {
        let token = rest.prefix(while: ASCII.isToken)
        rest = rest[token.endIndex...]
        return token.isEmpty ? nil : String(Substring(token))
    }

    /// A quoted string (RFC 9110 §5.6.4), which may have escapes.
    private static func quoted(_ rest: inout Bytes) -> String? {
        rest.removeFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                text.append(escaped)
            default: text.append(byte)
            }
        }
        return nil
    }

    private static func skipSpace(_ rest: inout Bytes) {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// A number of seconds; one that is too large for a computation with dates is the largest that
    /// is not: some 1,000 years.
    private static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return min(Int(text) ?? .max, longest)
    }

    private static let longest = 1_000 * 365 * 24 * 60 * 60
}
