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
    /// The error of a base that pins cannot protect; every request with a relative path fails with
    /// it.
    private let unprotected: NetworkingError?
    /// The URLs that were made last, by the text they were asked for with. Programs ask for few
    /// paths, many times, and parsing a URL and taking it apart costs a ninth of a small request.
    private let made = Mutex<[String: ResolvedURL]>([:])

    static let mostKept = 64
    /// Texts that are kept are short: long ones come from data and seldom come again.
    static let longestKept = 256

    /// The base of a session, whose pins it must fit.
    init(_ url: URL?, invalid: NetworkingError? = nil, in configuration: SessionConfiguration? = nil) {
        self.invalid = invalid
        unprotected = configuration.flatMap { Self.unprotected(url, $0) }
        guard let url else {
            self.url = nil
            prefix = nil
            return
        }
        let base = Self.withSlash(url)
        self.url = base
        let hasPlainPath = base.query == nil && base.fragment == nil && base.path(percentEncoded: true).hasSuffix("/")
        prefix = hasPlainPath && unprotected == nil ? base.absoluteString : nil
    }

    /// The same base for another session.
    func `in`(_ configuration: SessionConfiguration) -> BaseURL {
        BaseURL(url, invalid: invalid, in: configuration)
    }

    /// AFHTTPSessionManager refuses a policy with pins for a base that is not https.
    private static func unprotected(_ url: URL?, _ configuration: SessionConfiguration) -> NetworkingError? {
        guard let url, let scheme = url.scheme?.lowercased(), !scheme.hasPrefix("https") else { return nil }
        do {
            let policy = try configuration.policy(for: url.host() ?? "", at: Date())
            guard let policy, policy.pinningMode != .none else { return nil }
        } catch {
            return error
        }
        return NetworkingError(
            .invalidTrustConfiguration,
            "The security policy has pins, and the base URL begins with “\(scheme)”: only the certificates of https can be "
                + "compared with pins. Whole https URLs can be requested."
        )
    }

    convenience init(_ text: String, in configuration: SessionConfiguration? = nil) {
        let url = URL(string: URLText.encoded(text)).flatMap { $0.scheme == nil ? nil : $0 }
        let error = NetworkingError(
            .invalidURL,
            "The base URL is not a whole URL, such as https://example.com/v1/: \(Self.shown(text))"
        )
        self.init(url, invalid: url == nil ? error : nil, in: configuration)
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
        guard Self.isKept(path) else { return ResolvedURL(try resolve(path)) }
        if let known = made.withLock({ $0[path] }) { return known }
        let resolved = ResolvedURL(try resolve(path))
        made.withLock { urls in
            // All are removed at once: keeping an order would cost more than what it saves.
            if urls.count >= Self.mostKept { urls.removeAll(keepingCapacity: true) }
            urls[path] = resolved
        }
        return resolved
    }

    /// Whether the URL of a path is kept. Texts that look alike are equal, even if their bytes
    /// differ; in ASCII they do not differ.
    private static func isKept(_ path: String) -> Bool {
        let bytes = path.utf8.span
        guard bytes.count <= longestKept else { return false }
        for index in bytes.indices where bytes[index] >= 0x80 { return false }
        return true
    }

    /// The number of URLs that are kept.
    var keptCount: Int { made.withLock { $0.count } }

    /// The URL of a path; a whole URL wins over the base.
    func resolve(_ path: String) throws(NetworkingError) -> URL {
        if let prefix, Self.isPlain(path), let url = URL(string: prefix + path) { return url }
        let text = URLText.encoded(path)
        if let unprotected, text.isEmpty || URL(string: text)?.scheme == nil { throw unprotected }
        let resolved = text.isEmpty ? url : URL(string: text, relativeTo: url)?.absoluteURL
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
    /// Without user and password.
    let url: URL
    let target: RequestTarget?
    /// User and password that the text had.
    let credential: Credential?

    init(_ url: URL) {
        let split = url.absoluteString.utf8.contains(UInt8(ascii: "@")) ? url.splitCredential() : nil
        self.url = split?.url ?? url
        credential = split?.credential
        // The error of a URL that is not valid is thrown when the request is sent.
        target = try? RequestTarget(self.url)
    }
}

extension Request {
    /// Makes a request for a URL that may have been taken apart already.
    init(method: HTTPRequest.Method, resolved: ResolvedURL, headerFields: HTTPFields) {
        self.init(method: method, url: resolved.url, target: resolved.target, headerFields: headerFields)
        if let credential = resolved.credential {
            access = Access(credential: credential, origin: resolved.target?.origin)
        }
    }
}

extension BaseURL: CustomReflectable {
    /// The URL without user and password, so that a `dump` of a manager does not show them.
    var customMirror: Mirror { Mirror(self, children: ["url": url?.redactedDescription ?? "none"]) }
}
