import FoundationEssentials

/// AFNetworking's rules for relative paths, without parsing the base again for every request.
struct BaseURL: Sendable {
    /// The base, with a trailing slash when it has a path.
    let url: URL?
    /// The base as text when appending a plain relative path to it is all that resolving would do.
    private let prefix: String?

    init(_ url: URL?) {
        guard let url else {
            self.url = nil
            prefix = nil
            return
        }
        let text = url.absoluteString
        // AFHTTPSessionManager: a slash is added iff there is a path and the text does not end in one.
        let isOpen = !url.path(percentEncoded: true).isEmpty && !text.hasSuffix("/")
        let base = isOpen && url.query == nil && url.fragment == nil ? URL(string: text + "/") ?? url : url
        self.url = base
        let hasPlainPath = base.query == nil && base.fragment == nil && base.path(percentEncoded: true).hasSuffix("/")
        prefix = hasPlainPath ? base.absoluteString : nil
    }

    /// The URL of a path; a whole URL wins over the base.
    func resolve(_ path: String) throws(NetworkingError) -> URL {
        if let prefix, Self.isPlain(path), let url = URL(string: prefix + path) { return url }
        guard !path.isEmpty || url != nil,
            let resolved = URL(string: path, relativeTo: url)?.absoluteURL ?? (path.isEmpty ? url : nil),
            resolved.scheme != nil
        else {
            let shown = path.isEmpty ? "An empty path" : "“\(path.prefix { $0 != "?" })”"
            throw NetworkingError(
                .invalidURL,
                url == nil ? "\(shown) is not a whole URL, and there is no base URL." : "\(shown) is not a URL."
            )
        }
        return resolved
    }

    /// Letters, digits and single slashes without dots: what RFC 3986 §5.2 merges by appending.
    private static func isPlain(_ path: String) -> Bool {
        var previous = UInt8(ascii: "/")
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                break
            case UInt8(ascii: "/"), UInt8(ascii: "."):
                // A leading slash, an empty segment, or a segment that begins with a dot needs the whole algorithm.
                if previous == UInt8(ascii: "/") { return false }
            default: return false
            }
            previous = byte
        }
        return previous != UInt8(ascii: "/") || path.utf8.isEmpty == false && path.utf8.count > 1
    }
}
