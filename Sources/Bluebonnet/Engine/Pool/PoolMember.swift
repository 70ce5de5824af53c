import NIOCore

/// What the pool has to know of a connection.
protocol PoolMember: AnyObject {
    /// The event loop it lives on.
    var loop: ObjectIdentifier? { get }
    /// Its place in the queue, below zero while it has none. Written by the queue only.
    var slot: Int { get set }
}

/// What the pool has to know of an exchange that wants a connection.
protocol PoolWaiter: AnyObject {
    /// An idle connection will not do: the last one turned out to be stale.
    var needsFreshConnection: Bool { get }
    var patience: Patience { get }
    /// Its place in the queue, below zero while it has none. Written by the queue only.
    var ticket: Int { get set }
}

/// How long an exchange waits for a connection.
struct Patience {
    /// Which of its times was over.
    enum Limit: Equatable { case request, connect, waiting }

    /// Since when it wants a connection.
    var since: NIODeadline
    /// When its whole time is over.
    var deadline: NIODeadline?
    /// The time to a ready connection, while none is open.
    var connect: CompactTime
    /// The time in which no connection takes one that waits, while some are open.
    var waiting: CompactTime
}
