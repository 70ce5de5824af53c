import NIOCore
import Synchronization

/// The use of a connection by other origins: what ``CoalescedRoutes`` decides, and the checks of
/// certificates around it.
extension ConnectionPool {
    /// Called before a route is connected to one of these addresses. Returns true when it uses the
    /// connections of another route instead; the attempt to connect is then cancelled.
    func isServed(_ route: Route, at addresses: [IPAddress]) -> Bool {
        guard route.origin.isSecure, route.passage == nil, case .host(_, let port) = route.endpoint else {
            return false
        }
        // No more are tried, and a response of DNS over TCP may have thousands.
        let endpoints = addresses.prefix(2 * Dial.StateMachine.mostAddresses)
            .map { ServerProof.Endpoint(address: $0, port: port) }
        let candidates = state.withLock { $0.coalesced.dials(route, to: endpoints) }
        for candidate in candidates {
            if state.withLock({ $0.coalesced.isJoined(route) }) { break }
            offer(candidate, to: route)
        }
        return state.withLock { $0.coalesced.isJoined(route) }
    }

    /// Offers a new connection of a route to those that are just being connected to its address.
    func offer(_ proof: ServerProof, of owner: Route) {
        let routes = state.withLock { $0.coalesced.dialling(to: proof) }
        for route in routes { offer(.init(owner: owner, proof: proof), to: route) }
    }

    /// Joins a route to an owner whose certificate is good for both.
    private func offer(_ candidate: CoalescedRoutes.Candidate, to route: Route) {
        // Outside the lock: it may have to verify a chain.
        guard connector.isServer(of: route.origin, candidate.proof) else { return }
        let consequences = state.withLock { state -> Consequences in
            var consequences = Consequences()
            // What has a connection of its own uses that.
            guard state.invalidation == nil, let entry = state.entries[route], entry.queue.open == 0,
                state.coalesced.join(route, to: candidate)
            else { return consequences }
            state.versions.note(http2: route.origin)
            let handed = entry.queue.handOver { _ in true }
            consequences.givenUp = handed.givenUp
            for exchange in handed.waiters { enqueue(exchange, on: candidate.owner, &consequences, &state) }
            return consequences
        }
        carryOut(consequences)
    }

    /// Undoes joins: the exchanges that wait get connections of their own origins.
    func separate(
        _ separations: [CoalescedRoutes.Separation],
        _ consequences: inout Consequences,
        _ state: inout State
    ) {
        for (owner, separated) in Dictionary(grouping: separations, by: \.owner) {
            let routes = Set(separated.map(\.route))
            guard let handed = state.entries[owner]?.queue.handOver(where: { routes.contains($0.route) })
            else { continue }
            consequences.givenUp += handed.givenUp
            for exchange in handed.waiters { enqueue(exchange, on: exchange.route, &consequences, &state) }
        }
    }

    /// RFC 9110 §15.5.20: the server has refused an exchange by 421 because it was sent on the
    /// connection of another origin. Its origin has connections of its own from now on.
    func keepApart(_ origin: Origin) {
        let consequences = state.withLock { state -> Consequences in
            var consequences = Consequences()
            separate(state.coalesced.keepApart(origin), &consequences, &state)
            return consequences
        }
        carryOut(consequences)
    }

    func enqueue(
        _ exchange: Exchange,
        on route: Route,
        _ consequences: inout Consequences,
        _ state: inout State
    ) {
        let entry = state.entry(of: route, limit: connectionsPerOrigin)
        entry.queue.willTakeOver(at: .now())
        let acquired = entry.queue.acquire(for: exchange, preferring: exchange.preferredLoop)
        consequences.add(acquired, for: exchange, on: route, &state)
        arm(for: entry.queue.nextDeadline, &state)
    }
}
