/// The way to an origin: what the pool keeps connections by. Requests share a connection (RFC 9110
/// §4.3.1) where they go to one origin and take the same way to it.
struct Route: Hashable, Sendable {
    let origin: Origin
    /// Where the connection is dialled to.
    let firstHop: Origin.Endpoint

    /// The way to the origin with nothing in between.
    init(directTo origin: Origin) {
        self.init(to: origin, through: origin.endpoint)
    }

    init(to origin: Origin, through firstHop: Origin.Endpoint) {
        self.origin = origin
        self.firstHop = firstHop
    }

    /// Few routes lead to one origin, so that the rest would only make the hash dearer.
    func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
    }
}
