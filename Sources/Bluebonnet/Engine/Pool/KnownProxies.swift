/// What a session has learned about the versions of HTTP that its proxies speak, as a value. Each
/// proxy is known by the route of its own connections (``Route/shared``).
struct KnownProxies {
    private var multiplexed: Set<Route> = []
    private var http1: Set<Route> = []
    private var tunnelling: Set<Route> = []

    /// The most proxies of each kind: an async closure can name as many as it likes.
    static let most = 256

    /// Whether a proxy has agreed to HTTP/2, so that all that leads through it shares connections.
    func isMultiplexed(_ shared: Route) -> Bool { multiplexed.contains(shared) }

    /// Whether a proxy is to be offered HTTP/1.1 alone: it wants that, though it has agreed to
    /// HTTP/2, or too many others are known.
    func wantsHTTP1(_ shared: Route) -> Bool {
        http1.contains(shared) || (multiplexed.count >= Self.most && !multiplexed.contains(shared))
    }

    /// Whether a proxy has opened a tunnel over HTTP/2.
    func opensTunnels(_ shared: Route) -> Bool { tunnelling.contains(shared) }

    /// Notes that a proxy has opened a tunnel over HTTP/2.
    mutating func note(tunnelAlong shared: Route) {
        if tunnelling.count < Self.most { tunnelling.insert(shared) }
    }

    /// Notes that a proxy has agreed to HTTP/2. Returns whether that is news; it is not kept where
    /// too many are known.
    mutating func note(http2 shared: Route) -> Bool {
        guard multiplexed.count < Self.most, !http1.contains(shared) else { return false }
        return multiplexed.insert(shared).inserted
    }

    /// Notes that a proxy wants HTTP/1.1, though it has agreed to HTTP/2.
    mutating func note(http1 shared: Route) {
        if http1.count >= Self.most { http1 = [] }
        http1.insert(shared)
    }

    /// Forgets that a proxy has agreed to HTTP/2. Returns whether it was known.
    mutating func forget(http2 shared: Route) -> Bool { multiplexed.remove(shared) != nil }
}
