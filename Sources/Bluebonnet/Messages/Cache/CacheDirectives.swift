/// The directives of `Cache-Control` of a request or a response (RFC 9111 §5.2).
///
/// A directive that comes several times has the most restrictive of its values (§4.2.1). A value
/// that is no number counts as the most restrictive one too: such a response is stale.
struct CacheDirectives: Sendable, Hashable {
    /// The directives that have no number.
    struct Flags: OptionSet, Hashable {
        let rawValue: UInt16

        static let noStore = Self(rawValue: 1)
        /// Without field names.
        static let noCache = Self(rawValue: 2)
        static let mustRevalidate = Self(rawValue: 4)
        static let proxyRevalidate = Self(rawValue: 8)
        static let isPublic = Self(rawValue: 16)
        /// With or without field names.
        static let isPrivate = Self(rawValue: 32)
        static let onlyIfCached = Self(rawValue: 64)
        static let mustUnderstand = Self(rawValue: 128)
        /// RFC 8246.
        static let immutable = Self(rawValue: 256)
        /// `private` without field names.
        static let isWhollyPrivate = Self(rawValue: 512)
    }

    private(set) var flags: Flags = []
    private(set) var maxAge: Int?
    private(set) var sharedMaxAge: Int?
    /// The largest number where the directive has none: any staleness.
    private(set) var maxStale: Int?
    private(set) var minFresh: Int?
    /// RFC 5861 §3.
    private(set) var staleWhileRevalidate: Int?
    /// RFC 5861 §4.
    private(set) var staleIfError: Int?
    /// The names in lower case in `no-cache="…"` (§5.2.2.4).
    private(set) var noCacheFields: [String] = []
    /// The names in lower case in `private="…"` (§5.2.2.7).
    private(set) var privateFields: [String] = []

    /// What a number that is too large counts as (§1.2.2).
    static let largestSeconds = 1 << 31

    init() {}

    /// Parses the values of all `Cache-Control` fields of a message. What is not well-formed is
    /// passed over.
    init(_ values: some Sequence<String>) {
        for value in values {
            var rest = value.utf8[...]
            while let (name, argument) = Self.next(&rest) { note(name, argument) }
        }
    }

    /// The seconds of a number (§1.2.2); nil for anything else.
    static func seconds(_ text: String?) -> Int? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return min(Int(text) ?? largestSeconds, largestSeconds)
    }

    private mutating func note(_ name: String, _ argument: String?) {
        let seconds = Self.seconds(argument)
        switch name {
        case "no-store": flags.insert(.noStore)
        case "no-cache": noteFields(argument, in: \.noCacheFields, without: .noCache)
        case "private":
            flags.insert(.isPrivate)
            noteFields(argument, in: \.privateFields, without: .isWhollyPrivate)
        case "public": flags.insert(.isPublic)
        case "must-revalidate": flags.insert(.mustRevalidate)
        case "proxy-revalidate": flags.insert(.proxyRevalidate)
        case "only-if-cached": flags.insert(.onlyIfCached)
        case "must-understand": flags.insert(.mustUnderstand)
        case "immutable": flags.insert(.immutable)
        case "max-age": maxAge = min(maxAge ?? .max, seconds ?? 0)
        case "s-maxage": sharedMaxAge = min(sharedMaxAge ?? .max, seconds ?? 0)
        case "max-stale":
            if let seconds = argument == nil ? .max : seconds { maxStale = min(maxStale ?? .max, seconds) }
        case "min-fresh":
            if let seconds { minFresh = max(minFresh ?? 0, seconds) }
        case "stale-while-revalidate": staleWhileRevalidate = min(staleWhileRevalidate ?? .max, seconds ?? 0)
        case "stale-if-error": staleIfError = min(staleIfError ?? .max, seconds ?? 0)
        default: break
        }
    }

    /// Notes a directive that names fields or, without names, concerns the whole response.
    private mutating func noteFields(
        _ argument: String?,
        in list: WritableKeyPath<Self, [String]>,
        without flag: Flags
    ) {
        let names =
            argument?.utf8.split { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) }
            .map { String(decoding: $0.map(ASCII.lowercased), as: UTF8.self) } ?? []
        if names.isEmpty { flags.insert(flag) } else { self[keyPath: list] += names }
    }

    /// Takes the next directive off the text: its name in lower case, and its argument without
    /// quotation marks (§5.2: both forms are allowed for each).
    private static func next(
        _ rest: inout Substring.UTF8View
    ) -> (name: String, argument: String?)? {
        rest = rest.drop { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) }
        guard !rest.isEmpty else { return nil }
        let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") }
        rest = rest[name.endIndex...]
        var argument: String?
        if rest.first == UInt8(ascii: "=") {
            rest = rest.dropFirst().drop(while: ASCII.isBlank)
            if rest.first == UInt8(ascii: "\"") {
                argument = quoted(&rest)
            } else {
                let token = rest.prefix { $0 != UInt8(ascii: ",") }
                argument = text(token)
                rest = rest[token.endIndex...]
            }
        }
        rest = rest.drop { $0 != UInt8(ascii: ",") }
        return (String(decoding: text(name).utf8.map(ASCII.lowercased), as: UTF8.self), argument)
    }

    /// Takes a quoted string off the text (RFC 9110 §5.6.4); one without an end goes to the end.
    private static func quoted(_ rest: inout Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                if let escaped = rest.popFirst() { bytes.append(escaped) }
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Without the white space at its end.
    private static func text(_ bytes: Substring.UTF8View) -> String {
        let end = bytes.lastIndex { !ASCII.isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(Substring(bytes[..<end]))
    }
}
