import FoundationEssentials

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
