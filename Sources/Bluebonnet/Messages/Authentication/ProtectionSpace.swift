/// What credentials are for: a server or a proxy, the realm that it names, and the scheme (RFC 9110
/// §11.5).
///
/// Counterpart of `NSURLProtectionSpace`.
public struct ProtectionSpace: Sendable, Hashable {
    /// `http` or `https`.
    public let isSecure: Bool

    /// The host in lower case, without brackets; of a Unix-domain socket its path.
    public let host: String

    /// The port; 0 for a Unix-domain socket.
    public let port: Int

    /// The realm; nil where the server names none.
    public let realm: String?

    /// The scheme that the server asks for.
    public let scheme: AuthenticationScheme

    /// Whether a proxy asks, and not the server.
    public let isProxy: Bool

    /// Makes a protection space.
    ///
    /// - Parameters:
    ///   - host: The host, without brackets.
    ///   - port: The port.
    ///   - isSecure: Whether the URLs are `https`. Default: true.
    ///   - realm: The realm. Default: none.
    ///   - scheme: The scheme. Default: Basic.
    ///   - isProxy: Whether it is that of a proxy. Default: false.
    public init(
        host: String,
        port: Int,
        isSecure: Bool = true,
        realm: String? = nil,
        scheme: AuthenticationScheme = .basic,
        isProxy: Bool = false
    ) {
        self.host = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
        self.port = port
        self.isSecure = isSecure
        self.realm = realm
        self.scheme = scheme
        self.isProxy = isProxy
    }

    init(_ origin: Origin, _ challenge: HTTPChallenge, isProxy: Bool = false) {
        switch origin.endpoint {
        case .host(let host, let port): (self.host, self.port) = (host, port)
        case .unixSocket(let path): (host, port) = (path.text, 0)
        }
        isSecure = origin.isSecure
        realm = challenge.realm
        scheme = challenge.scheme
        self.isProxy = isProxy
    }
}

extension ProtectionSpace: CustomStringConvertible {
    /// Origin, scheme and realm: `https://example.com:443 basic “Members”`.
    public var description: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        let name = realm.map { " “\($0.shortened)”" } ?? ""
        return "\(isProxy ? "proxy " : "")\(isSecure ? "https" : "http")://\(shown):\(port) \(scheme)\(name)"
    }
}
