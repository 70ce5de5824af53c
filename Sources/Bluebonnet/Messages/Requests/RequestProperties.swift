/// Choices that a request serializer sets on every request: only what is set here is set there, so that nothing overrides the
/// session's configuration by accident.
///
/// Counterpart of the six properties of `AFHTTPRequestSerializer` (`allowsCellularAccess`, `cachePolicy`, `HTTPShouldHandleCookies`,
/// `HTTPShouldUsePipelining`, `networkServiceType`, `timeoutInterval`). A value that a request has already is kept.
public struct RequestProperties: Sendable, Hashable {
    /// Whether the request may use a network that costs money, such as a cellular one. Default: not set.
    ///
    /// Carried for interceptors and transports: the engine knows nothing of what a network costs.
    public var allowsExpensiveNetworkAccess: Bool?

    /// How a stored response may be used. Default: not set. Carried for interceptors: there is no cache yet.
    public var cachePolicy: CachePolicy?

    /// Whether cookies are sent and stored. Default: not set. Carried for interceptors: there is no cookie jar yet.
    public var handlesCookies: Bool?

    /// Whether the request may be sent before the response to an earlier one on its connection. Default: not set.
    ///
    /// Carried only: the engine never pipelines, because one slow response delays all behind it and a lost connection loses
    /// them all (RFC 9112 §9.3.2).
    public var usesPipelining: Bool?

    /// How urgent the response is: sent as the header field `Priority` (RFC 9218 §5) unless the request has one. Default: not
    /// set.
    public var priority: RequestPriority?

    /// The longest time without a byte of the response, before the first one and between two; no connection may take longer to
    /// come about either. Default: not set, as is a value that is not above zero; the session's ``Timeouts/firstByte`` and
    /// ``Timeouts/betweenBytes``, 60 seconds, hold then.
    ///
    /// The meaning of `timeoutInterval`. ``Request/timeouts`` of the request wins over it.
    public var timeoutInterval: Duration?

    /// Makes properties of which none is set.
    public init() {}

    /// These properties, and those of another where these are not set.
    func filled(from other: RequestProperties) -> RequestProperties {
        var result = self
        result.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess ?? other.allowsExpensiveNetworkAccess
        result.cachePolicy = cachePolicy ?? other.cachePolicy
        result.handlesCookies = handlesCookies ?? other.handlesCookies
        result.usesPipelining = usesPipelining ?? other.usesPipelining
        result.priority = priority ?? other.priority
        result.timeoutInterval = timeoutInterval ?? other.timeoutInterval
        return result
    }
}
