/// The server of an HTTP/2 connection: where it is, and what it has shown in the handshake.
struct ServerProof: Sendable, Equatable {
    /// One end of a connection.
    struct Endpoint: Hashable, Sendable {
        let address: IPAddress
        let port: Int
    }

    let endpoint: Endpoint
    /// The certificates in DER, the server's own first.
    let certificates: [[UInt8]]
    /// The settings of the handshake, with the client certificate that was shown.
    let source: TLSContextSource
    /// The authorities that were trusted.
    let anchors: TrustAnchors
    /// The names of the server's own certificate: it is compared with those of many hosts, nearly
    /// all of which it is not for.
    var names = PresentedIdentifiers(names: [])

    static func == (one: ServerProof, other: ServerProof) -> Bool {
        one.endpoint == other.endpoint && one.source === other.source && one.certificates == other.certificates
    }
}

/// Which routes use the HTTP/2 connections of another one, without I/O (RFC 9113 §9.1.1).
///
/// A route is joined to another one, the owner of connections, where both have the same address and
/// the certificate of the owner is good for both: its requests wait in the queue of the owner, and
/// run on the connections that are there. It is separated from it when it has a connection of its
/// own, when the owner has none any more, or one with another address or certificate, and when a
/// server has refused it by 421.
struct CoalescedRoutes {
    /// A route whose connections may serve another one.
    struct Candidate {
        let owner: Route
        let proof: ServerProof
    }

    /// The end of the use of another route's connections.
    struct Separation: Hashable {
        let route: Route
        let owner: Route
    }

    private struct Owner {
        /// The proof of all its connections.
        let proof: ServerProof
        var joined: Set<Route> = []
    }

    /// The routes with open connections that have all given the same proof.
    private var owners: [Route: Owner] = [:]
    private var ownersAt: [ServerProof.Endpoint: [Route]] = [:]
    /// The owners of joined routes.
    private var joined: [Route: Route] = [:]
    /// The addresses of routes that are being connected to.
    private var dialled: [Route: Set<ServerProof.Endpoint>] = [:]
    private var diallingTo: [ServerProof.Endpoint: Set<Route>] = [:]
    /// The origins that have connections of their own only.
    private var apart: Set<Origin> = []

    /// The owners of one address that are looked at for a route.
    static let mostCandidates = 8
    /// The most routes that use another one's connections; the others have their own.
    static let mostJoined = 10_000
    /// The most origins that are kept apart; then all are forgotten, which costs another 421.
    static let mostApart = 10_000

    /// The route in whose queue the exchanges of a route are: its own, or that of its owner.
    func queue(of route: Route) -> Route {
        joined.isEmpty ? route : joined[route] ?? route
    }

    /// Whether a route is joined to another one.
    func isJoined(_ route: Route) -> Bool { joined[route] != nil }

    /// Whether a route could use the connections of another one.
    ///
    /// A proxy may choose another server for each name, and a name without TLS proves nothing.
    private func mayJoin(_ route: Route) -> Bool {
        route.origin.isSecure && route.passage == nil && route.versions != .http1_1
            && joined[route] == nil && owners[route] == nil && !apart.contains(route.origin)
    }

    // MARK: Dialling

    /// Notes the addresses of a route that is about to be connected to. Returns the owners that are
    /// connected to one of them.
    mutating func dials(_ route: Route, to endpoints: [ServerProof.Endpoint]) -> [Candidate] {
        guard mayJoin(route) else { return [] }
        for endpoint in endpoints {
            dialled[route, default: []].insert(endpoint)
            diallingTo[endpoint, default: []].insert(route)
        }
        var found: [Route] = []
        for endpoint in endpoints {
            let room = Self.mostCandidates - found.count
            found += (ownersAt[endpoint] ?? []).filter { !found.contains($0) }.prefix(room)
        }
        return found.compactMap { owner in
            owners[owner].map { Candidate(owner: owner, proof: $0.proof) }
        }
    }

    /// Forgets the addresses of a route that is no longer being connected to.
    mutating func endDial(_ route: Route) {
        for endpoint in dialled.removeValue(forKey: route) ?? [] {
            diallingTo[endpoint]?.remove(route)
            if diallingTo[endpoint]?.isEmpty == true { diallingTo[endpoint] = nil }
        }
    }

    /// The routes that are being connected to the server of a proof, and could use a connection
    /// that has it.
    func dialling(to proof: ServerProof) -> Set<Route> { diallingTo[proof.endpoint] ?? [] }

    // MARK: Joining and separation

    /// Lets a route use the connections of a candidate. False where that has ended, or the route
    /// may not any more.
    mutating func join(_ route: Route, to candidate: Candidate) -> Bool {
        guard mayJoin(route), joined.count < Self.mostJoined, owners[candidate.owner]?.proof == candidate.proof else {
            return false
        }
        owners[candidate.owner]?.joined.insert(route)
        joined[route] = candidate.owner
        endDial(route)
        return true
    }

    private mutating func separate(_ route: Route) -> [Separation] {
        guard let owner = joined.removeValue(forKey: route) else { return [] }
        owners[owner]?.joined.remove(route)
        return [Separation(route: route, owner: owner)]
    }

    private mutating func removeOwner(_ route: Route) -> [Separation] {
        guard let owner = owners.removeValue(forKey: route) else { return [] }
        ownersAt[owner.proof.endpoint]?.removeAll { $0 == route }
        if ownersAt[owner.proof.endpoint]?.isEmpty == true { ownersAt[owner.proof.endpoint] = nil }
        for route in owner.joined { joined[route] = nil }
        return owner.joined.map { Separation(route: $0, owner: route) }
    }

    /// A route has another open connection.
    ///
    /// - Parameters:
    ///   - proof: What its server has shown; nil for one that serves no other origin.
    ///   - route: The route.
    ///   - isOnly: Whether it has no other open connection.
    /// - Returns: The joined routes that are separated.
    mutating func opened(_ proof: ServerProof?, along route: Route, isOnly: Bool) -> [Separation] {
        endDial(route)
        var separated = separate(route)
        if !isOnly {
            // Its requests are sent on any of them, so all must be good for all that are joined.
            if let owner = owners[route], owner.proof != proof { separated += removeOwner(route) }
        } else if let proof {
            owners[route] = Owner(proof: proof)
            ownersAt[proof.endpoint, default: []].append(route)
        }
        return separated
    }

    /// The last connection of a route is lost, or takes no more requests. Returns the joined routes
    /// that are separated.
    mutating func closedLast(of route: Route) -> [Separation] { removeOwner(route) }

    /// RFC 9110 §15.5.20: a server has refused an origin on the connection of another one. Returns
    /// the joined routes that are separated.
    mutating func keepApart(_ origin: Origin) -> [Separation] {
        if apart.count >= Self.mostApart { apart = [] }
        guard apart.insert(origin).inserted else { return [] }
        return joined.keys.filter { $0.origin == origin }.flatMap { separate($0) }
    }
}
