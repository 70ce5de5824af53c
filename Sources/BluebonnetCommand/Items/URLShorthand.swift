import Bluebonnet
import FoundationEssentials

/// The URL argument: whole URLs, and the shorter ways to write one.
///
/// - `:8080/path` and `:/path` are `localhost`.
/// - `host/path` and `://host/path` get the scheme `http`.
enum URLShorthand {
    /// The whole URL as text.
    ///
    /// - Parameters:
    ///   - argument: The argument as the shell passes it.
    ///   - scheme: The scheme of a URL that has none. Default: http.
    /// - Returns: The URL as text, which has not been checked.
    static func expand(_ argument: String, scheme: String = "http") -> String {
        // Compares bytes, since a sign and a combining character behind it are one `Character`.
        let bytes = argument.utf8
        if bytes.starts(with: "://".utf8) { return scheme + argument }
        if bytes.starts(with: "//".utf8) { return "\(scheme):\(argument)" }
        if bytes.first == UInt8(ascii: ":") {
            let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
            let port = bytes.dropFirst().prefix { !ends.contains($0) }
            return "\(scheme)://localhost" + (port.isEmpty ? "" : ":\(Substring(port))") + argument[port.endIndex...]
        }
        return hasScheme(argument) ? argument : "\(scheme)://\(argument)"
    }

    /// Whether the text begins with a scheme and `://` (RFC 3986 §3.1); `localhost:8080` does not.
    private static func hasScheme(_ text: String) -> Bool {
        guard let end = text.utf8.firstRange(of: "://".utf8) else { return false }
        let scheme = text[..<end.lowerBound]
        return scheme.first?.isLetter == true
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// The scheme of a URL in small letters, with that of HTTP for a WebSocket (RFC 6455 §3); empty
    /// where it has none.
    static func schemeOfHTTP(_ url: URL) -> String {
        switch url.scheme?.lowercased() {
        case "ws": "http"
        case "wss": "https"
        case let scheme: scheme ?? ""
        }
    }

    /// The URL of the same target over a Unix-domain socket.
    ///
    /// - Parameters:
    ///   - url: A whole http or https URL.
    ///   - path: The path of the socket.
    /// - Returns: A URL with the scheme `http+unix` or `https+unix`.
    /// - Throws: ``CommandFailure`` for other URLs.
    static func overUnixSocket(_ url: URL, path: String) throws(CommandFailure) -> URL {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw .usage("--unix-socket needs an http or https URL.")
        }
        var target = url.path(percentEncoded: true)
        if !target.hasPrefix("/") { target = "/" + target }
        if let query = url.query(percentEncoded: true) { target += "?" + query }
        // A slash and a question mark are allowed in a query, but have a meaning in a host.
        let name = QueryString().escape(path).replacing("/", with: "%2F").replacing("?", with: "%3F")
        guard !path.isEmpty, let result = URL(string: "\(scheme)+unix://\(name)\(target)") else {
            throw .usage("“\(path)” cannot be the path of a socket.")
        }
        return result
    }

    /// The value of `Host` for a URL: the port only when it is not the scheme's default (RFC 9110
    /// §7.2).
    static func host(of url: URL) -> String {
        guard url.scheme?.lowercased().hasSuffix("+unix") == false else { return "localhost" }
        let host = url.host(percentEncoded: false) ?? ""
        let shown = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let defaultPort = url.scheme?.lowercased() == "https" ? 443 : 80
        guard let port = url.port, port != defaultPort else { return shown }
        return "\(shown):\(port)"
    }
}
