import FoundationEssentials
import HTTPTypes

/// The stored responses that a response to an unsafe method makes outdated (RFC 9111 §4.4).
enum CacheInvalidation {
    /// The methods that change nothing (RFC 9110 §9.2.1, and the registry of §16.1.1). Of one that
    /// is not known nobody can say so.
    private static let safeMethods: Set = ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "REPORT", "SEARCH"]

    static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        method == .get || method == .head || safeMethods.contains(method.rawValue)
    }

    /// The keys of what is outdated: the URL of the request, and those of `Location` and
    /// `Content-Location` where they have the same origin. None after an error.
    static func keys(after head: ResponseHead, to request: Request) -> [String] {
        guard !isSafe(request.method), 200..<400 ~= head.statusCode, let key = try? request.cacheKey else { return [] }
        var keys = [key]
        let origin = try? request.target.origin
        for name in [HTTPField.Name.location, .contentLocation] {
            guard let text = head.values(for: name).first,
                let url = URL(string: URLText.encoded(text), relativeTo: request.url)
            else { continue }
            var other = request
            other.url = url.absoluteURL
            // §4.4: of another origin nobody may remove anything.
            guard (try? other.target.origin) == origin, let key = try? other.cacheKey, !keys.contains(key)
            else { continue }
            keys.append(key)
        }
        return keys
    }
}
