import NIOCore
import NIOPosix
import Synchronization

/// All connections of a session: one short lock around the decisions of ``OriginQueue``, everything else outside it.
final class ConnectionPool: Sendable {
    private typealias Queue = OriginQueue<PooledConnection, Exchange>

    /// The queue of one origin, changed where it lies: a dictionary hands values out through a coroutine, at three allocations a
    /// time. Touched only under the pool's lock.
    private final class Place {
        var queue: Queue

        init(_ queue: Queue) {
            self.queue = queue
        }
    }

    private struct State {
        var places: [Origin: Place] = [:]
        var connections: [ObjectIdentifier: PooledConnection] = [:]
        var connecting = 0
        var invalidation: NetworkingError?
        var closers: [CheckedContinuation<Void, Never>] = []

        /// Nothing is open and nothing is being opened.
        var isClosed: Bool { connections.isEmpty && connecting == 0 }

        /// The place of an origin, made when it is first asked for.
        mutating func place(of origin: Origin, limit: Int) -> Place {
            if let place = places[origin] { return place }
            let place = Place(Queue(limit: limit))
            places[origin] = place
            return place
        }
    }

    /// What becomes of an exchange that was handed over.
    private enum Submission {
        case acquired(Queue.Acquired)
        case refused(NetworkingError)
    }

    /// What a connection does after an exchange.
    enum Released {
        case serve(Exchange)
        case idle
        case close
    }

    private let connector: Connector
    private let group: any EventLoopGroup
    private let connectionsPerOrigin: Int
    private let state = Mutex(State())

    init(configuration: SessionConfiguration, group: any EventLoopGroup) {
        self.group = group
        connectionsPerOrigin = configuration.maximumConnectionsPerHost
        connector = Connector(configuration: configuration)
    }

    // MARK: Exchanges

    /// Sends the exchange on an idle connection, or has it wait for one. It comes back here when that connection turns out to be
    /// unusable before a byte was sent.
    func submit(_ exchange: Exchange) {
        let submission = state.withLock { state -> Submission in
            if let error = state.invalidation { return .refused(error) }
            let acquired = state.place(of: exchange.origin, limit: connectionsPerOrigin).queue
                .acquire(for: exchange, preferring: exchange.preferredLoop)
            if case .waitAndConnect = acquired { state.connecting += 1 }
            return .acquired(acquired)
        }
        switch submission {
        case .refused(let error):
            exchange.fail(error)
        case .acquired(.use(let connection)):
            connection.start(exchange, from: self)
        case .acquired(.waitAndConnect):
            connect(to: exchange.origin, for: exchange)
            waits(exchange)
        case .acquired(.waitAndClose(let idle)):
            idle.onLoop { $0.close() }
            waits(exchange)
        case .acquired(.wait):
            waits(exchange)
        }
    }

    private func waits(_ exchange: Exchange) {
        exchange.waits(on: group)
        // It may have ended before it stood in the queue.
        if !exchange.isWaiting { remove(exchange) }
    }

    /// A waiting exchange has ended.
    func remove(_ exchange: Exchange) {
        state.withLock { state in
            _ = state.places[exchange.origin]?.queue.cancel(exchange)
        }
    }

    // MARK: Connections

    /// A connection has finished an exchange.
    func release(_ connection: PooledConnection, origin: Origin) -> Released {
        state.withLock { state in
            guard state.invalidation == nil else { return .close }
            return Self.released(state.places[origin]?.queue.released(connection))
        }
    }

    private static func released(_ released: Queue.Released?) -> Released {
        switch released {
        case .serve(let exchange): .serve(exchange)
        case .idle: .idle
        case nil: .close
        }
    }

    /// A connection has closed.
    func closed(_ connection: PooledConnection, origin: Origin) {
        let (next, closers) = state.withLock { state -> (Exchange?, [CheckedContinuation<Void, Never>]) in
            guard state.connections.removeValue(forKey: connection.id) != nil else { return (nil, []) }
            let next = state.places[origin]?.queue.closed(connection)
            if next != nil { state.connecting += 1 }
            return (next, Self.forgetIfEmpty(origin, &state))
        }
        closers.forEach { $0.resume() }
        if let next { connect(to: origin, for: next) }
    }

    private func connect(to origin: Origin, for exchange: Exchange) {
        let preferred = MultiThreadedEventLoopGroup.currentEventLoop.flatMap { current in
            group.makeIterator().contains { $0 === current } ? current : nil
        }
        connector.connect(to: origin, timeout: exchange.timeouts.connect, on: preferred ?? group.next(), pool: self) {
            result in
            switch result {
            case .success(let connection): self.connected(connection, origin: origin)
            case .failure(let error): self.connectFailed(error, origin: origin, for: exchange)
            }
        }
    }

    /// Runs on the event loop of the new connection.
    private func connected(_ connection: PooledConnection, origin: Origin) {
        let released = state.withLock { state -> Released in
            state.connecting -= 1
            state.connections[connection.id] = connection
            let released = Self.released(state.places[origin]?.queue.connected(connection))
            return state.invalidation == nil ? released : .close
        }
        connection.onLoop { $0.begin(released, on: connection) }
    }

    private func connectFailed(_ error: NetworkingError, origin: Origin, for exchange: Exchange) {
        let now = NIODeadline.now()
        let (failed, next, closers) = state.withLock { state in
            state.connecting -= 1
            let outcome = state.places[origin]?.queue.connectFailed(for: exchange) { other in
                error.code != .connectTimeout || other.hasWaitedToConnect(at: now)
            }
            state.connecting += outcome?.connectsFor.count ?? 0
            return (outcome?.fails, outcome?.connectsFor, Self.forgetIfEmpty(origin, &state))
        }
        failed?.forEach { $0.fail(error) }
        closers.forEach { $0.resume() }
        for exchange in next ?? [] { connect(to: origin, for: exchange) }
    }

    private static func forgetIfEmpty(_ origin: Origin, _ state: inout State) -> [CheckedContinuation<Void, Never>] {
        if state.places[origin]?.queue.isEmpty == true { state.places[origin] = nil }
        guard state.invalidation != nil, state.isClosed else { return [] }
        defer { state.closers = [] }
        return state.closers
    }

    // MARK: The end

    /// Fails what waits and what runs, and closes every connection. Later exchanges fail at once.
    func invalidate(with error: NetworkingError) {
        let (waiters, connections) = state.withLock { state in
            if state.invalidation == nil { state.invalidation = error }
            let waiters = state.places.values.flatMap { $0.queue.removeWaiters() }
            return (waiters, Array(state.connections.values))
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

    /// How many connections exist: for tests and diagnostics.
    var openConnections: Int { state.withLock { $0.connections.count } }

    /// How many exchanges wait for a connection: for tests and diagnostics.
    var waitingExchanges: Int { state.withLock { $0.places.values.reduce(0) { $0 + $1.queue.waiters.count } } }
}
