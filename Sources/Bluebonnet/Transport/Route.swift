/// An origin and the endpoint through which it is reached: the key of the connection pool. Requests
/// with the same route share connections (RFC 9110 §4.3.1).
struct Route: Hashable, Sendable {
    let origin: Origin
    /// The endpoint that connections are made to: that of the origin, or of a proxy.
    let endpoint: Origin.Endpoint
    /// The versions of HTTP that are offered.
    let versions: HTTPVersionPolicy

    /// The route without a proxy.
    init(directTo origin: Origin, versions: HTTPVersionPolicy = .automatic) {
        self.init(to: origin, through: origin.endpoint, versions: versions)
    }

    init(to origin: Origin, through endpoint: Origin.Endpoint, versions: HTTPVersionPolicy = .automatic) {
        self.origin = origin
        self.endpoint = endpoint
        self.versions = versions
    }

    /// The origin alone is hashed: few routes have the same one, and the endpoint would cost time.
    func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
    }
}
