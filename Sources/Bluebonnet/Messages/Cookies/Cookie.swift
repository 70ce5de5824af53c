public import FoundationEssentials

/// A cookie, as a value (RFC 6265bis §5.7).
///
/// ```swift
/// let jar = CookieJar()
/// jar.set(Cookie(name: "theme", value: "dark", domain: "example.com"))
/// ```
///
/// What is printed of a cookie does not show its value, which is often as good as a password.
///
/// Counterpart of `NSHTTPCookie`.
public struct Cookie: Sendable, Hashable {
    /// When a server wants the cookie: a browser then leaves it out of requests that come from
    /// other sites. It is kept and written with the cookie, and decides nothing here: the requests
    /// of a program come from no site.
    ///
    /// Counterpart of `NSHTTPCookieStringPolicy`.
    public enum SameSite: String, Sendable, Hashable, CaseIterable {
        /// Only with requests from the same site.
        case strict = "Strict"
        /// Also when a user comes from another site.
        case lax = "Lax"
        /// With all requests. Servers have to say `Secure`, too.
        case none = "None"
    }

    /// What makes two cookies the same one, of which the later replaces the earlier (§5.7).
    ///
    /// No counterpart: `NSHTTPCookieStorage` compares name, domain and path without a type.
    public struct Identity: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The domain.
        public let domain: String
        /// Whether it is for the host of its domain alone.
        public let isHostOnly: Bool
        /// The path.
        public let path: String

        /// Makes an identity, for stores of your own.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - domain: The domain.
        ///   - isHostOnly: Whether the cookie is for the host of its domain alone.
        ///   - path: The path.
        public init(name: String, domain: String, isHostOnly: Bool, path: String) {
            self.name = name
            self.domain = domain
            self.isHostOnly = isHostOnly
            self.path = path
        }
    }

    /// The name. Empty for a cookie that is a value alone.
    public let name: String
    /// The value.
    public var value: String
    /// The host, in lower case; with all names below it unless ``isHostOnly``.
    public let domain: String
    /// Whether the cookie is for the host ``domain`` alone.
    public let isHostOnly: Bool
    /// The path from which it is sent: this one, and those below it. Begins with `/`.
    public let path: String
    /// Whether it is only sent by `https`. Default: false.
    public var isSecure: Bool
    /// Whether a browser hides it from scripts. It decides nothing here. Default: false.
    public var isHTTPOnly: Bool
    /// Whether a browser leaves it out of requests from other sites; nil where the server did not
    /// say. Default: nil.
    public var sameSite: SameSite?
    /// The time from which it is not sent any more; nil for a cookie of the session, which is
    /// forgotten at its end. Default: nil.
    public var expires: Date?
    /// The time at which it was first set. A new value keeps it (§5.7).
    public var created: Date
    /// The time at which it was last sent, or set. A jar that is full forgets those that were not
    /// used for the longest time.
    public var lastUsed: Date

    /// Makes a cookie. It is checked by the jar that gets it, see ``CookieJar/set(_:)``.
    ///
    /// - Parameters:
    ///   - name: The name. May be empty.
    ///   - value: The value.
    ///   - domain: The host, and the names below it. A dot at its beginning is left out.
    ///   - isHostOnly: Whether it is for this host alone. Default: false.
    ///   - path: The path from which it is sent. Default: `/`, all paths; also for one that does
    ///     not begin with `/`.
    ///   - isSecure: Whether it is only sent by `https`. Default: false.
    ///   - isHTTPOnly: Whether a browser hides it from scripts. Default: false.
    ///   - sameSite: Whether a browser leaves it out of requests from other sites. Default: nil.
    ///   - expires: The time from which it is not sent any more. Default: nil, the end of the
    ///     session.
    ///   - created: The time at which it was first set. Default: now.
    public init(
        name: String,
        value: String,
        domain: String,
        isHostOnly: Bool = false,
        path: String = "/",
        isSecure: Bool = false,
        isHTTPOnly: Bool = false,
        sameSite: SameSite? = nil,
        expires: Date? = nil,
        created: Date = Date()
    ) {
        let domain = CookieHost.lowercased(domain.utf8.first == UInt8(ascii: ".") ? String(domain.dropFirst()) : domain)
        self.name = name
        self.value = value
        self.domain = domain
        // An address has no names below it.
        self.isHostOnly = isHostOnly || CookieHost.isAddress(domain)
        self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/"
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.expires = expires
        self.created = created
        lastUsed = created
    }

    /// Makes a cookie of the value of one `Set-Cookie` field, by all rules of RFC 6265bis §5.6 and
    /// §5.7 that need no jar; nil for one that has to be ignored.
    ///
    /// - Parameters:
    ///   - setCookie: The value of the field.
    ///   - url: The URL of the request.
    ///   - now: The present. Default: the clock.
    public init?(setCookie: String, from url: URL, now: Date = Date()) {
        guard let source = CookieSource(url), let field = SetCookieField(setCookie, now: now),
            let cookie = field.cookie(from: source, now: now)
        else { return nil }
        self = cookie
    }

    /// What makes it the same cookie as another one.
    public var identity: Identity { Identity(name: name, domain: domain, isHostOnly: isHostOnly, path: path) }

    /// Whether its time is over.
    ///
    /// - Parameter date: The present.
    /// - Returns: Whether it is; never for a cookie of the session.
    public func isExpired(at date: Date) -> Bool {
        expires.map { $0 <= date } ?? false
    }

    /// The cookie as a `Cookie` field has it (§5.8.3): `name=value`, or the value alone.
    public var pair: String { name.isEmpty ? value : "\(name)=\(value)" }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Name, domain and path, without the value: `id for example.com/`.
    public var description: String {
        "\(ASCII.escaped(name.utf8)) for \(isHostOnly ? "" : ".")\(domain)\(ASCII.escaped(path.utf8))"
    }

    /// Everything but the value.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "name": name, "domain": domain, "isHostOnly": isHostOnly, "path": path, "isSecure": isSecure,
                "isHTTPOnly": isHTTPOnly, "expires": expires.map { "\($0)" } ?? "with the session",
            ]
        )
    }
}

// MARK: Rules

extension Cookie {
    /// The most bytes of name and value together (§5.6).
    static let longestPair = 4_096
    /// The most bytes of a path, given or by default: the limit of an attribute (§5.6). A server
    /// chooses the path of a request, too, by a redirect.
    static let longestPath = SetCookieField.longestAttribute
    /// The longest time that a server can have a cookie kept (§5.5): 400 days, in seconds.
    static let longestAge = 400 * 24 * 60 * 60

    /// Whether name and value may be those of a cookie (§5.6).
    static func isPair(_ name: String, _ value: String) -> Bool {
        !(name.isEmpty && value.isEmpty) && name.utf8.count + value.utf8.count <= longestPair
            && !hasControl(name) && !hasControl(value)
    }

    /// Whether a text has a control character other than a tab.
    static func hasControl(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 && $0 != ASCII.tab || $0 == 0x7F }
    }

    /// Whether the name keeps what its prefix promises (§4.1.3 and §5.7). A value
    /// without a name that looks like one is refused: servers would read it as a name.
    static func keepsPrefix(name: String, value: String, isSecure: Bool, isHostOnly: Bool, hasRootPath: Bool) -> Bool {
        let text = name.isEmpty ? value : name
        let isSecurePrefix = text.hasPrefix(ignoringCase: "__secure-")
        let isHostPrefix = text.hasPrefix(ignoringCase: "__host-")
        guard isSecurePrefix || isHostPrefix else { return true }
        guard !name.isEmpty, isSecure else { return false }
        return !isHostPrefix || isHostOnly && hasRootPath
    }

    /// Whether a jar takes the cookie from its owner, or from a store. Name and value must be
    /// readable again as they are: with neither `;` nor, in the name, `=`.
    var isWellFormed: Bool {
        guard Self.isPair(name, value), path.utf8.count <= Self.longestPath, !Self.hasControl(path),
            CookieHost.isHost(domain),
            [created, lastUsed, expires ?? created].allSatisfy(\.timeIntervalSinceReferenceDate.isFinite)
        else { return false }
        let semicolon = UInt8(ascii: ";")
        guard !name.utf8.contains(semicolon), !value.utf8.contains(semicolon),
            !name.utf8.contains(UInt8(ascii: "="))
        else { return false }
        return Self.keepsPrefix(
            name: name,
            value: value,
            isSecure: isSecure,
            isHostOnly: isHostOnly,
            hasRootPath: path == "/"
        )
    }
}

extension String {
    /// Whether it begins with a word in lower case, in any case.
    fileprivate func hasPrefix(ignoringCase word: StaticString) -> Bool {
        utf8.count >= word.utf8CodeUnitCount
            && utf8.prefix(word.utf8CodeUnitCount).map(ASCII.lowercased).elementsEqual("\(word)".utf8)
    }
}
