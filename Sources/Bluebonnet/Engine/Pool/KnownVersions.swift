/// What a session has learned about the versions of HTTP that origins speak, as a value.
struct KnownVersions {
    private var http2: Set<Origin> = []
    private var http1: Set<Origin> = []
    private var tunnels: Set<Origin> = []
    private var streamLimits: [Origin: Int] = [:]

    /// The most origins of each kind; then all are forgotten, which costs a connection or a
    /// request.
    static let most = 10_000
    /// What a connection is likely to carry at once where HTTP/2 is spoken: the least that RFC 9113
    /// §6.5.2 recommends to servers.
    private static let usualStreams = 100

    /// Notes that an origin has spoken HTTP/2.
    mutating func note(http2 origin: Origin) {
        if http2.count >= Self.most { http2 = [] }
        http2.insert(origin)
    }

    /// Notes that an origin wants HTTP/1.1, though it has agreed upon HTTP/2.
    mutating func note(http1 origin: Origin) {
        if http1.count >= Self.most { http1 = [] }
        http1.insert(origin)
    }

    /// Notes the streams at once that an origin allows on a connection. No more are begun on its
    /// next connections before their settings have come: an origin with a low limit would refuse
    /// them.
    mutating func note(streams limit: Int, to origin: Origin) {
        if streamLimits.count >= Self.most { streamLimits = [:] }
        streamLimits[origin] = limit
    }

    /// The streams to begin on a new connection before its settings have come.
    func streams(to origin: Origin, atMost usual: Int) -> Int {
        min(usual, max(1, streamLimits[origin] ?? usual))
    }

    /// Notes whether an origin opens tunnels over HTTP/2 (RFC 8441).
    mutating func note(tunnels isOpening: Bool, to origin: Origin) {
        if !isOpening { tunnels.remove(origin) } else if tunnels.count < Self.most { tunnels.insert(origin) }
    }

    /// Whether an origin opens tunnels over HTTP/2.
    func opensTunnels(_ origin: Origin) -> Bool { tunnels.contains(origin) }

    /// Whether an origin wants HTTP/1.1.
    func isHTTP1(_ origin: Origin) -> Bool { http1.contains(origin) }

    /// The exchanges that a connection is likely to carry at once. Where HTTP/2 is not certain, it
    /// is one, so that nothing waits in vain: connections that turn out to be superfluous are given
    /// up.
    func expectedCapacity(along route: Route) -> Int {
        if route.versions == .http1_1 { return 1 }
        let isHTTP2 = route.versions.requiresHTTP2(to: route.origin) || http2.contains(route.origin)
        return isHTTP2 ? Self.usualStreams : 1
    }
}
