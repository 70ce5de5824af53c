import NIOCore

/// A connection as the pool knows it.
protocol PoolMember: AnyObject {
    /// The event loop it lives on.
    var loop: ObjectIdentifier? { get }
    /// Its slot in the queue, below zero while it has none. Written by the queue only.
    var slot: Int { get set }
}

/// An exchange that waits for a connection, as the pool knows it.
protocol PoolWaiter: AnyObject {
    /// Whether it needs a fresh connection: the connection before was stale.
    var needsFreshConnection: Bool { get }
    var patience: Patience { get }
    /// Its urgency, from 0, first, to 7. It may change; the queue is told.
    var urgency: Int { get }
    /// Its ticket in the queue, below zero while it has none. Written by the queue only.
    var ticket: Int { get set }
}

/// The times for which an exchange waits for a connection.
struct Patience {
    /// The timeout that was exceeded.
    enum Limit: Equatable { case request, connect, waiting }

    /// The time at which it began to wait.
    var since: NIODeadline
    /// The deadline of the whole request.
    var deadline: NIODeadline?
    /// The time to a ready connection, while none is open.
    var connect: CompactTime
    /// The longest time in which no connection takes a waiting exchange, while some are open.
    var waiting: CompactTime
}
