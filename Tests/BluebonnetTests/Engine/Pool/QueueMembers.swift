import NIOCore

@testable import Bluebonnet

/// A connection in tests of the pool's decisions.
final class QueueConnection: PoolMember, CustomStringConvertible {
    let description: String
    let loop: ObjectIdentifier?
    /// Its capacity when it is new.
    let capacity: Int
    var slot = -1

    init(_ name: String, loop: ObjectIdentifier? = nil, capacity: Int = 1) {
        description = name
        self.loop = loop
        self.capacity = capacity
    }
}

/// An exchange in tests of the pool's decisions. Counts how often the queue looks at it.
final class QueueWaiter: PoolWaiter, CustomStringConvertible {
    /// Counts for all waiters that share it.
    final class Looks {
        var count = 0
    }

    let description: String
    let loop: ObjectIdentifier?
    private let isRetry: Bool
    private let ownPatience: Patience
    private var ownTicket = -1
    private let looks: Looks
    var urgency: Int

    init(
        _ name: String,
        loop: ObjectIdentifier? = nil,
        needsFreshConnection: Bool = false,
        since: NIODeadline = .uptimeNanoseconds(0),
        deadline: NIODeadline? = nil,
        connect: Duration? = nil,
        waiting: Duration? = nil,
        urgency: Int = 3,
        looks: Looks = Looks()
    ) {
        description = name
        self.loop = loop
        isRetry = needsFreshConnection
        ownPatience = Patience(
            since: since,
            deadline: deadline,
            connect: CompactTime(connect),
            waiting: CompactTime(waiting)
        )
        self.looks = looks
        self.urgency = urgency
    }

    var needsFreshConnection: Bool {
        looks.count += 1
        return isRetry
    }

    var patience: Patience {
        looks.count += 1
        return ownPatience
    }

    var ticket: Int {
        get {
            looks.count += 1
            return ownTicket
        }
        set {
            looks.count += 1
            ownTicket = newValue
        }
    }
}

/// A queue, and its decisions in words.
struct QueueProbe {
    typealias Queue = RouteQueue<QueueConnection, QueueWaiter>

    var queue: Queue
    /// The attempts, by the names of the waiters they were made for.
    private(set) var handles: [String: AttemptHandle] = [:]

    init(limit: Int) {
        queue = Queue(limit: limit)
    }

    static func at(_ seconds: Double) -> NIODeadline {
        .uptimeNanoseconds(UInt64(seconds * 1e9))
    }

    mutating func acquire(_ waiter: QueueWaiter, isGivenBack: Bool = false) -> String {
        switch queue.acquire(for: waiter, preferring: waiter.loop, isGivenBack: isGivenBack) {
        case .use(let connection): return "use \(connection)"
        case .connect(let attempt):
            handles[attempt.waiter.description] = attempt.handle
            return "connect"
        case .wait: return "wait"
        case .waitAndClose(let connection): return "wait and close \(connection)"
        }
    }

    /// Tells the queue that the attempt for this waiter succeeded. Returns its decisions, such as
    /// `serve a, gives up b`.
    mutating func connected(_ connection: QueueConnection, for name: String, at seconds: Double = 0) -> String {
        guard let handle = handles[name] else { return "no attempt for \(name)" }
        return text(queue.connected(connection, capacity: connection.capacity, by: handle, at: Self.at(seconds)))
    }

    mutating func resized(_ connection: QueueConnection, to capacity: Int) -> String {
        text(queue.resized(connection, to: capacity, at: Self.at(0)))
    }

    private mutating func text(_ served: Queue.Served) -> String {
        let names = served.waiters.map(\.description).joined(separator: " ")
        let parts = [names.isEmpty ? "serve none" : "serve \(names)", take(served.room), gaveUp(served.givenUp)]
        return parts.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    mutating func released(_ connection: QueueConnection, at seconds: Double = 0) -> String {
        text(queue.released(connection, at: Self.at(seconds)))
    }

    private func text(_ released: Queue.Released) -> String {
        switch released {
        case .serve(let waiter): "serve \(waiter)"
        case .keep: "keep"
        case .close: "close"
        }
    }

    /// Tells the queue that a connection closed. Returns the attempts that it begins.
    mutating func closed(_ connection: QueueConnection, at seconds: Double = 0) -> String {
        take(queue.closed(connection, at: Self.at(seconds)))
    }

    /// Tells the queue that the attempt for this waiter failed. Returns its decisions, such as
    /// `fails a b, connects c`.
    mutating func failure(_ failure: Queue.Failure, of name: String, at seconds: Double = 0) -> String {
        guard let handle = handles[name] else { return "no attempt for \(name)" }
        let outcome = queue.connectFailed(handle, failure, at: Self.at(seconds))
        let fails = outcome.fails.isEmpty ? "" : "fails " + outcome.fails.map(\.description).joined(separator: " ")
        return [fails, take(outcome.room)].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// Cancels a waiter. Returns the attempt that is given up, if one is.
    mutating func cancel(_ waiter: QueueWaiter) -> String {
        queue.cancel(waiter).map { gaveUp([$0]) } ?? ""
    }

    /// Tells the queue the time. Returns its decisions, such as `a: connect, gives up a, connects
    /// b`.
    mutating func expire(at seconds: Double) -> String {
        let expired = queue.expire(at: Self.at(seconds))
        let parts =
            expired.waiters.map { "\($0.0): \($0.1)" } + [gaveUp(expired.givenUp), take(expired.room)]
        return parts.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private func gaveUp(_ given: [AttemptHandle]) -> String {
        let names = handles.filter { entry in given.contains { $0 === entry.value } }.keys.sorted()
        return names.isEmpty ? "" : "gives up " + names.joined(separator: " ")
    }

    private mutating func take(_ room: Queue.Room) -> String {
        for attempt in room.attempts { handles[attempt.waiter.description] = attempt.handle }
        let names = room.attempts.map(\.waiter.description)
        let closes = room.closes.map { "closes \($0)" }
        return ((names.isEmpty ? [] : ["connects " + names.joined(separator: " ")]) + closes).joined(separator: ", ")
    }

    /// Tells the queue that a connection refused its exchange, and acquires another one for the
    /// exchange.
    mutating func refused(_ waiter: QueueWaiter, by connection: QueueConnection) -> String {
        queue.refused(connection)
        return acquire(waiter, isGivenBack: true)
    }

    /// A queue at its limit, with these connections open and idle.
    static func idle(_ connections: [QueueConnection]) -> QueueProbe {
        var probe = QueueProbe(limit: connections.count)
        for (number, connection) in connections.enumerated() {
            _ = probe.acquire(QueueWaiter("first \(number)"))
            _ = probe.connected(connection, for: "first \(number)")
        }
        for connection in connections { _ = probe.released(connection) }
        return probe
    }

    /// A queue at its limit, with these connections open and busy.
    static func busy(_ connections: [QueueConnection]) -> QueueProbe {
        var probe = idle(connections)
        for _ in connections { _ = probe.acquire(QueueWaiter("busy")) }
        return probe
    }
}
