import FoundationEssentials
import HTTPTypes

/// The things that a cache has to know of a request that it may answer, found in one pass over its
/// fields.
struct CacheRequest: Sendable {
    /// A condition of the request's own (RFC 9110 §13.1).
    enum Condition: Sendable, Hashable {
        case none
        /// The entity tags, or `*`.
        case noneMatch(String)
        case modifiedSince(String)
        /// One that the server alone can check: `If-Match` and `If-Unmodified-Since` (RFC 9111
        /// §4.3.2).
        case ofServer
    }

    let key: String
    let policy: CachePolicy
    let isHead: Bool
    private(set) var directives = CacheDirectives()
    private(set) var condition = Condition.none
    /// The value of `Range`.
    private(set) var range: String?
    /// The value of `If-Range`.
    private(set) var rangeCondition: String?
    /// Whether it carries credentials (RFC 9111 §3.5).
    private(set) var isAuthorized = false
    /// Whether it has directives of its own.
    private(set) var hasCacheControl = false

    /// Nil for a request that no stored response answers: of another method than GET and HEAD, or
    /// with a body, which no key has.
    init?(_ request: Request, policy: CachePolicy) {
        guard request.method == .get || request.method == .head, request.body?.length ?? 0 == 0,
            request.body == nil || request.body?.length == 0, let key = try? request.cacheKey
        else { return nil }
        self.key = key
        self.policy = policy
        isHead = request.method == .head
        note(request.headerFields)
    }

    private mutating func note(_ fields: HTTPFields) {
        var controls: [String] = []
        var (pragma, modifiedSince, noneMatch) = (String?.none, String?.none, String?.none)
        var isOfServer = false
        for field in fields {
            switch field.name.canonicalName {
            case "cache-control": controls.append(field.value)
            case "pragma": pragma = field.value
            case "authorization": isAuthorized = true
            case "range": range = field.value
            case "if-range": rangeCondition = field.value
            case "if-none-match": noneMatch = noneMatch.map { "\($0), \(field.value)" } ?? field.value
            case "if-modified-since": modifiedSince = field.value
            case "if-match", "if-unmodified-since": isOfServer = true
            default: break
            }
        }
        hasCacheControl = !controls.isEmpty
        if !controls.isEmpty { directives = CacheDirectives(controls) }
        // RFC 9111 §5.4: only where there is no Cache-Control, for servers of HTTP/1.0.
        if controls.isEmpty, pragma?.lowercased().contains("no-cache") == true {
            directives = CacheDirectives(["no-cache"])
        }
        if isOfServer {
            condition = .ofServer
        } else if let noneMatch {
            // RFC 9110 §13.2.2: If-Modified-Since does not count beside it.
            condition = .noneMatch(noneMatch)
        } else if let modifiedSince {
            condition = .modifiedSince(modifiedSince)
        }
    }

    /// Whether no request may be sent for it.
    var isOnlyIfCached: Bool { policy == .onlyIfCached || directives.flags.contains(.onlyIfCached) }

    /// Whether a complete response answers it, too, where it is for a range.
    var hasUsableRange: Bool { range.map(StoredAnswer.isAnswerable) ?? true }

    /// Whether several tasks may share one request for it. One with directives may want nothing of
    /// what another one has stored.
    var isShareable: Bool {
        !isHead && condition == .none && range == nil && !hasCacheControl
            && (policy == .default || policy == .forceCache)
    }
}

extension Request {
    /// The request with what its policy tells the caches on the way (Fetch §4.6), unless it has a
    /// `Cache-Control` of its own.
    func tellingCaches(_ policy: CachePolicy) -> Request {
        let directive: String
        switch policy {
        case .noCache: directive = "max-age=0"
        case .reload, .noStore: directive = "no-cache"
        case .default, .forceCache, .onlyIfCached: return self
        }
        guard !headerFields.contains(.cacheControl) else { return self }
        var request = self
        request.headerFields.append(HTTPField(name: .cacheControl, value: directive))
        return request
    }
}
