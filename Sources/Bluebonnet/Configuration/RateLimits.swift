/// The most requests that a session sends within a time, to each host and in all.
///
/// A request that would exceed a limit waits before it is sent, each hop of a redirect and each
/// retry by itself: those of a higher ``RequestPriority`` first, and of the same one in their
/// order. The wait counts for ``Timeouts/request``; where that is too short for it, the request
/// fails at once with ``NetworkingError/Code/rateLimited``. A task that is suspended while it waits
/// lets others pass, and has its place again when it is resumed. A request with
/// ``RequestProperties/obeysRateLimits`` `false` does not wait.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.rateLimits = RateLimits(
///     perHost: RateLimit(10, per: .seconds(1)),
///     hosts: ["api.example.com": RateLimit(5000, per: .seconds(3600), burst: 100)]
/// )
/// ```
///
/// No counterpart in AFNetworking or Alamofire.
public struct RateLimits: Sendable, Hashable {
    /// The limit of all requests of the session together. Default: nil, none.
    public var session: RateLimit?

    /// The limit of each host by itself. A name with the dot of the root (`example.com.`) is the
    /// same host as without. Default: nil, none.
    public var perHost: RateLimit?

    /// The limits of single hosts, in place of ``perHost``. A key is a name, an IP address, or `*.`
    /// and a domain for the hosts directly below it, each of which has the limit by itself.
    /// Default: none.
    ///
    /// With a key that is no host, each request fails with ``NetworkingError/Code/rateLimited``.
    public var hosts: [String: RateLimit]

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - session: The limit of all requests together. Default: none.
    ///   - perHost: The limit of each host. Default: none.
    ///   - hosts: The limits of single hosts. Default: none.
    public init(session: RateLimit? = nil, perHost: RateLimit? = nil, hosts: [String: RateLimit] = [:]) {
        self.session = session
        self.perHost = perHost
        self.hosts = hosts
    }
}

/// A number of requests within a time, evenly distributed: a token bucket.
///
/// No counterpart in AFNetworking or Alamofire.
public struct RateLimit: Sendable, Hashable {
    /// The number of requests within the ``interval``. At least 1.
    public var requests: Int

    /// The time. Zero or less: no limit.
    public var interval: Duration

    /// The number of requests that may be sent at once after a pause. Default: 1, so that there are
    /// never more than ``requests`` within an ``interval``, rounded up; with more, the first
    /// interval may have so many more. At least 1.
    public var burst: Int

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - requests: The number of requests. Less than 1 counts as 1.
    ///   - interval: The time. Default: one second.
    ///   - burst: The number of requests that may be sent at once. Default: 1.
    public init(_ requests: Int, per interval: Duration = .seconds(1), burst: Int = 1) {
        self.requests = requests
        self.interval = interval
        self.burst = burst
    }

    /// No limit: for a host among those that have one.
    public static let unlimited = RateLimit(1, per: .zero)
}
