import FoundationEssentials

/// A proxy: the protocol that it speaks, its host and port, and the credential for it.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.proxies = .proxy(try Proxy("http://user:password@proxy.example:3128"))
/// ```
///
/// Two requests share a connection, also one to the proxy, only if their proxies are equal,
/// credential included.
///
/// Counterpart of the keys of `connectionProxyDictionary` of `NSURLSessionConfiguration`.
public struct Proxy: Sendable, Hashable {
    /// The protocol between the session and a proxy. A struct, so that a new one does not break a
    /// `switch`.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The scheme of its URLs: `socks5h`.
        public let description: String

        /// HTTP without TLS. Requests for `http` are sent to the proxy with the whole URL (RFC 9112
        /// §3.2.2); for everything else CONNECT opens a tunnel (RFC 9110 §9.3.6).
        public static let http = Kind(description: "http")
        /// The same as ``http``, over TLS to the proxy. Its certificate is judged by
        /// ``SessionConfiguration/proxySecurityPolicy``.
        ///
        /// It is offered HTTP/2 in the handshake, unless ``SessionConfiguration/httpVersions`` is
        /// ``HTTPVersionPolicy/http1_1``. Where it agrees, tunnels (RFC 9113 §8.5) and requests are
        /// streams of one connection. In curl that is `--proxy-http2`.
        public static let https = Kind(description: "https")
        /// SOCKS 4: a tunnel to an IPv4 address, which the session looks up.
        public static let socks4 = Kind(description: "socks4")
        /// SOCKS 4a: a tunnel to a name, which the proxy looks up. No IPv6.
        public static let socks4a = Kind(description: "socks4a")
        /// SOCKS 5 (RFC 1928): a tunnel to an address, which the session looks up.
        public static let socks5 = Kind(description: "socks5")
        /// SOCKS 5 (RFC 1928): a tunnel to a name, which the proxy looks up.
        public static let socks5h = Kind(description: "socks5h")

        static let all: [Kind] = [.http, .https, .socks4, .socks4a, .socks5, .socks5h]

        /// As in curl: 443 for `https`, else 1080.
        var defaultPort: Int { self == .https ? 443 : 1080 }

        var isSOCKS: Bool { self != .http && self != .https }

        /// Whether the session looks up the name of the server, and not the proxy.
        var looksUpNames: Bool { self == .socks4 || self == .socks5 }
    }

    /// The protocol that it speaks.
    public let kind: Kind

    /// The host in lower case, without brackets.
    public let host: String

    /// The port.
    public let port: Int

    /// The credential for the proxy. Default: that of the URL, or none.
    ///
    /// Basic, Digest (RFC 7616) and Bearer for HTTP; a user with a password for SOCKS 5 (RFC 1929);
    /// the name of the user for SOCKS 4, both only where ``Credential/schemes`` allows Basic, since
    /// they are readable on the way. HTTP proxies get it when they ask for it (407); one that
    /// is ``Credential/isPreemptive``, as that of a URL is, at once, by Basic or Bearer. It is
    /// never sent to a server. Its ``Credential/persistence`` has no meaning here.
    public var credential: Credential?

    /// Makes a proxy of its parts.
    ///
    /// - Parameters:
    ///   - kind: The protocol that it speaks.
    ///   - host: A name or an IP address.
    ///   - port: The port, from 1 to 65535. Default: nil, 443 for `https` and 1080 for the others,
    ///     as in curl.
    ///   - credential: The credential for it. Default: none.
    /// - Throws: ``NetworkingError/Code/invalidProxy`` for a host or a port that is none.
    public init(
        _ kind: Kind,
        host: String,
        port: Int? = nil,
        credential: Credential? = nil
    ) throws(NetworkingError) {
        let isBare = host.utf8.contains(ASCII.colon) && host.utf8.first != UInt8(ascii: "[")
        try self.init(
            kind,
            authority: isBare ? "[\(host)]" : host,
            port: port ?? kind.defaultPort,
            credential: credential
        )
    }

    /// Makes a proxy of its URL, as curl reads it: `[scheme://][user:password@]host[:port]`.
    ///
    /// The scheme is that of a ``Kind``, or `socks`, which is `socks4`; without one it is `http`.
    /// In a user and a password, `/`, `?` and `#` must be percent-encoded. Without a port it is 443
    /// for `https` and 1080 for the others. User and password may be percent-encoded. A path is
    /// ignored.
    ///
    /// - Parameter url: The URL.
    /// - Throws: ``NetworkingError/Code/invalidProxy`` for a scheme, a host or a port that is none.
    public init(_ url: String) throws(NetworkingError) {
        var rest = url[...]
        var kind = Kind.http
        if let mark = rest.utf8.firstRange(of: "://".utf8) {
            let scheme = rest[..<mark.lowerBound].lowercased()
            // curl takes `socks` for SOCKS 4, and desktops set it.
            guard let known = scheme == "socks" ? .socks4 : Kind.all.first(where: { $0.description == scheme }) else {
                // A password with “://” in it may be what was taken for a scheme.
                let isShown = scheme.utf8.allSatisfy(ASCII.isToken)
                throw Self.fault(
                    (isShown ? "“\(ASCII.escaped(scheme.utf8, limit: 20))” is not" : "The text before :// is not")
                        + " the scheme of a proxy, which is one of "
                        + "\(Kind.all.map(\.description).joined(separator: ", "))."
                )
            }
            kind = known
            rest = rest[mark.upperBound...]
        }
        let end = rest.utf8.firstIndex { byte in
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        }
        // A password with one of them would be taken for a host, be sent, and be shown.
        if let end, rest[end...].utf8.contains(UInt8(ascii: "@")) {
            throw Self.fault(
                "The URL of a proxy has an “@” behind a “/”, “?” or “#”. In a user or a password, they must be "
                    + "percent-encoded."
            )
        }
        rest = rest[..<(end ?? rest.endIndex)]
        var credential: Credential?
        // A password may have an `@` that is not escaped.
        if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            credential = Self.credential(rest[..<at])
            rest = rest[rest.utf8.index(after: at)...]
        }
        var port = kind.defaultPort
        if let colon = rest.utf8.lastIndex(of: ASCII.colon), rest.utf8.last != UInt8(ascii: "]") {
            let digits = rest[rest.utf8.index(after: colon)...]
            rest = rest[..<colon]
            if !digits.isEmpty {
                guard digits.utf8.allSatisfy(ASCII.isDigit), let number = Int(digits) else {
                    // It may be a password, where the host was forgotten.
                    throw Self.fault("The text behind the last “:” is not the port of a proxy.")
                }
                port = number
            }
        }
        try self.init(kind, authority: String(rest), port: port, credential: credential)
    }

    // The host may have brackets.
    private init(
        _ kind: Kind,
        authority: String,
        port: Int,
        credential: Credential?
    ) throws(NetworkingError) {
        guard (1...65_535).contains(port) else {
            throw Self.fault("The port \(port) of a proxy is not between 1 and 65535.")
        }
        guard let url = URL(string: "http://\(authority)/"), url.path == "/", url.port == nil, url.user == nil,
            let target = try? RequestTarget(url), case .host(let host, _) = target.origin.endpoint
        else {
            throw Self.fault(
                "“\(ASCII.escaped(authority.utf8, limit: 80))” is neither the name nor the IP address of a proxy."
            )
        }
        (self.kind, self.host, self.port, self.credential) = (kind, host, port, credential)
    }

    private static func credential(_ text: Substring) -> Credential? {
        let parts = text.utf8.split(separator: ASCII.colon, maxSplits: 1, omittingEmptySubsequences: false)
        let user = ASCII.percentDecoded(parts[0])
        let password = parts.count > 1 ? ASCII.percentDecoded(parts[1]) : []
        guard !user.isEmpty || !password.isEmpty else { return nil }
        var credential = Credential(user: user, password: password)
        credential.isPreemptive = true
        return credential
    }

    private static func fault(_ message: String) -> NetworkingError { NetworkingError(.invalidProxy, message) }

    /// The same, with a credential that is sent with these schemes alone.
    package func limited(to schemes: Set<AuthenticationScheme>) -> Proxy {
        var proxy = self
        proxy.credential?.schemes = schemes
        return proxy
    }

    /// Its place as an origin, for TLS and for the check of its certificate.
    var origin: Origin { Origin(isSecure: kind == .https, endpoint: .host(host, port: port)) }
}

extension Proxy: CustomStringConvertible {
    /// Its URL without the credential: `http://proxy.example:3128`.
    public var description: String { "\(kind)://\(origin.description)" }
}
