/// Properties that a request serializer sets on every request. A property that is nil does not
/// change the request, so that nothing overrides the session's configuration by accident.
///
/// Counterpart of the six properties of `AFHTTPRequestSerializer` (`allowsCellularAccess`,
/// `cachePolicy`, `HTTPShouldHandleCookies`, `HTTPShouldUsePipelining`, `networkServiceType`,
/// `timeoutInterval`). A value that a request has already is kept.
public struct RequestProperties: Sendable, Hashable {
    /// Whether the request may use a network that costs money, such as a cellular one. Default: not
    /// set, which is true.
    ///
    /// With false, it fails with ``NetworkingError/Code/networkNotAllowed`` where the path to its
    /// host is ``NetworkPath/isExpensive``, or waits in a session that
    /// ``SessionConfiguration/waitsForConnectivity``. A host name is looked up, and the path to any
    /// of its addresses counts; where none of them has one, the default route. With a proxy, it is
    /// the path to the proxy. Where the path is not known, as on other systems than Linux, the
    /// request is sent. While a network that costs money is up, the request has a new connection:
    /// one that is open already may be over that network.
    public var allowsExpensiveNetworkAccess: Bool?

    /// Whether the request may use a mobile network, which is one over a modem
    /// (``NetworkPath/InterfaceKind/cellular``). Default: not set, which is true.
    ///
    /// With false, it fails or waits there as with ``allowsExpensiveNetworkAccess``, which is about
    /// these networks, too, and about those of telephones that share their connection.
    public var allowsCellularAccess: Bool?

    /// The use of a stored response, in a session with a ``SessionConfiguration/cache``. Default:
    /// not set, which is ``CachePolicy/default``.
    public var cachePolicy: CachePolicy?

    /// Whether the cookies of ``SessionConfiguration/cookieJar`` are sent, and those of the
    /// response stored. Default: not set, which is true.
    public var handlesCookies: Bool?

    /// Whether the request may be sent before the response to an earlier one on its connection.
    /// Default: not set.
    ///
    /// The engine ignores it and never pipelines: one slow response delays all after it, and a lost
    /// connection loses them all (RFC 9112 §9.3.2).
    public var usesPipelining: Bool?

    /// The urgency of the response: sent as the header field `Priority` (RFC 9218 §5) unless the
    /// request has one. While all connections to the host are busy, more urgent requests are sent
    /// first; see ``SessionTask/priority``. Default: not set.
    public var priority: RequestPriority?

    /// The longest time without a byte of the response, before the first one and between two; also
    /// the longest time to a ready connection. Default: not set, so that the session's
    /// ``Timeouts/firstByte`` and ``Timeouts/betweenBytes`` hold (60 seconds). A value that is not
    /// above zero counts as not set.
    ///
    /// It means the same as `timeoutInterval` in AFNetworking. ``Request/timeouts`` of the request
    /// wins over it.
    public var timeoutInterval: Duration?

    /// The longest time of the whole exchange, in place of ``Timeouts/request``. Default: not set.
    /// Zero or less fails the request at once.
    ///
    /// It is the `timeout:` of a call. ``timeoutInterval`` is another limit, and both hold.
    public var requestTimeout: Duration?

    /// The most requests that a download makes at once, each for another part of the file. Default:
    /// not set, which is one. Less than one counts as one, and more than 32 as 32.
    ///
    /// Each takes a connection (``SessionConfiguration/maximumConnectionsPerHost``). A server that
    /// cannot send parts, or has no strong validator for the file (RFC 9110 §8.8.1), gets one
    /// request, and so does a file system without extended attributes, since the partial file has
    /// to say what is missing of it. A server that refuses some of the requests gets fewer.
    ///
    /// It pays where a server, or the way to it, limits each connection; elsewhere one connection
    /// is as fast.
    public var downloadSegments: Int?

    /// Whether the body is offered to the server as a resumable upload, in place of
    /// ``SessionConfiguration/resumableUploads``; also for a task that is no ``UploadTask``.
    /// Default: not set.
    public var resumableUploads: ResumableUploads?

    /// Whether the request waits for the ``SessionConfiguration/rateLimits``. Default: not set,
    /// which is true. With false it is sent at once, and counts for no limit: for what must not
    /// wait, such as a sign-out or a question about the state of a server. For one that only goes
    /// before others, there is ``priority``.
    public var obeysRateLimits: Bool?

    /// Makes properties of which none is set.
    public init() {}

    /// These properties, and those of another where these are not set.
    func filled(from other: RequestProperties) -> RequestProperties {
        var result = self
        result.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess ?? other.allowsExpensiveNetworkAccess
        result.allowsCellularAccess = allowsCellularAccess ?? other.allowsCellularAccess
        result.cachePolicy = cachePolicy ?? other.cachePolicy
        result.handlesCookies = handlesCookies ?? other.handlesCookies
        result.usesPipelining = usesPipelining ?? other.usesPipelining
        result.priority = priority ?? other.priority
        result.timeoutInterval = timeoutInterval ?? other.timeoutInterval
        result.requestTimeout = requestTimeout ?? other.requestTimeout
        result.downloadSegments = downloadSegments ?? other.downloadSegments
        result.resumableUploads = resumableUploads ?? other.resumableUploads
        result.obeysRateLimits = obeysRateLimits ?? other.obeysRateLimits
        return result
    }
}

/// The urgency of a response (RFC 9218), for servers that send several at the same time, and for
/// requests that wait for a connection.
///
/// Counterpart of `NSURLRequest.networkServiceType`.
public struct RequestPriority: Sendable, Hashable, CustomStringConvertible {
    /// From 0, first, to 7, last. Default: 3.
    public let urgency: Int

    /// Whether the response is of use before it is complete, so that it may share the connection
    /// with others of its urgency. Default: false.
    public let isIncremental: Bool

    /// Makes a priority.
    ///
    /// - Parameters:
    ///   - urgency: From 0, first, to 7, last; other numbers count as the nearest. Default: 3.
    ///   - isIncremental: Whether the response is of use before it is complete. Default: false.
    public init(urgency: Int = 3, isIncremental: Bool = false) {
        self.urgency = min(max(urgency, 0), 7)
        self.isIncremental = isIncremental
    }

    /// For a response that a user waits for. Urgency 1.
    public static let responsive = RequestPriority(urgency: 1)
    /// The priority of a request that says nothing. Urgency 3.
    public static let normal = RequestPriority()
    /// For a response that no user waits for. Urgency 7, which RFC 9218 §4.1 keeps for background
    /// work.
    public static let background = RequestPriority(urgency: 7)

    /// The value of the header field (RFC 9218 §4): `u=1, i`, without what is the default; empty
    /// for ``normal``.
    public var description: String {
        let urgency = urgency == 3 ? nil : "u=\(urgency)"
        return [urgency, isIncremental ? "i" : nil].compactMap(\.self).joined(separator: ", ")
    }
}

/// The use of a stored response for a request, in a session with a ``SessionConfiguration/cache``.
///
/// Three of them also tell the caches on the way to the server, as the Fetch standard has it, by a
/// `Cache-Control` where the request has none. Without a cache nothing is told, and
/// ``onlyIfCached`` still sends nothing.
///
/// Counterpart of `NSURLRequestCachePolicy`; the names are those of the Fetch standard.
public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
    /// By the rules of HTTP (RFC 9111): `useProtocolCachePolicy`.
    case `default`
    /// A stored response is used only after the server has confirmed it:
    /// `reloadRevalidatingCacheData`. Sent with `Cache-Control: max-age=0`.
    case noCache = "no-cache"
    /// The server is asked whatever is stored, and its response is stored:
    /// `reloadIgnoringLocalCacheData`. Sent with `Cache-Control: no-cache`.
    case reload
    /// The server is asked, and nothing is stored: `reloadIgnoringLocalAndRemoteCacheData`. Sent
    /// with `Cache-Control: no-cache`.
    case noStore = "no-store"
    /// Any stored response is used, however old; the server is asked when there is none:
    /// `returnCacheDataElseLoad`.
    case forceCache = "force-cache"
    /// Any stored response is used, and the request fails with
    /// ``NetworkingError/Code/notCached`` when there is none: `returnCacheDataDontLoad`. So does a
    /// request that no stored response can answer, such as a POST. Nothing is sent.
    case onlyIfCached = "only-if-cached"
}
