import Synchronization

/// The HTTP/2 connections to proxies: each carries the tunnels and the forwarded requests of many
/// origins, and so the exchanges of other routes than its own.
extension ConnectionPool {
    /// Whether a proxy is known to speak HTTP/2.
    func isMultiplexed(_ shared: Route) -> Bool {
        state.withLock { $0.proxies.isMultiplexed(shared) }
    }

    /// Whether a proxy is to be offered HTTP/1.1 alone.
    func wantsHTTP1(_ shared: Route) -> Bool {
        state.withLock { $0.proxies.wantsHTTP1(shared) }
    }

    /// Whether a proxy has opened a tunnel over HTTP/2.
    func opensTunnels(_ shared: Route) -> Bool {
        state.withLock { $0.proxies.opensTunnels(shared) }
    }

    /// Notes that a proxy has opened a tunnel over HTTP/2.
    func note(tunnelAlong shared: Route) {
        state.withLock { $0.proxies.note(tunnelAlong: shared) }
    }

    /// Whether a connection to a proxy that another route has made is of use: there is no other
    /// one, or not enough, or it was forgotten that the proxy speaks HTTP/2, as one of several
    /// machines behind its name does not.
    func needsConnection(along shared: Route) -> Bool {
        state.withLock { state in
            guard state.proxies.isMultiplexed(shared), let queue = state.entries[shared]?.queue else { return true }
            return queue.open == 0 || (queue.waitingCount > 0 && queue.open < connectionsPerOrigin)
        }
    }

    /// Takes a connection to a proxy that another route has made, on its event loop.
    func adopt(_ ready: ReadyConnection, along shared: Route) {
        // As one that an attempt of its own has made.
        state.withLock { $0.connecting += 1 }
        connected(ready, route: shared, by: AttemptHandle())
    }

    /// Notes that a proxy speaks HTTP/2: the exchanges that wait for connections on which it
    /// forwards requests are sent on that one.
    func note(
        multiplexed shared: Route,
        _ consequences: inout Consequences,
        _ state: inout State
    ) {
        guard state.proxies.note(http2: shared) else { return }
        for (route, entry) in state.entries where !route.isShared && state.queue(of: route) == shared {
            let handed = entry.queue.handOver { _ in true }
            consequences.givenUp += handed.givenUp
            for exchange in handed.waiters { enqueue(exchange, on: shared, &consequences, &state) }
        }
    }

    /// Forgets that a proxy speaks HTTP/2: what it forwards waits for connections of its own
    /// routes, and those who wait for tunnels learn of it.
    func forget(
        multiplexed shared: Route,
        _ consequences: inout Consequences,
        _ state: inout State
    ) {
        guard state.proxies.forget(http2: shared), let entry = state.entries[shared] else { return }
        let handed = entry.queue.handOver { _ in true }
        consequences.givenUp += handed.givenUp
        for exchange in handed.waiters { leave(shared, exchange, &consequences, &state) }
    }

    /// Takes an exchange that waited for a proxy to its own route; one that opens a tunnel has no
    /// other one, and fails.
    func leave(
        _ shared: Route,
        _ exchange: Exchange,
        _ consequences: inout Consequences,
        _ state: inout State
    ) {
        guard exchange.route == shared, let proxy = shared.proxy else {
            return enqueue(exchange, on: exchange.route, &consequences, &state)
        }
        consequences.failures.append((exchange, .speaksHTTP1(proxy)))
    }

    /// RFC 9113 §7, HTTP_1_1_REQUIRED: remembers that the origin of a connection, or the proxy that
    /// it leads to, wants HTTP/1.1.
    func remember(http1 origin: Origin, on route: Route) {
        guard route.isShared else { return remember(http1: origin) }
        let consequences = state.withLock { state -> Consequences in
            var consequences = Consequences()
            state.proxies.note(http1: route)
            forget(multiplexed: route, &consequences, &state)
            return consequences
        }
        carryOut(consequences)
    }
}
