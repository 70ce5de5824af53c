/// An origin and the way to it, through a proxy or not: the key of the connection pool. Requests
/// with the same route share connections (RFC 9110 §4.3.1).
struct Route: Hashable, Sendable {
    /// The use of a proxy. Behind a reference: most routes have none.
    indirect enum Passage: Hashable, Sendable {
        /// The proxy gets each request with the whole URL, and sends it on.
        case forwarding(Proxy)
        /// The proxy moves bytes between the client and the origin.
        case tunnel(Proxy)
        /// The connection leads to the proxy alone. By HTTP/2, it carries the tunnels and the
        /// forwarded requests of many origins at once.
        case shared(Proxy)

        /// - Parameters:
        ///   - proxy: The proxy.
        ///   - origin: The server.
        ///   - needsTunnel: Whether the proxy must not see requests, as when another protocol
        ///     follows; those for `https` it never sees.
        init(_ proxy: Proxy, to origin: Origin, needsTunnel: Bool) {
            self = needsTunnel || origin.isSecure || proxy.kind.isSOCKS ? .tunnel(proxy) : .forwarding(proxy)
        }

        var proxy: Proxy {
            switch self {
            case .forwarding(let proxy), .tunnel(let proxy), .shared(let proxy): proxy
            }
        }

        /// The proxy that gets the requests themselves; nil for a tunnel.
        var forwardingProxy: Proxy? {
            if case .forwarding(let proxy) = self { proxy } else { nil }
        }
    }

    let origin: Origin
    /// The endpoint that connections are made to: that of the proxy, or of the origin, unless the
    /// session has another one for it.
    let endpoint: Origin.Endpoint
    /// Nil without a proxy. Connections through proxies with different credentials are different.
    let passage: Passage?
    /// The versions of HTTP that are offered.
    let versions: HTTPVersionPolicy

    /// The route without a proxy.
    init(directTo origin: Origin, versions: HTTPVersionPolicy = .automatic) {
        self.init(to: origin, through: nil, versions: versions)
    }

    /// - Parameters:
    ///   - origin: The origin.
    ///   - passage: The use of a proxy; nil for none.
    ///   - endpoints: The endpoints that are connected to in place of those of origins.
    ///   - versions: The versions of HTTP that are offered.
    init(
        to origin: Origin,
        through passage: Passage?,
        _ endpoints: EndpointOverrides = EndpointOverrides(),
        versions: HTTPVersionPolicy = .automatic
    ) {
        self.origin = origin
        self.passage = passage
        endpoint = passage?.proxy.origin.endpoint ?? endpoints.endpoint(for: origin.endpoint)
        self.versions =
            switch passage {
            // Nothing is agreed upon with the server: the proxy sends it what it likes.
            case .forwarding: .http1_1
            case .shared: .automatic
            case .tunnel, nil: versions
            }
    }

    /// The proxy; nil for none.
    var proxy: Proxy? { passage?.proxy }

    /// The route of the connections that carry what goes along this one where its proxy speaks
    /// HTTP/2; nil without a proxy that may.
    var shared: Route? {
        guard let proxy, proxy.kind == .https else { return nil }
        return Route(to: proxy.origin, through: .shared(proxy))
    }

    /// Whether connections lead to the proxy alone.
    var isShared: Bool {
        if case .shared = passage { true } else { false }
    }

    /// The origin alone is hashed: few routes have the same one, and the rest would cost time.
    func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
    }
}
