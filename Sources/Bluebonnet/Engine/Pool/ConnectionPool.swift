import NIOCore
import NIOPosix
import Synchronization

/// All connections of a session: one short lock around the decisions of ``RouteQueue`` and
/// ``CoalescedRoutes``, everything else outside it.
final class ConnectionPool: Sendable {
    typealias Queue = RouteQueue<PooledConnection, Exchange>

    /// The queue of one route. A class, because a dictionary of values would hand them out through
    /// a coroutine, at three allocations a time. Touched only under the pool's lock.
    final class Entry {
        var queue: Queue
        /// The error with which no further connection could be made, while others are open.
        var refusal: NetworkingError?

        init(_ queue: Queue) {
            self.queue = queue
        }
    }

    struct State {
        var entries: [Route: Entry] = [:]
        var connections: [ObjectIdentifier: PooledConnection] = [:]
        var connecting = 0
        var versions = KnownVersions()
        var coalesced = CoalescedRoutes()
        var proxies = KnownProxies()
        /// Fires when an exchange may have waited too long.
        var timer: (at: NIODeadline, task: Scheduled<Void>)?
        var invalidation: NetworkingError?
        var closers: [CheckedContinuation<Void, Never>] = []

        /// Whether no connection is open and none is being made.
        var isClosed: Bool { connections.isEmpty && connecting == 0 }

        /// The entry of a route, made when it is first asked for.
        mutating func entry(of route: Route, limit: Int) -> Entry {
            if let entry = entries[route] { return entry }
            let entry = Entry(Queue(limit: limit, expectedCapacity: versions.expectedCapacity(along: route)))
            entries[route] = entry
            return entry
        }

        /// The route in whose queue the exchanges of a route wait. A tunnel has its own, since each
        /// leads to a connection of its own; what a proxy forwards shares those to the proxy.
        func queue(of route: Route) -> Route {
            guard route.passage?.forwardingProxy != nil, let shared = route.shared, proxies.isMultiplexed(shared)
            else { return coalesced.queue(of: route) }
            return shared
        }

        /// The queue in which the exchanges of a route wait, if there is one.
        func entry(serving route: Route) -> Entry? { entries[queue(of: route)] }
    }

    /// The result for an exchange that was handed over.
    private enum Submission {
        /// With the route of the queue.
        case acquired(Queue.Acquired, Route)
        case refused(NetworkingError)
    }

    /// The use of a connection after an exchange.
    enum Released {
        case serve(Exchange)
        /// No exchange takes the place now: a connection without another exchange becomes idle.
        case keep
        case close
    }

    /// The work that is left to do outside the lock.
    struct Consequences {
        var starts: [(PooledConnection, Exchange)] = []
        var failures: [(Exchange, NetworkingError)] = []
        var attempts: [(Route, Queue.Attempt)] = []
        var givenUp: [AttemptHandle] = []
        var closes: [PooledConnection] = []
        /// Whether a new connection serves nobody yet.
        var isIdle = false
        var closers: [CheckedContinuation<Void, Never>] = []

        mutating func add(_ room: Queue.Room, on route: Route, _ state: inout State) {
            state.connecting += room.attempts.count
            attempts += room.attempts.map { (route, $0) }
            closes += room.closes
        }

        mutating func add(_ served: Queue.Served, of connection: PooledConnection, _ state: inout State) {
            starts += served.waiters.map { (connection, $0) }
            givenUp += served.givenUp
            add(served.room, on: connection.route, &state)
        }

        /// Adds what a queue has decided about an exchange.
        mutating func add(_ acquired: Queue.Acquired, for exchange: Exchange, on route: Route, _ state: inout State) {
            switch acquired {
            case .use(let connection): starts.append((connection, exchange))
            case .connect(let attempt):
                state.connecting += 1
                attempts.append((route, attempt))
            case .wait: break
            case .waitAndClose(let idle): closes.append(idle)
            }
        }
    }

    let connector: Connector
    private let group: any EventLoopGroup
    let connectionsPerOrigin: Int
    private let versions: HTTPVersionPolicy
    private let endpoints: EndpointOverrides
    /// Whether some origin is remembered as one that wants HTTP/1.1.
    private let hasExceptions = Atomic(false)
    let state = Mutex(State())

    /// The clocks of waiting exchanges are looked at no more often than this.
    private static let granularity = TimeAmount.milliseconds(5)
    private static let unwanted = NetworkingError(.cancelled, "No request waits for this connection any more.")

    init(
        configuration: SessionConfiguration,
        proxies: SessionProxies,
        dialer: Dialer,
        group: any EventLoopGroup
    ) {
        self.group = group
        connectionsPerOrigin = configuration.maximumConnectionsPerHost
        versions = configuration.httpVersions
        endpoints = dialer.endpoints
        connector = Connector(configuration: configuration, proxies: proxies, dialer: dialer)
    }

    // MARK: Routes

    /// The way to an origin. A request that asks for another protocol does so with HTTP/1.1 (RFC
    /// 9113 §8.6), unless the origin opens tunnels over HTTP/2 (RFC 8441), or has to.
    func route(to origin: Origin, through passage: Route.Passage?, switchesProtocols: Bool) -> Route {
        let switchesHTTP1 =
            switchesProtocols && !versions.requiresHTTP2(to: origin)
            && !state.withLock { $0.versions.opensTunnels(origin) }
        let wantsHTTP1 = switchesHTTP1 || (versions == .automatic && isHTTP1(origin))
        return Route(to: origin, through: passage, endpoints, versions: wantsHTTP1 ? .http1_1 : versions)
    }

    private func isHTTP1(_ origin: Origin) -> Bool {
        hasExceptions.load(ordering: .relaxed) && state.withLock { $0.versions.isHTTP1(origin) }
    }

    /// Remembers that an origin wants HTTP/1.1, though it has agreed upon HTTP/2.
    func remember(http1 origin: Origin) {
        state.withLock { $0.versions.note(http1: origin) }
        hasExceptions.store(true, ordering: .relaxed)
    }

    /// Remembers whether an origin opens tunnels over HTTP/2.
    func remember(tunnels isOpening: Bool, to origin: Origin) {
        state.withLock { $0.versions.note(tunnels: isOpening, to: origin) }
    }

    // MARK: Exchanges

    /// Sends the exchange on an idle connection, or lets it wait for one.
    func submit(_ exchange: Exchange) {
        submit(exchange, isGivenBack: false, refusedBy: nil)
    }

    /// Takes back an exchange whose connection turned out to be unusable before a byte was sent: it
    /// is the next one again. The connection takes no other one; it is nil where it is closed.
    ///
    /// A server may end each new connection before it takes a request, or send bytes that are no
    /// response to one (RFC 9112 §9.2). So that it is not connected to without end, the exchange
    /// fails when several new connections in turn have given it back.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - connection: The connection that could not take it.
    ///   - isNew: Whether the connection has carried nothing.
    func giveBack(_ exchange: Exchange, refusedBy connection: PooledConnection?, isNew: Bool = false) {
        guard isNew, exchange.isRefusedTooOften() else {
            return submit(exchange, isGivenBack: true, refusedBy: connection)
        }
        if let connection { state.withLock { $0.entries[connection.route]?.queue.refused(connection) } }
        exchange.fail(.endedUnused(exchange.route.origin))
    }

    private func submit(_ exchange: Exchange, isGivenBack: Bool, refusedBy refusing: PooledConnection?) {
        let submission = state.withLock { state -> Submission in
            if let error = state.invalidation { return .refused(error) }
            if let refusing { state.entries[refusing.route]?.queue.refused(refusing) }
            let route = state.queue(of: exchange.route)
            let entry = state.entry(of: route, limit: connectionsPerOrigin)
            let acquired = entry.queue.acquire(
                for: exchange,
                preferring: exchange.preferredLoop,
                isGivenBack: isGivenBack
            )
            if case .use = acquired { return .acquired(acquired, route) }
            if case .connect = acquired { state.connecting += 1 }
            arm(for: entry.queue.nextDeadline, &state)
            return .acquired(acquired, route)
        }
        switch submission {
        case .refused(let error):
            exchange.fail(error)
        case .acquired(.use(let connection), _):
            connection.start(exchange, from: self)
        case .acquired(.connect(let attempt), let route):
            connect(along: route, attempt)
            removeIfEnded(exchange)
        case .acquired(.waitAndClose(let idle), _):
            idle.onLoop { $0.close() }
            removeIfEnded(exchange)
        case .acquired(.wait, _):
            removeIfEnded(exchange)
        }
    }

    /// The exchange may have ended before it was in the queue.
    private func removeIfEnded(_ exchange: Exchange) {
        if !exchange.isWaiting { remove(exchange) }
    }

    /// Removes a waiting exchange that has ended.
    func remove(_ exchange: Exchange) {
        let attempt = state.withLock { $0.entry(serving: exchange.route)?.queue.cancel(exchange) }
        attempt?.cancel(with: Self.unwanted)
    }

    /// Moves a waiting exchange, whose priority has changed. One that is not in the queue yet comes
    /// there with its priority of that time.
    func move(_ exchange: Exchange) {
        state.withLock { $0.entry(serving: exchange.route)?.queue.move(exchange) }
    }

    // MARK: Connections

    /// Frees the place of an exchange that a connection has finished.
    func release(_ connection: PooledConnection, at now: NIODeadline) -> Released {
        state.withLock { state in
            guard state.invalidation == nil else { return .close }
            return Self.released(state.entries[connection.route]?.queue.released(connection, at: now))
        }
    }

    private static func released(_ released: Queue.Released?) -> Released {
        switch released {
        case .serve(let exchange): .serve(exchange)
        case .keep: .keep
        case .close, nil: .close
        }
    }

    /// Removes a connection that ends from its queue, which makes room for another one at once,
    /// though TLS may take a moment for its closing alerts. Must be called once for each.
    func leave(_ connection: PooledConnection) {
        let route = connection.route
        let consequences = state.withLock { state -> Consequences in
            guard state.connections[ObjectIdentifier(connection)] != nil, let entry = state.entries[route] else {
                return Consequences()
            }
            var consequences = Consequences()
            if entry.queue.open == 1 { separate(state.coalesced.closedLast(of: route), &consequences, &state) }
            consequences.add(entry.queue.closed(connection, at: .now()), on: route, &state)
            consequences.closers = Self.forgetIfEmpty(route, &state)
            return consequences
        }
        carryOut(consequences)
    }

    /// Changes the capacity of a connection.
    func resize(_ connection: PooledConnection, to capacity: Int, at now: NIODeadline) {
        let consequences = state.withLock { state -> Consequences in
            guard state.invalidation == nil, let entry = state.entries[connection.route] else {
                return Consequences()
            }
            state.versions.note(streams: capacity, to: connection.route.origin)
            var consequences = Consequences()
            consequences.add(entry.queue.resized(connection, to: capacity, at: now), of: connection, &state)
            return consequences
        }
        carryOut(consequences)
    }

    /// Forgets a connection that has left its queue and is closed.
    func closed(_ connection: PooledConnection) {
        let closers = state.withLock { state in
            state.connections.removeValue(forKey: ObjectIdentifier(connection))
            return Self.takeClosers(&state)
        }
        closers.forEach { $0.resume() }
    }

    private func connect(along route: Route, _ attempt: Queue.Attempt) {
        closeIdleForRoom()
        let preferred = MultiThreadedEventLoopGroup.currentEventLoop.flatMap { current in
            group.makeIterator().contains { $0 === current } ? current : nil
        }
        attempt.waiter.isBeingConnected(attempt.handle.times)
        connector.connect(
            along: route,
            timeout: attempt.waiter.timeouts.connect.duration,
            on: preferred ?? group.next(),
            pool: self,
            handle: attempt.handle
        ) { [exchange = attempt.waiter, handle = attempt.handle] result in
            // The queue may hold the last reference to the exchange, and releases it under the
            // lock; the exchange may hold objects of the user's, which may call back here when they
            // are released.
            withExtendedLifetime(exchange) {
                switch result {
                case .success(let ready): self.connected(ready, route: route, by: handle)
                case .failure(let error): self.connectFailed(error, route: route, handle)
                }
            }
        }
    }

    /// Runs on the event loop of the new connection.
    func connected(_ ready: ReadyConnection, route: Route, by handle: AttemptHandle) {
        let connection = ready.connection
        let consequences = state.withLock { state -> Consequences? in
            state.connecting -= 1
            state.connections[ObjectIdentifier(connection)] = connection
            let entry = state.entry(of: route, limit: connectionsPerOrigin)
            entry.refusal = nil
            var consequences = Consequences()
            let separations = state.coalesced.opened(ready.proof, along: route, isOnly: entry.queue.open == 0)
            separate(separations, &consequences, &state)
            var capacity = ready.capacity
            if capacity > 1 {
                state.versions.note(http2: route.origin)
                capacity = state.versions.streams(to: route.origin, atMost: capacity)
            }
            let served = entry.queue.connected(connection, capacity: capacity, by: handle, at: .now())
            guard state.invalidation == nil else { return nil }
            arm(for: entry.queue.nextDeadline, &state)
            consequences.add(served, of: connection, &state)
            if route.isShared { note(multiplexed: route, &consequences, &state) }
            consequences.isIdle = !consequences.starts.contains { $0.0 === connection }
            return consequences
        }
        guard let consequences else { return connection.onLoop { $0.close() } }
        if consequences.isIdle { connection.onLoop { $0.becomeIdle(at: .now()) } }
        carryOut(consequences)
        if let proof = ready.proof { offer(proof, of: route) }
    }

    private func connectFailed(_ error: NetworkingError, route: Route, _ handle: AttemptHandle) {
        let failure: Queue.Failure =
            switch error.code.family {
            case .timeout: .timedOut
            case .trust: .untrusted
            default: .refused
            }
        let consequences = state.withLock { state -> Consequences in
            state.connecting -= 1
            guard let entry = state.entries[route] else { return Consequences(closers: Self.takeClosers(&state)) }
            let outcome = entry.queue.connectFailed(handle, failure, at: .now())
            if entry.queue.attempts.isEmpty { state.coalesced.endDial(route) }
            // One that was given up says nothing about the server.
            if failure == .refused, error.code != .cancelled, !error.isOfHTTP1Proxy { entry.refusal = error }
            arm(for: entry.queue.nextDeadline, &state)
            var consequences = Consequences()
            if error.isOfHTTP1Proxy {
                forget(multiplexed: route, &consequences, &state)
                for exchange in outcome.fails { leave(route, exchange, &consequences, &state) }
            }
            for exchange in error.isOfHTTP1Proxy ? [] : outcome.fails {
                // What a proxy forwards has no other way than the proxy.
                guard exchange.route != route, !route.isShared else {
                    consequences.failures.append((exchange, error))
                    continue
                }
                // That its host is not reached is no fault of its own origin.
                separate(state.coalesced.keepApart(exchange.route.origin), &consequences, &state)
                enqueue(exchange, on: exchange.route, &consequences, &state)
            }
            consequences.add(outcome.room, on: route, &state)
            consequences.closers = Self.forgetIfEmpty(route, &state)
            return consequences
        }
        carryOut(consequences)
    }

    func carryOut(_ consequences: Consequences) {
        for (connection, exchange) in consequences.starts { connection.startSoon(exchange, from: self) }
        for (exchange, error) in consequences.failures { exchange.fail(error) }
        for handle in consequences.givenUp { handle.cancel(with: Self.unwanted) }
        for connection in consequences.closes { connection.onLoop { $0.close() } }
        for (route, attempt) in consequences.attempts { connect(along: route, attempt) }
        consequences.closers.forEach { $0.resume() }
    }

    private static func forgetIfEmpty(_ route: Route, _ state: inout State) -> [CheckedContinuation<Void, Never>] {
        if state.entries[route]?.queue.isEmpty == true { state.entries[route] = nil }
        return takeClosers(&state)
    }

    private static func takeClosers(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard state.invalidation != nil, state.isClosed else { return [] }
        defer { state.closers = [] }
        return state.closers
    }

    // MARK: Time

    /// Arms the one timer for all waiting exchanges.
    func arm(for deadline: NIODeadline?, _ state: inout State) {
        guard let deadline, state.timer.map({ deadline < $0.at }) ?? true else { return }
        state.timer?.task.cancel()
        // Not on a loop of the user's group, which may have been shut down and would drop the
        // timer.
        let loop = NIOSingletons.posixEventLoopGroup.any()
        // Held until it fires or `invalidate(with:)` cancels it: a weak reference would make each
        // counting of references to the pool slower.
        let task = loop.scheduleTask(deadline: deadline) { self.deadlinePassed() }
        state.timer = (deadline, task)
    }

    private func deadlinePassed() {
        let consequences = state.withLock { state -> Consequences in
            let now = NIODeadline.now()
            var consequences = Consequences()
            var earliest: NIODeadline?
            for (route, entry) in state.entries {
                if let deadline = entry.queue.nextDeadline, deadline <= now {
                    let expired = entry.queue.expire(at: now)
                    consequences.givenUp += expired.givenUp
                    consequences.add(expired.room, on: route, &state)
                    consequences.failures += expired.waiters.map { exchange, limit in
                        (exchange, error(for: exchange, after: limit, in: entry))
                    }
                }
                guard let next = entry.queue.nextDeadline else { continue }
                earliest = min(earliest ?? next, next)
            }
            // Another one may have been armed while this one waited for the lock.
            state.timer?.task.cancel()
            state.timer = nil
            arm(for: earliest.map { max($0, now + Self.granularity) }, &state)
            return consequences
        }
        carryOut(consequences)
    }

    private func error(for exchange: Exchange, after limit: Patience.Limit, in entry: Entry) -> NetworkingError {
        switch limit {
        case .request: .timeout(.requestTimeout, exchange)
        case .connect:
            .connectTimedOut(
                exchange.route,
                exchange.timeouts.connect.duration,
                entry.queue.attempt(for: exchange)?.handle.times.value ?? ConnectionTimes()
            )
        case .waiting: .waitedTooLong(exchange, behind: entry.queue.open, refusal: entry.refusal)
        }
    }

    // MARK: The end

    /// Fails all exchanges, waiting or running, and closes every connection. Later exchanges fail
    /// at once.
    func invalidate(with error: NetworkingError) {
        let (waiters, connections) = state.withLock { state in
            if state.invalidation == nil { state.invalidation = error }
            state.timer?.task.cancel()
            state.timer = nil
            let waiters = state.entries.values.flatMap { $0.queue.removeWaiters() }
            // Those that carry tunnels behind what is in the tunnels.
            let connections = state.connections.values
            return (waiters, connections.filter { !$0.route.isShared } + connections.filter(\.route.isShared))
        }
        waiters.forEach { $0.fail(error) }
        connector.cancelAttempts(with: error)
        for connection in connections {
            connection.onLoop { $0.fail(error) }
        }
    }

    /// Returns when no connection is left; call ``invalidate(with:)`` first.
    func waitUntilClosed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.closers.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    /// The number of connections, for tests and diagnostics.
    var openConnections: Int { state.withLock { $0.connections.count } }

    /// The number of connections that are being made, for tests and diagnostics.
    var attempts: Int { state.withLock { $0.connecting } }

    /// The number of exchanges that wait for a connection, for tests and diagnostics.
    var waitingExchanges: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.queue.waitingCount } } }
}
