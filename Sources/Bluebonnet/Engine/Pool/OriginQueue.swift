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
        if reserveConnection() { return .waitAndConnect }
        // Only one that needs a fresh connection gets here while others stand idle.
        return idle.isEmpty ? .wait : .waitAndClose(idle.removeFirst())
    }

    /// A new connection must be made if somebody waits for whom none is being made yet, and the limit allows it.
    private mutating func reserveConnection() -> Bool {
        guard waiters.count > connecting, open + connecting < limit else { return false }
        connecting += 1
        return true
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

    /// An attempt to connect failed: the longest waiting exchange fails with it. Where nothing is open either, there is no other
    /// hope than the attempts that still run, and those fail too for whom there is none. `connects`: another attempt is due.
    mutating func connectFailed() -> (fails: [Waiter], connects: Bool) {
        connecting -= 1
        var failed = [waiters.popFirst()].compactMap(\.self)
        while open == 0, waiters.count > connecting, let next = waiters.popFirst() { failed.append(next) }
        return (failed, reserveConnection())
    }

    /// A connection has closed, idle or not. Answers whether a new one is due for somebody who waits.
    mutating func closed(_ connection: Connection) -> Bool {
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
