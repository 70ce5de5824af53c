import Testing

@testable import Bluebonnet

/// The value in an object, so that expectations can change it.
private final class Probe {
    private var routes = CoalescedRoutes()

    func queue(of route: Route) -> Route { routes.queue(of: route) }

    func candidates(for route: Route, at endpoints: [ServerProof.Endpoint]) -> [CoalescedRoutes.Candidate] {
        routes.dials(route, to: endpoints)
    }

    func owners(for route: Route, at endpoints: ServerProof.Endpoint...) -> [Route] {
        candidates(for: route, at: endpoints).map(\.owner)
    }

    func endDial(_ route: Route) { routes.endDial(route) }

    func dialling(to proof: ServerProof) -> Set<Route> { routes.dialling(to: proof) }

    func join(_ route: Route, to candidate: CoalescedRoutes.Candidate) -> Bool {
        let isJoined = routes.join(route, to: candidate)
        #expect(routes.isJoined(route) == isJoined)
        return isJoined
    }

    /// Adds a connection. Returns the routes that are separated, all from this one or its owner.
    @discardableResult
    func opened(_ proof: ServerProof?, along route: Route, isOnly: Bool = true) -> Set<Route> {
        separated(routes.opened(proof, along: route, isOnly: isOnly))
    }

    func closedLast(of route: Route) -> Set<Route> { separated(routes.closedLast(of: route)) }

    func keepApart(_ origin: Origin) -> Set<Route> { separated(routes.keepApart(origin)) }

    private func separated(_ separations: [CoalescedRoutes.Separation]) -> Set<Route> {
        #expect(Set(separations).count == separations.count)
        return Set(separations.map(\.route))
    }
}

/// Which route uses the connections of which other one, as values.
@Suite struct CoalescedRoutesTests {
    private typealias Endpoint = ServerProof.Endpoint

    private static let source = TLSContextSource(settings: TLSSettings())
    private static let anchors = TrustAnchors([])
    private let here: Endpoint
    private let there: Endpoint
    private let a = Self.route("a.example.com")
    private let b = Self.route("b.example.com")
    private let c = Self.route("c.example.com")

    init() throws {
        here = Endpoint(address: try #require(IPAddress("192.0.2.1")), port: 443)
        there = Endpoint(address: try #require(IPAddress("192.0.2.2")), port: 443)
    }

    private static func origin(_ host: String, isSecure: Bool = true) -> Origin {
        Origin(isSecure: isSecure, endpoint: .host(host, port: 443))
    }

    private static func route(_ host: String, versions: HTTPVersionPolicy = .automatic) -> Route {
        Route(directTo: origin(host), versions: versions)
    }

    private func proof(
        at endpoint: Endpoint,
        _ certificate: UInt8 = 1,
        _ source: TLSContextSource = Self.source
    ) -> ServerProof {
        ServerProof(endpoint: endpoint, certificates: [[certificate]], source: source, anchors: Self.anchors)
    }

    /// A session with one connection to `a`.
    private var connected: Probe {
        let routes = Probe()
        routes.opened(proof(at: here), along: a)
        return routes
    }

    /// The same, and `b` uses it.
    private func joined() throws -> Probe {
        let routes = connected
        let candidate = try #require(routes.candidates(for: b, at: [here]).first)
        try #require(routes.join(b, to: candidate))
        return routes
    }

    // MARK: Joining

    @Test func `a route is served by another one with the same address and port`() throws {
        let routes = connected
        let candidates = routes.candidates(for: b, at: [there, here])
        #expect(candidates.map(\.owner) == [a] && candidates[0].proof == proof(at: here))
        #expect(routes.queue(of: b) == b)
        #expect(routes.join(b, to: candidates[0]))
        #expect(routes.queue(of: b) == a)
        #expect(routes.queue(of: a) == a && routes.queue(of: c) == c)
    }

    @Test func `another address or port has no candidates`() throws {
        let routes = connected
        #expect(routes.owners(for: b, at: there, Endpoint(address: here.address, port: 8443)).isEmpty)
    }

    @Test func `nothing but a direct route with TLS that may speak HTTP 2 is served by another one`() throws {
        let proxy = try Proxy("http://proxy:3128")
        let others = [
            Route(directTo: Self.origin("b.example.com", isSecure: false), versions: .http2PriorKnowledge),
            Self.route("b.example.com", versions: .http1_1),
            Route(to: Self.origin("b.example.com"), through: .tunnel(proxy)),
            // One that has connections of its own.
            a,
        ]
        for other in others {
            let routes = connected
            #expect(routes.owners(for: other, at: here).isEmpty)
            #expect(!routes.join(other, to: .init(owner: a, proof: proof(at: here))))
        }
        let routes = connected
        #expect(routes.owners(for: Self.route("b.example.com", versions: .http2), at: here).count == 1)
    }

    @Test func `a connection that proves nothing serves no other route`() {
        let routes = Probe()
        #expect(routes.opened(nil, along: a).isEmpty)
        #expect(routes.owners(for: b, at: here).isEmpty)
    }

    @Test func `no more than eight owners of connections to an address are looked at`() {
        let routes = Probe()
        for number in 0..<20 { routes.opened(proof(at: here), along: Self.route("\(number).test")) }
        #expect(routes.owners(for: b, at: here, here).count == CoalescedRoutes.mostCandidates)
    }

    @Test func `the routes that use others are bounded`() throws {
        let routes = connected
        let candidate = CoalescedRoutes.Candidate(owner: a, proof: proof(at: here))
        for number in 0..<CoalescedRoutes.mostJoined {
            try #require(routes.join(Self.route("\(number).test"), to: candidate))
        }
        #expect(!routes.join(b, to: candidate))
        #expect(routes.closedLast(of: a).count == CoalescedRoutes.mostJoined)
    }

    @Test func `a candidate whose connection has ended meanwhile is not joined`() throws {
        let routes = connected
        let candidate = try #require(routes.candidates(for: b, at: [here]).first)
        #expect(routes.closedLast(of: a).isEmpty)
        #expect(!routes.join(b, to: candidate))
        // A new connection with another certificate is not what was looked at.
        routes.opened(proof(at: here, 2), along: a)
        #expect(!routes.join(b, to: candidate))
        #expect(routes.queue(of: b) == b)
    }

    @Test func `routes that are just being connected to are found by a new connection`() throws {
        let routes = Probe()
        _ = routes.candidates(for: b, at: [there, here])
        _ = routes.owners(for: c, at: there)
        #expect(routes.dialling(to: proof(at: here)) == [b])
        #expect(routes.dialling(to: proof(at: there)) == [b, c])
        routes.endDial(b)
        #expect(routes.dialling(to: proof(at: here)).isEmpty && routes.dialling(to: proof(at: there)) == [c])
        routes.opened(proof(at: there), along: c)
        #expect(routes.dialling(to: proof(at: there)).isEmpty)
    }

    // MARK: Separation

    @Test func `the end of the last connection separates all that used it`() throws {
        let routes = try joined()
        let candidate = try #require(routes.candidates(for: c, at: [here]).first)
        #expect(routes.join(c, to: candidate))
        #expect(routes.closedLast(of: a) == [b, c])
        #expect(routes.queue(of: b) == b && routes.queue(of: c) == c)
        #expect(routes.closedLast(of: a).isEmpty)
        #expect(routes.owners(for: b, at: here).isEmpty)
    }

    @Test func `a further connection with the same proof separates nothing`() throws {
        let routes = try joined()
        #expect(routes.opened(proof(at: here), along: a, isOnly: false).isEmpty)
        #expect(routes.queue(of: b) == a)
    }

    @Test func `a further connection with another address, certificate or identity separates all`() throws {
        let identity = TLSContextSource(settings: TLSSettings())
        let proofs = [proof(at: there), proof(at: here, 2), proof(at: here, 1, identity), nil]
        for other in proofs {
            let routes = try joined()
            #expect(routes.opened(other, along: a, isOnly: false) == [b])
            #expect(routes.queue(of: b) == b)
            #expect(routes.owners(for: b, at: here, there).isEmpty)
            // It is an owner again when all that is open has the same proof.
            #expect(routes.closedLast(of: a).isEmpty)
            routes.opened(proof(at: here), along: a)
            #expect(routes.owners(for: b, at: here) == [a])
        }
    }

    @Test func `a route with a connection of its own uses that`() throws {
        let routes = try joined()
        #expect(routes.opened(proof(at: here), along: b) == [b])
        #expect(routes.queue(of: b) == b)
        #expect(routes.closedLast(of: a).isEmpty)
        #expect(routes.owners(for: c, at: here) == [b])
    }

    @Test func `an origin that a server has refused by 421 is not joined again`() throws {
        let routes = try joined()
        #expect(routes.keepApart(b.origin) == [b])
        #expect(routes.keepApart(b.origin).isEmpty)
        #expect(routes.queue(of: b) == b && routes.owners(for: b, at: here).isEmpty)
        #expect(!routes.join(b, to: .init(owner: a, proof: proof(at: here))))
        #expect(routes.owners(for: c, at: here) == [a])
    }

    @Test func `the origins that are kept apart are bounded`() throws {
        let routes = connected
        for number in 0..<CoalescedRoutes.mostApart { _ = routes.keepApart(Self.origin("\(number).test")) }
        #expect(routes.owners(for: Self.route("0.test"), at: here).isEmpty)
        _ = routes.keepApart(b.origin)
        #expect(routes.owners(for: Self.route("0.test"), at: here).count == 1)
        #expect(routes.owners(for: b, at: here).isEmpty)
    }
}
