/// The part that the cache of the session had in a response, as the field `Cache-Status` (RFC 9211)
/// says it.
///
/// It is on ``Response/cacheStatus`` and ``TransportResponse/cacheStatus``, and not among the
/// header fields, which are those of the server. ``description`` is the value of the field:
/// `Bluebonnet; hit; ttl=30`.
///
/// Counterpart of `resourceFetchType` of `NSURLSessionTaskTransactionMetrics`, which says less.
public struct CacheStatus: Sendable, Hashable {
    /// The reason why a request went to the server (RFC 9211 §2.2). A struct, so that a new one
    /// does not break a `switch`.
    ///
    /// No counterpart in AFNetworking or Alamofire.
    public struct Forward: Sendable, Hashable, CustomStringConvertible {
        /// The name of the reason: `uri-miss`.
        public let description: String

        /// The cache was told not to handle the request, as by ``CachePolicy/noStore``.
        public static let bypass = Forward(description: "bypass")
        /// The method of the request is neither GET nor HEAD, or it has a body.
        public static let method = Forward(description: "method")
        /// Nothing is stored for the URL.
        public static let uriMiss = Forward(description: "uri-miss")
        /// What is stored for the URL is for requests with other header fields (`Vary`).
        public static let varyMiss = Forward(description: "vary-miss")
        /// What is stored may not be used because of the request: its policy, `no-cache`, or a
        /// condition that only the server can check.
        public static let request = Forward(description: "request")
        /// What is stored is fresh, and only a part of what is wanted.
        public static let partial = Forward(description: "partial")
        /// What is stored is stale.
        public static let stale = Forward(description: "stale")
    }

    /// Whether the response came from the cache without a request to the server.
    public var isHit = false

    /// The reason why the request went to the server; nil for a hit.
    public var forward: Forward?

    /// The status code of the server's response where it is not that of the response: 304 when the
    /// server has confirmed what was stored, and 206 when it has sent what was missing of a whole.
    public var forwardStatus: Int?

    /// The seconds for which the stored response is still fresh; below zero when it was used
    /// although it is stale. Nil where nothing stored was used.
    public var timeToLive: Int?

    /// Whether the response of the server is stored, if its body comes whole.
    public var isStored = false

    /// Whether the request waited for that of another task for the same URL.
    public var isCollapsed = false

    /// A few words more, such as the reason why a response is not stored; nil for none.
    public var detail: String?

    /// Makes the status of a response that no cache has seen.
    public init() {}

    /// Whether the body is a stored one: of a hit, or one that the server has confirmed.
    public var isFromCache: Bool { isHit || forwardStatus == 304 }
}

extension CacheStatus: CustomStringConvertible {
    /// The value of the field `Cache-Status`: `Bluebonnet; fwd=stale; fwd-status=304; ttl=60`.
    public var description: String {
        var parts = ["Bluebonnet"]
        if isHit { parts.append("hit") }
        if let forward { parts.append("fwd=\(forward)") }
        if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
        if let timeToLive { parts.append("ttl=\(timeToLive)") }
        if isStored { parts.append("stored") }
        if isCollapsed { parts.append("collapsed") }
        // §2.8: a token or a string; it is ours, and has no quotation marks.
        if let detail { parts.append("detail=\"\(detail)\"") }
        return parts.joined(separator: "; ")
    }
}
