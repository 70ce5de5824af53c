import FoundationEssentials

/// A request's URL, taken apart once: where to connect, what to put into `Host` and into the request line.
struct RequestTarget: Sendable, Hashable {
    var origin: Origin
    /// The value of the `Host` field (RFC 9110 §7.2): the port only when it is not the scheme's default.
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
            throw NetworkingError(.invalidURL, "The URL “\(url.redactedDescription)” names no host.")
        }
        if isUnix {
            origin = Origin(isSecure: isSecure, endpoint: .unixSocket(name))
            host = "localhost"
        } else {
            let defaultPort = isSecure ? 443 : 80
            let port = url.port ?? defaultPort
            guard (1...65_535).contains(port) else {
                throw NetworkingError(.invalidURL, "The port \(port) is not between 1 and 65535.")
            }
            let bare = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
            let folded = Self.lowercased(bare)
            origin = Origin(isSecure: isSecure, endpoint: .host(folded, port: port))
            let shown = bare.utf8.contains(UInt8(ascii: ":")) ? "[\(bare)]" : bare
            host = port == defaultPort ? shown : "\(shown):\(port)"
        }
        var path = url.path(percentEncoded: true)
        // RFC 9112 §3.2.1: an empty path is sent as "/".
        if path.utf8.first != UInt8(ascii: "/") { path = "/" + path }
        if let query = url.query(percentEncoded: true) { path += "?" + query }
        self.path = path
    }

    /// Host names compare without case (RFC 3986 §3.2.2); most are in lower case already.
    private static func lowercased(_ host: String) -> String {
        host.utf8.contains { (65...90).contains($0) } ? host.lowercased() : host
    }
}
