import FoundationEssentials

/// The value of one `Set-Cookie` field, taken apart (RFC 6265bis §5.6).
struct SetCookieField: Equatable {
    /// The most bytes of the value of an attribute; longer ones are ignored (§5.6).
    static let longestAttribute = 1_024

    var name = ""
    var value = ""
    /// The end by `Expires`, and by `Max-Age`, which wins.
    var expires: Date?
    var maximumAge: Date?
    /// Without a dot at its beginning and in lower case; nil and empty mean the same.
    var domain: String?
    /// Nil for the default path (§5.6.4).
    var path: String?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: Cookie.SameSite?

    /// Parses a value; nil for one that has to be ignored as a whole.
    ///
    /// Bytes that are not UTF-8 came here as U+FFFD. A cookie with them is ignored, since it could
    /// not be sent back as it came.
    init?(_ text: String, now: Date) {
        guard !Cookie.hasControl(text), !text.unicodeScalars.contains("\u{FFFD}") else { return nil }
        var rest = text.utf8[...]
        let pair = Self.next(&rest)
        // §5.6: without a "=" the name is empty.
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = Self.trimmed(pair[..<equals])
            value = Self.trimmed(pair[equals...].dropFirst())
        } else {
            value = Self.trimmed(pair)
        }
        guard Cookie.isPair(name, value) else { return nil }
        while !rest.isEmpty {
            rest.removeFirst()
            let attribute = Self.next(&rest)
            let equals = attribute.firstIndex(of: UInt8(ascii: "="))
            let name = Self.trimmed(attribute[..<(equals ?? attribute.endIndex)])
            let value = equals.map { Self.trimmed(attribute[$0...].dropFirst()) } ?? ""
            guard value.utf8.count <= Self.longestAttribute, name.utf8.count <= Self.longestName else { continue }
            take(name.lowercased(), value, now)
        }
    }

    /// The length of the longest name of an attribute, `HttpOnly` and `SameSite`.
    private static let longestName = 8

    private typealias Bytes = Substring.UTF8View

    /// What comes before the next semicolon, which becomes the first byte of the rest.
    private static func next(_ rest: inout Bytes) -> Bytes {
        let part = rest.prefix { $0 != UInt8(ascii: ";") }
        rest = rest[part.endIndex...]
        return part
    }

    private static func trimmed(_ bytes: Bytes) -> String {
        var bytes = bytes.drop(while: ASCII.isBlank)
        while let last = bytes.last, ASCII.isBlank(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }

    /// Takes in one attribute. Of several with the same name the last one counts.
    private mutating func take(_ name: String, _ value: String, _ now: Date) {
        switch name {
        case "expires":
            // §5.6.1: a date that is none is ignored, and one far in the future is cut.
            guard let seconds = CookieDate.secondsSince1970(value) else { return }
            expires = min(Date(timeIntervalSince1970: TimeInterval(seconds)), Self.latest(now))
        case "max-age":
            guard let age = Self.age(value) else { return }
            maximumAge = age <= 0 ? .distantPast : min(now.addingTimeInterval(TimeInterval(age)), Self.latest(now))
        case "domain":
            let hasDot = value.utf8.first == UInt8(ascii: ".")
            domain = CookieHost.lowercased(hasDot ? String(value.dropFirst()) : value)
        case "path":
            path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            // §5.6.7: another value is as none.
            sameSite = Cookie.SameSite.allCases.first { $0.rawValue.lowercased() == value.lowercased() }
        default: break
        }
    }

    private static func latest(_ now: Date) -> Date { now.addingTimeInterval(TimeInterval(Cookie.longestAge)) }

    /// A number of seconds (§5.6.2): digits, with a minus sign or not; nil for anything else. One
    /// that is too large is the largest that matters.
    private static func age(_ text: String) -> Int? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return isNegative ? -1 : Int(Substring(digits)).map { min($0, Cookie.longestAge) } ?? Cookie.longestAge
    }
}

extension SetCookieField {
    /// The cookie of a response, by the rules of §5.7 that need no store; nil for one that is
    /// refused.
    func cookie(from source: CookieSource, now: Date) -> Cookie? {
        var domain = domain ?? ""
        // The ASCII form of a domain is not searched for; servers have to send it.
        guard domain.isEmpty || CookieHost.isHost(domain) else { return nil }
        // Nothing is set for all names below a public suffix, unless the host is one.
        if !domain.isEmpty, !CookieHost.isAddress(domain), PublicSuffixList.contains(domain) {
            guard domain == source.host else { return nil }
            domain = ""
        }
        guard domain.isEmpty || CookieHost.matches(source.host, domain: domain) else { return nil }
        let isHostOnly = domain.isEmpty || CookieHost.isAddress(source.host)
        // What comes by `http` cannot be for `https` alone.
        guard source.isSecure || !isSecure else { return nil }
        // Who says `None` has to say `Secure`, too.
        guard sameSite != Cookie.SameSite.none || isSecure else { return nil }
        guard
            Cookie.keepsPrefix(
                name: name,
                value: value,
                isSecure: isSecure,
                isHostOnly: isHostOnly,
                hasRootPath: path == "/"
            )
        else { return nil }
        let path = path ?? CookieHost.defaultPath(of: source.path)
        guard path.utf8.count <= Cookie.longestPath else { return nil }
        return Cookie(
            name: name,
            value: value,
            domain: domain.isEmpty ? source.host : domain,
            isHostOnly: isHostOnly,
            path: path,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite,
            expires: maximumAge ?? expires,
            created: now
        )
    }
}
