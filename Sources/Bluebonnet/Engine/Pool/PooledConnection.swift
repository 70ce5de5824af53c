import NIOCore

/// A connection as the pool and the exchanges hold it: usable from any thread, the connection itself only on its event loop.
struct PooledConnection: Sendable {
    let eventLoop: any EventLoop
    private let connection: NIOLoopBound<HTTP1Connection>
    let id: ObjectIdentifier

    /// Must be called on the event loop.
    init(_ connection: HTTP1Connection, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.connection = NIOLoopBound(connection, eventLoop: eventLoop)
        self.id = ObjectIdentifier(connection)
    }

    /// Runs the closure on the connection's event loop: now if this is it, else after one hop.
    func onLoop(_ body: @escaping @Sendable (HTTP1Connection) -> Void) {
        if eventLoop.inEventLoop {
            body(connection.value)
        } else {
            eventLoop.execute { body(connection.value) }
        }
    }
}

extension PooledConnection: PoolMember {
    var loop: ObjectIdentifier? { ObjectIdentifier(eventLoop) }
    var needsFreshConnection: Bool { false }
}
