import Testing

@testable import Bluebonnet

/// The pool's decisions, as values.
@Suite struct OriginQueueTests {
    private final class Identity: Sendable {}

    private struct Member: PoolMember, CustomStringConvertible {
        let description: String
        var loop: ObjectIdentifier?
        var needsFreshConnection = false
        private let identity = Identity()

        init(_ name: String, loop: ObjectIdentifier? = nil, needsFreshConnection: Bool = false) {
            description = name
            self.loop = loop
            self.needsFreshConnection = needsFreshConnection
        }

        var id: ObjectIdentifier { ObjectIdentifier(identity) }
    }

    private typealias Queue = OriginQueue<Member, Member>

    private let oneLoop = ObjectIdentifier(Int.self)
    private let otherLoop = ObjectIdentifier(String.self)

    private func acquire(_ queue: inout Queue, _ waiter: Member) -> String {
        switch queue.acquire(for: waiter, preferring: waiter.loop) {
        case .use(let connection): "use \(connection)"
        case .waitAndConnect: "connect"
        case .wait: "wait"
        case .waitAndClose(let connection): "wait and close \(connection)"
        }
    }

    private func text(_ released: Queue.Released) -> String {
        switch released {
        case .serve(let waiter): "serve \(waiter)"
        case .idle: "idle"
        }
    }

    /// What follows from a failed attempt, such as `fails a b, connects c`.
    private func failure(
        _ queue: inout Queue,
        of waiter: Member,
        verdict: (Member) -> Bool = { _ in true }
    ) -> String {
        let outcome = queue.connectFailed(for: waiter, verdict: verdict)
        let fails = outcome.fails.isEmpty ? [] : ["fails " + outcome.fails.map(\.description).joined(separator: " ")]
        let connects =
            outcome.connectsFor.isEmpty
            ? [] : ["connects " + outcome.connectsFor.map(\.description).joined(separator: " ")]
        return (fails + connects).joined(separator: ", ")
    }

    @Test func `connections are made up to the limit, and then requests wait in order`() {
        var queue = Queue(limit: 2)
        #expect(queue.isEmpty)
        #expect(["a", "b", "c", "d"].map { acquire(&queue, Member($0)) } == ["connect", "connect", "wait", "wait"])
        let first = Member("1")
        let second = Member("2")
        #expect(text(queue.connected(first)) == "serve a")
        #expect(text(queue.connected(second)) == "serve b")
        #expect(text(queue.released(second)) == "serve c")
        #expect(text(queue.released(first)) == "serve d")
        #expect(text(queue.released(first)) == "idle")
        #expect(text(queue.released(second)) == "idle")
        #expect(queue.open == 2 && queue.connecting == 0 && queue.waiters.isEmpty && !queue.isEmpty)
    }

    @Test func `a limit below one counts as one`() {
        var queue = Queue(limit: 0)
        #expect(["a", "b"].map { acquire(&queue, Member($0)) } == ["connect", "wait"])
    }

    @Test func `the connection used last is used first`() {
        var queue = idleQueue([Member("1"), Member("2"), Member("3")])
        #expect(["a", "b", "c", "d"].map { acquire(&queue, Member($0)) } == ["use 3", "use 2", "use 1", "wait"])
    }

    @Test func `a connection on the caller's loop is preferred`() {
        var queue = idleQueue([Member("1", loop: oneLoop), Member("2", loop: oneLoop), Member("3", loop: otherLoop)])
        #expect(acquire(&queue, Member("a", loop: oneLoop)) == "use 2")
        #expect(acquire(&queue, Member("b", loop: oneLoop)) == "use 1")
        #expect(acquire(&queue, Member("c", loop: oneLoop)) == "use 3")
    }

    /// A queue whose limit is reached by these idle connections.
    private func idleQueue(_ connections: [Member]) -> Queue {
        var queue = Queue(limit: connections.count)
        for connection in connections {
            _ = acquire(&queue, Member("first"))
            _ = queue.connected(connection)
        }
        for connection in connections { _ = queue.released(connection) }
        return queue
    }

    @Test func `a retry does not take an idle connection`() {
        var queue = Queue(limit: 2)
        _ = acquire(&queue, Member("first"))
        _ = queue.connected(Member("1"))
        _ = queue.released(Member("1"))
        #expect(acquire(&queue, Member("again", needsFreshConnection: true)) == "connect")
        #expect(text(queue.connected(Member("2"))) == "serve again")
    }

    @Test func `a failed attempt fails the one that waited longest and those who have no attempt to hope for`() {
        var queue = Queue(limit: 2)
        let members = ["a", "b", "c", "d"].map { Member($0) }
        #expect(members.map { acquire(&queue, $0) } == ["connect", "connect", "wait", "wait"])
        #expect(failure(&queue, of: members[0]) == "fails a c d")
        #expect(failure(&queue, of: members[1]) == "fails b")
        #expect(queue.isEmpty)
    }

    @Test func `an attempt fails the one it was made for, not the one that waited longest`() {
        var queue = Queue(limit: 2)
        let members = ["a", "b"].map { Member($0) }
        for member in members { _ = acquire(&queue, member) }
        #expect(failure(&queue, of: members[1]) == "fails b")
        #expect(text(queue.connected(Member("1"))) == "serve a")
    }

    @Test func `those for whom a failure says nothing get attempts of their own`() {
        var queue = Queue(limit: 2)
        let members = ["a", "b", "c", "d", "e"].map { Member($0) }
        for member in members { _ = acquire(&queue, member) }
        #expect(failure(&queue, of: members[0]) { $0.description == "d" } == "fails a d, connects c")
        #expect(failure(&queue, of: members[1]) { _ in false } == "fails b, connects e")
        #expect(queue.connecting == 2 && queue.waiters.map(\.description) == ["c", "e"])
    }

    @Test func `the attempt of one who left fails nobody who may hope`() {
        var queue = Queue(limit: 1)
        let members = ["a", "b"].map { Member($0) }
        for member in members { _ = acquire(&queue, member) }
        _ = queue.cancel(members[0])
        #expect(failure(&queue, of: members[0]) { _ in false } == "connects b")
        #expect(failure(&queue, of: members[1]) == "fails b")
        #expect(queue.isEmpty)
    }

    @Test func `beside an open connection a failed attempt fails one and is made again for the next`() {
        var queue = Queue(limit: 2)
        let members = ["a", "b", "c", "d"].map { Member($0) }
        #expect(members.map { acquire(&queue, $0) } == ["connect", "connect", "wait", "wait"])
        #expect(text(queue.connected(Member("1"))) == "serve a")
        #expect(failure(&queue, of: members[1]) == "fails b, connects c")
    }

    @Test func `a fresh connection at the limit takes the place of the oldest idle one`() {
        var queue = Queue(limit: 1)
        let old = Member("1")
        _ = acquire(&queue, Member("first"))
        _ = queue.connected(old)
        _ = queue.released(old)
        #expect(acquire(&queue, Member("again", needsFreshConnection: true)) == "wait and close 1")
        let connects = queue.closed(old)
        #expect(connects?.description == "again")
        #expect(text(queue.connected(Member("2"))) == "serve again")
    }

    @Test func `a failed attempt that nobody waits for fails nobody`() {
        var queue = Queue(limit: 1)
        let waiter = Member("a")
        _ = acquire(&queue, waiter)
        let didCancelWaiter = queue.cancel(waiter)
        #expect(didCancelWaiter)
        #expect(failure(&queue, of: waiter).isEmpty && queue.isEmpty)
    }

    @Test func `a connection that closes makes room for one who waits`() {
        var queue = Queue(limit: 1)
        let connection = Member("1")
        _ = acquire(&queue, Member("a"))
        _ = queue.connected(connection)
        #expect(acquire(&queue, Member("b")) == "wait")
        let connects = queue.closed(connection)
        #expect(connects?.description == "b" && queue.open == 0 && queue.connecting == 1)
        #expect(text(queue.connected(Member("2"))) == "serve b")
    }

    @Test func `an idle connection that closes is not used again`() {
        let (first, second) = (Member("1"), Member("2"))
        var queue = idleQueue([first, second])
        let connects = queue.closed(second)
        #expect(connects == nil && queue.idle.map(\.description) == ["1"])
        #expect(["a", "b"].map { acquire(&queue, Member($0)) } == ["use 1", "connect"])
    }

    @Test func `a cancelled waiter is skipped, once`() {
        var queue = Queue(limit: 1)
        let members = ["a", "b", "c"].map { Member($0) }
        for member in members { _ = acquire(&queue, member) }
        let answers = [queue.cancel(members[1]), queue.cancel(members[1])]
        #expect(answers == [true, false])
        #expect(text(queue.connected(Member("1"))) == "serve a")
        #expect(text(queue.released(Member("1"))) == "serve c")
    }

    @Test func `an attempt whose waiter was cancelled serves the next one`() {
        var queue = Queue(limit: 2)
        let cancelled = Member("a")
        _ = acquire(&queue, cancelled)
        _ = queue.cancel(cancelled)
        // One connection is being made and nobody waits for it yet.
        #expect(acquire(&queue, Member("b")) == "wait")
        #expect(text(queue.connected(Member("1"))) == "serve b")
    }

    @Test func `all waiters can be taken at once`() {
        var queue = Queue(limit: 1)
        for name in ["a", "b", "c"] { _ = acquire(&queue, Member(name)) }
        #expect(queue.removeWaiters().map(\.description) == ["a", "b", "c"])
        #expect(queue.waiters.isEmpty)
        #expect(text(queue.connected(Member("1"))) == "idle")
    }
}
