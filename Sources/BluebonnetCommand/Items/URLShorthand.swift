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
    /// - Returns: The URL as text; whether it is one has not been looked at.
    static func expand(_ argument: String, scheme: String = "http") -> String {
        // By bytes: a sign and a combining character behind it are one `Character`.
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

    /// The URL of a target behind a Unix-domain socket.
    ///
    /// - Parameters:
    ///   - url: A whole http or https URL.
    ///   - path: The path of the socket.
    /// - Returns: A URL with the scheme `http+unix` or `https+unix`.
    /// - Throws: ``CommandFailure`` for other URLs.
    static func overUnixSocket(_ url: URL, path: String) throws(CommandFailure) -> URL {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw .usage("--unix-socket goes with an http or https URL.")
        }
        var target = url.path(percentEncoded: true)
        if !target.hasPrefix("/") { target = "/" + target }
        if let query = url.query(percentEncoded: true) { target += "?" + query }
        // What is left free in a query has a meaning in the place of a host.
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
