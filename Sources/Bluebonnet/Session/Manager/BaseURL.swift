import FoundationEssentials
import HTTPTypes
import Synchronization

/// AFNetworking's rules for relative paths, without parsing the base again for every request.
///
/// A class, because every copy of a manager refers to it.
final class BaseURL: Sendable {
    /// The base, with a trailing slash when it has a path.
    let url: URL?
    /// The base as text when appending a plain relative path to it is all that resolving would do.
    private let prefix: String?
    /// The error of a base that is not a URL; every request with a relative path fails with it.
    private let invalid: NetworkingError?
    /// The URLs that were made last, by the text they were asked for with. Programs ask for few
    /// paths, many times, and parsing a URL and taking it apart costs a ninth of a small request.
    private let made = Mutex<[String: ResolvedURL]>([:])

    static let mostKept = 64
    /// Texts that are kept are short: long ones come from data and seldom come again.
    static let longestKept = 256

    init(_ url: URL?, invalid: NetworkingError? = nil) {
        self.invalid = invalid
        guard let url else {
            self.url = nil
            prefix = nil
            return
        }
        let base = Self.withSlash(url)
        self.url = base
        let hasPlainPath = base.query == nil && base.fragment == nil && base.path(percentEncoded: true).hasSuffix("/")
        prefix = hasPlainPath ? base.absoluteString : nil
    }

    convenience init(_ text: String) {
        let url = URL(string: text).flatMap { $0.scheme == nil ? nil : $0 }
        let error = NetworkingError(
            .invalidURL,
            "The base URL is not a whole URL, such as https://example.com/v1/: \(Self.shown(text))"
        )
        self.init(url, invalid: url == nil ? error : nil)
    }

    /// AFHTTPSessionManager: a slash is added to the path iff there is a path and the whole text
    /// does not end in one.
    private static func withSlash(_ url: URL) -> URL {
        let path = url.path(percentEncoded: true)
        guard !path.isEmpty, !path.hasSuffix("/"), !url.absoluteString.hasSuffix("/"),
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        components.percentEncodedPath += "/"
        return components.url ?? url
    }

    /// The URL of a path, taken apart for the engine.
    func resolved(_ path: String) throws(NetworkingError) -> ResolvedURL {
        // Texts that look alike are equal, even if their bytes differ; in ASCII they do not differ.
        guard path.utf8.count <= Self.longestKept, path.utf8.allSatisfy({ $0 < 0x80 }) else {
            return ResolvedURL(try resolve(path))
        }
        if let known = made.withLock({ $0[path] }) { return known }
        let resolved = ResolvedURL(try resolve(path))
        made.withLock { urls in
            // All are removed at once: keeping an order would cost more than what it saves.
            if urls.count >= Self.mostKept { urls.removeAll(keepingCapacity: true) }
            urls[path] = resolved
        }
        return resolved
    }

    /// The number of URLs that are kept.
    var keptCount: Int { made.withLock { $0.count } }

    /// The URL of a path; a whole URL wins over the base.
    func resolve(_ path: String) throws(NetworkingError) -> URL {
        if let prefix, Self.isPlain(path), let url = URL(string: prefix + path) { return url }
        let resolved = path.isEmpty ? url : URL(string: path, relativeTo: url)?.absoluteURL
        if let resolved, resolved.scheme != nil { return resolved }
        if let invalid { throw invalid }
        throw NetworkingError(
            .invalidURL,
            url == nil
                ? "\(Self.shown(path)) is not a whole URL, and there is no base URL."
                : "\(Self.shown(path)) is not a URL."
        )
    }

    /// A text for messages, without the parts that may be secrets.
    private static func shown(_ text: String) -> String {
        guard !text.isEmpty else { return "An empty path" }
        // By bytes: a sign with an accent behind it is another character, but separates parts all
        // the same.
        guard !text.utf8.contains(UInt8(ascii: "@")) else { return "A text with “@”" }
        return "“\(String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self))”"
    }

    /// Whether RFC 3986 §5.2 would only append the path: letters, digits, single slashes, and dots
    /// that do not begin a segment.
    private static func isPlain(_ path: String) -> Bool {
        var previous = UInt8(ascii: "/")
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                break
            case UInt8(ascii: "/"), UInt8(ascii: "."):
                // A leading slash, an empty segment, or a segment that begins with a dot needs the
                // whole algorithm.
                if previous == UInt8(ascii: "/") { return false }
            default: return false
            }
            previous = byte
        }
        return !path.isEmpty
    }
}

/// A URL that was made of a text, with its parts for the engine if requests can be sent to it.
struct ResolvedURL: Sendable {
    let url: URL
    let target: RequestTarget?

    init(_ url: URL) {
        self.url = url
        // The error of a URL that is not valid is thrown when the request is sent.
        target = try? RequestTarget(url)
    }
}

extension Request {
    /// Makes a request for a URL that may have been taken apart already.
    init(method: HTTPRequest.Method, resolved: ResolvedURL, headerFields: HTTPFields) {
        self.init(method: method, url: resolved.url, target: resolved.target, headerFields: headerFields)
    }
}
