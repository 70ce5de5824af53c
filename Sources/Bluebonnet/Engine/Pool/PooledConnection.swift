import NIOCore
import Synchronization

/// A connection as the pool and the exchanges hold it: usable from any thread, the connection
/// itself only on its event loop.
final class PooledConnection: PoolMember, Sendable {
    let eventLoop: any EventLoop
    /// The route that it was made for. It may serve others, see ``CoalescedRoutes``.
    let route: Route
    let record: ConnectionRecord
    let speaksHTTP2: Bool
    /// Its slot in the queue, touched only under the pool's lock.
    private let storedSlot = Atomic(-1)
    private let connection: NIOLoopBound<any HTTPConnection>

    /// Must be called on the event loop.
    init(_ connection: any HTTPConnection, eventLoop: any EventLoop, route: Route, record: ConnectionRecord) {
        self.eventLoop = eventLoop
        self.route = route
        self.record = record
        speaksHTTP2 = connection is HTTP2Connection
        self.connection = NIOLoopBound(connection, eventLoop: eventLoop)
    }

    var loop: ObjectIdentifier? { ObjectIdentifier(eventLoop) }

    var slot: Int {
        get { storedSlot.load(ordering: .relaxed) }
        set { storedSlot.store(newValue, ordering: .relaxed) }
    }

    /// Sends the exchange's request on the event loop: at once if this is it, otherwise later. An
    /// exchange that the connection cannot take is given back to the pool.
    func start(_ exchange: Exchange, from pool: ConnectionPool) {
        if eventLoop.inEventLoop {
            connection.value.start(exchange)
        } else {
            startSoon(exchange, from: pool)
        }
    }

    /// Starts the exchange when everything has been looked at that the event loop has read: the end
    /// of the connection may be among it, and then another connection must take the exchange.
    func startSoon(_ exchange: Exchange, from pool: ConnectionPool) {
        Start(connection: self, exchange: exchange, pool: pool).execute(on: eventLoop)
    }

    private struct Start: LoopWork {
        let connection: PooledConnection
        let exchange: Exchange
        let pool: ConnectionPool

        func run() {
            connection.connection.value.start(exchange)
        }

        /// A loop closes its connections before it drops anything, so this one has left the pool.
        func wasDropped() {
            pool.giveBack(exchange, refusedBy: connection)
        }
    }

    /// Sends a PING for a caller.
    func ping(_ caller: PingCaller, of origin: Origin) {
        Ping(connection: self, caller: caller, origin: origin).execute(on: eventLoop)
    }

    private struct Ping: LoopWork {
        let connection: PooledConnection
        let caller: PingCaller
        let origin: Origin

        func run() {
            connection.connection.value.ping(caller, of: origin)
        }

        func wasDropped() {
            caller.end(.failure(.pingLost(origin)))
        }
    }

    /// Runs the closure on the connection's event loop: at once if this is it, otherwise later. It
    /// does not run when the loop was shut down; the connection has ended then, and with it all
    /// that was under way on it.
    func onLoop(_ body: @escaping @Sendable (any HTTPConnection) -> Void) {
        if eventLoop.inEventLoop {
            body(connection.value)
        } else {
            eventLoop.execute { body(self.connection.value) }
        }
    }
}

/// A connection that can take exchanges, as many at once as its capacity.
struct ReadyConnection: Sendable {
    let connection: PooledConnection
    let capacity: Int
    /// What lets it serve other origins; nil where it must not.
    var proof: ServerProof?
}
