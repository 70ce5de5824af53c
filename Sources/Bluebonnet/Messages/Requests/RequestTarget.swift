import FoundationEssentials
import NIOCore

/// A request's URL, taken apart once: where to connect, what to put into `Host` and into the
/// request line.
struct RequestTarget: Sendable, Hashable {
    var origin: Origin
    /// The value of the `Host` field (RFC 9110 §7.2): the port only when it is not the scheme's
    /// default.
    var host: String
    /// The origin form of the request target (RFC 9112 §3.2.1).
    var path: String

    init(_ url: URL) throws(NetworkingError) {
        guard let scheme = url.scheme?.lowercased() else {
            throw NetworkingError(
                .invalidURL,
                "The URL “\(url.redactedDescription)” has no scheme; write http:// or https:// first."
            )
        }
        let isSecure: Bool
        let isUnix: Bool
        switch scheme {
        case "http": (isSecure, isUnix) = (false, false)
        case "https": (isSecure, isUnix) = (true, false)
        case "http+unix": (isSecure, isUnix) = (false, true)
        case "https+unix": (isSecure, isUnix) = (true, true)
        default:
            throw NetworkingError(
                .unsupportedScheme,
                "The scheme “\(scheme)” is not supported; it is one of http, https, http+unix and https+unix."
            )
        }
        guard let name = url.host(percentEncoded: false), !name.isEmpty else {
            throw NetworkingError(.invalidURL, "The URL “\(url.redactedDescription)” has no host.")
        }
        // The system's functions read a text up to its first zero byte, and would connect to
        // another place.
        guard !name.utf8.contains(0) else { throw Self.noHost(name) }
        if isUnix {
            origin = Origin(isSecure: isSecure, endpoint: .unixSocket(Origin.SocketPath(name)))
            host = "localhost"
        } else {
            let defaultPort = isSecure ? 443 : 80
            let port = url.port ?? defaultPort
            guard (1...65_535).contains(port) else {
                throw NetworkingError(.invalidURL, "The port \(port) is not between 1 and 65535.")
            }
            let isBracketed = name.utf8.first == UInt8(ascii: "[") && name.utf8.last == UInt8(ascii: "]")
            let bare = isBracketed ? String(name.dropFirst().dropLast()) : name
            let isVersion6 = bare.utf8.contains(UInt8(ascii: ":"))
            guard isVersion6 ? Self.isAddress(bare) : !isBracketed && Self.isName(bare) else {
                throw Self.noHost(name)
            }
            let folded = Self.lowercased(bare)
            origin = Origin(isSecure: isSecure, endpoint: .host(folded, port: port))
            // RFC 6874 §4: a zone has a meaning on this machine only, and is not sent.
            let shown = isVersion6 ? "[\(bare.prefix { $0 != "%" })]" : bare
            host = port == defaultPort ? shown : "\(shown):\(port)"
        }
        var path = url.path(percentEncoded: true)
        // RFC 9112 §3.2.1: an empty path is sent as "/".
        if path.utf8.first != UInt8(ascii: "/") { path = "/" + path }
        if let query = url.query(percentEncoded: true) { path += "?" + query }
        self.path = path
    }

    /// RFC 3986 §3.2.2: a host with colons, or in brackets, is an address of IPv6. A zone may
    /// follow it (RFC 6874 §2).
    private static func isAddress(_ host: String) -> Bool {
        (try? SocketAddress(ipAddress: String(host.prefix { $0 != "%" }), port: 0)) != nil
    }

    /// Whether a name has no byte that other programs take for its end: control characters, space
    /// and what separates the parts of a URL. Percent-encoding may bring them here (RFC 3986 §7.3).
    /// Letters outside ASCII have another form, `xn--…` (RFC 5890 §2.3.2.1), in what is looked up
    /// and sent. URLs of Foundation have it; those of FoundationEssentials do not.
    private static func isName(_ host: String) -> Bool {
        host.utf8.allSatisfy { byte in
            switch byte {
            case 0...0x20, 0x7F, UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: "<"),
                UInt8(ascii: ">"), UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "\\"),
                UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "|"), 0x80...:
                false
            default: true
            }
        }
    }

    private static func noHost(_ name: String) -> NetworkingError {
        let shown = ASCII.escaped(name.utf8, limit: 80)
        return NetworkingError(.invalidURL, "“\(shown)” is neither the name of a host nor an IP address.")
    }

    /// Host names compare without case (RFC 3986 §3.2.2); most are in lower case already.
    private static func lowercased(_ host: String) -> String {
        host.utf8.contains { (65...90).contains($0) } ? host.lowercased() : host
    }
}

extension URL {
    /// The URL of the opening request of a `ws` or `wss` URL (RFC 6455 §3): the same with `http` or
    /// `https`; nil for other schemes.
    ///
    /// RFC 6455 §3: such a URL has no fragment.
    var webSocketAsHTTP: URL? {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return nil }
        switch components.scheme?.lowercased() {
        case "ws": components.scheme = "http"
        case "wss": components.scheme = "https"
        case "ws+unix": components.scheme = "http+unix"
        case "wss+unix": components.scheme = "https+unix"
        default: return nil
        }
        components.fragment = nil
        return components.url
    }
}
