import NIOCore

/// The decisions of the pool for one origin, without I/O: which connection serves which exchange, when to connect, who waits.
///
/// Idle connections are used last in, first out, so that surplus ones grow old and are closed; waiting exchanges are served
/// first in, first out. `Connection` and `Waiter` are values here in tests and references in the engine.
struct OriginQueue<Connection: PoolMember, Waiter: PoolMember> {
    enum Acquired {
        /// Send on this idle connection.
        case use(Connection)
        /// Wait; a new connection is to be made.
        case waitAndConnect
        /// Wait for one of the connections that exist.
        case wait
        /// Wait until this idle connection has been closed, to make room for a new one.
        case waitAndClose(Connection)
    }

    enum Released {
        /// Serve this waiting exchange at once.
        case serve(Waiter)
        /// Nobody waits; the connection stands idle.
        case idle
    }

    private let limit: Int
    private(set) var idle: [Connection] = []
    private(set) var waiters = CircularBuffer<Waiter>()
    private(set) var connecting = 0
    /// Connections that exist, idle ones included.
    private(set) var open = 0

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Nothing is left that the pool would have to remember.
    var isEmpty: Bool { open == 0 && connecting == 0 && waiters.isEmpty }

    /// An exchange wants a connection, if possible on the event loop its caller runs on.
    mutating func acquire(for waiter: Waiter, preferring loop: ObjectIdentifier?) -> Acquired {
        if !waiter.needsFreshConnection {
            if let loop, let index = idle.lastIndex(where: { $0.loop == loop }) {
                return .use(idle.remove(at: index))
            }
            if let connection = idle.popLast() { return .use(connection) }
        }
        waiters.append(waiter)
        // Those before it have attempts already, unless the limit is reached.
        if reserveConnection() != nil { return .waitAndConnect }
        // Only one that needs a fresh connection gets here while others stand idle.
        return idle.isEmpty ? .wait : .waitAndClose(idle.removeFirst())
    }

    /// A new connection must be made if somebody waits for whom none is being made yet, and the limit allows it. Answers for whom:
    /// the attempts under way belong to those who have waited longest.
    private mutating func reserveConnection() -> Waiter? {
        guard waiters.count > connecting, open + connecting < limit else { return nil }
        defer { connecting += 1 }
        return waiters[waiters.index(waiters.startIndex, offsetBy: connecting)]
    }

    /// A connection has been made.
    mutating func connected(_ connection: Connection) -> Released {
        connecting -= 1
        open += 1
        return released(connection)
    }

    /// A connection has finished its exchange and can take another.
    mutating func released(_ connection: Connection) -> Released {
        if let waiter = waiters.popFirst() { return .serve(waiter) }
        idle.append(connection)
        return .idle
    }

    /// An attempt to connect failed: the exchange it was made for fails with it, if it still waits. Where nothing is open either,
    /// those for whom no attempt runs fail with it too if the `verdict` holds for them: a server that refuses one refuses all, but
    /// one exchange's timeout is not another's. For the others new attempts are due, as far as the limit allows.
    mutating func connectFailed(
        for waiter: Waiter,
        verdict isHopeless: (Waiter) -> Bool
    ) -> (fails: [Waiter], connectsFor: [Waiter]) {
        connecting -= 1
        var failed: [Waiter] = []
        if cancel(waiter) { failed.append(waiter) }
        if open == 0, waiters.count > connecting {
            let hopeless = waiters.dropFirst(connecting).filter(isHopeless)
            for waiter in hopeless { _ = cancel(waiter) }
            failed += hopeless
        }
        var connects: [Waiter] = []
        while let next = reserveConnection() { connects.append(next) }
        return (failed, connects)
    }

    /// A connection has closed, idle or not. Answers for whom of those who wait a new one is due.
    mutating func closed(_ connection: Connection) -> Waiter? {
        open -= 1
        if let index = idle.firstIndex(where: { $0.id == connection.id }) { idle.remove(at: index) }
        return reserveConnection()
    }

    /// A waiting exchange has been cancelled. Answers whether it was waiting here.
    mutating func cancel(_ waiter: Waiter) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.id == waiter.id }) else { return false }
        waiters.remove(at: index)
        return true
    }

    /// Takes all that wait, to fail them.
    mutating func removeWaiters() -> [Waiter] {
        defer { waiters.removeAll() }
        return Array(waiters)
    }
}
