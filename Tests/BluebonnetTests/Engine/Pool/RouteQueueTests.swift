import Testing

@testable import Bluebonnet

/// The pool's decisions, as values: who is served by what, and when a connection is made.
@Suite struct RouteQueueTests {
    private typealias Connection = QueueConnection
    private typealias Waiter = QueueWaiter

    private let oneLoop = ObjectIdentifier(Int.self)
    private let otherLoop = ObjectIdentifier(String.self)

    /// A queue in which these have asked for a connection, none of which has come yet.
    private func queue(limit: Int, _ waiters: [Waiter]) -> QueueProbe {
        var probe = QueueProbe(limit: limit)
        for waiter in waiters { _ = probe.acquire(waiter) }
        return probe
    }

    @Test func `connections are made up to the limit, and then requests wait in order`() {
        var queue = QueueProbe(limit: 2)
        #expect(queue.queue.isEmpty)
        #expect(["a", "b", "c", "d"].map { queue.acquire(Waiter($0)) } == ["connect", "connect", "wait", "wait"])
        let (first, second) = (Connection("1"), Connection("2"))
        let steps = [
            queue.connected(first, for: "a"), queue.connected(second, for: "b"), queue.released(second),
            queue.released(first), queue.released(first), queue.released(second),
        ]
        #expect(steps == ["serve a", "serve b", "serve c", "serve d", "idle", "idle"])
        let end = queue.queue
        #expect(end.open == 2 && end.attempts.isEmpty && end.waitingCount == 0 && !end.isEmpty)
    }

    @Test func `a limit of connections below one counts as one`() {
        var queue = QueueProbe(limit: 0)
        #expect(["a", "b"].map { queue.acquire(Waiter($0)) } == ["connect", "wait"])
    }

    @Test func `the connection used last is used first`() {
        var queue = QueueProbe.idle([Connection("1"), Connection("2"), Connection("3")])
        #expect(["a", "b", "c", "d"].map { queue.acquire(Waiter($0)) } == ["use 3", "use 2", "use 1", "wait"])
    }

    @Test func `a connection on the caller's loop is preferred`() {
        var queue = QueueProbe.idle([
            Connection("1", loop: oneLoop), Connection("2", loop: oneLoop), Connection("3", loop: otherLoop),
        ])
        #expect(["a", "b", "c"].map { queue.acquire(Waiter($0, loop: oneLoop)) } == ["use 2", "use 1", "use 3"])
    }

    @Test func `an exchange that is given back waits in front of the others`() {
        var queue = queue(limit: 1, ["a", "b", "c"].map { Waiter($0) })
        _ = queue.connected(Connection("1"), for: "a")
        let given = Waiter("given")
        #expect(queue.acquire(given, isGivenBack: true) == "wait")
        #expect([0, 1, 2].map { _ in queue.released(Connection("1")) } == ["serve given", "serve b", "serve c"])
    }

    // MARK: Fresh connections

    @Test func `a retry does not take an idle connection`() {
        var queue = QueueProbe(limit: 2)
        _ = queue.acquire(Waiter("first"))
        _ = queue.connected(Connection("1"), for: "first")
        _ = queue.released(Connection("1"))
        #expect(queue.acquire(Waiter("again", needsFreshConnection: true)) == "connect")
        #expect(queue.connected(Connection("2"), for: "again") == "serve again")
    }

    @Test func `a fresh connection at the limit takes the place of the oldest idle one`() {
        let old = Connection("1")
        var queue = QueueProbe.idle([old, Connection("2")])
        #expect(queue.acquire(Waiter("again", needsFreshConnection: true)) == "wait and close 1")
        #expect(queue.closed(old) == "connects again")
        #expect(queue.connected(Connection("3"), for: "again") == "serve again")
    }

    @Test func `a used connection is closed for a retry and does not serve it`() {
        let (one, two) = (Connection("1"), Connection("2"))
        var queue = QueueProbe.busy([one, two])
        _ = queue.acquire(Waiter("a"))
        #expect(queue.acquire(Waiter("again", needsFreshConnection: true)) == "wait")
        // The first one that is free makes room, the second one serves those who take any.
        #expect(queue.released(one) == "close")
        #expect(queue.closed(one) == "connects again")
        #expect(queue.released(two) == "serve a")
        #expect(queue.released(two) == "idle")
        #expect(queue.connected(Connection("3"), for: "again") == "serve again")
    }

    @Test func `a new connection serves a retry before earlier waiters`() {
        var queue = queue(limit: 2, [Waiter("a"), Waiter("again", needsFreshConnection: true)])
        #expect(queue.connected(Connection("1"), for: "a") == "serve again")
        #expect(queue.connected(Connection("2"), for: "again") == "serve a")
    }

    // MARK: Failures

    @Test func `a refused attempt fails the longest waiter and those without an attempt under way`() {
        var queue = queue(limit: 2, ["a", "b", "c", "d"].map { Waiter($0) })
        #expect(queue.failure(.refused, of: "a") == "fails a c d")
        #expect(queue.failure(.refused, of: "b") == "fails b")
        #expect(queue.queue.isEmpty)
    }

    @Test func `a failed attempt fails the waiter it was made for, not the longest one`() {
        var queue = queue(limit: 2, ["a", "b"].map { Waiter($0) })
        #expect(queue.failure(.refused, of: "b") == "fails b")
        #expect(queue.connected(Connection("1"), for: "a") == "serve a")
    }

    @Test func `a connect timeout fails only its own waiter, and the next one gets an attempt of its own`() {
        var queue = queue(limit: 2, ["a", "b", "c", "d"].map { Waiter($0) })
        #expect(queue.failure(.timedOut, of: "a") == "fails a, connects c")
        #expect(queue.failure(.timedOut, of: "b") == "fails b, connects d")
        #expect(queue.queue.attempts.count == 2 && queue.queue.waiters.map(\.description) == ["c", "d"])
    }

    @Test func `with an open connection a refused attempt fails no waiter and stops attempts for a while`() {
        var queue = queue(limit: 3, ["a", "b", "c"].map { Waiter($0) })
        #expect(queue.connected(Connection("1"), for: "a", at: 1) == "serve a")
        #expect(queue.failure(.refused, of: "b", at: 1).isEmpty)
        #expect(queue.failure(.refused, of: "c", at: 1).isEmpty)
        #expect(queue.acquire(Waiter("d", since: QueueProbe.at(1.5))) == "wait")
        #expect(queue.queue.nextDeadline == QueueProbe.at(2))
        #expect(queue.released(Connection("1"), at: 1.6) == "serve b")
        #expect(queue.expire(at: 2) == "connects c d")
    }

    @Test func `with an open connection a timeout or a lack of trust still fails the waiter of the attempt`() {
        var queue = queue(limit: 3, ["a", "b", "c"].map { Waiter($0) })
        _ = queue.connected(Connection("1"), for: "a")
        #expect(queue.failure(.timedOut, of: "b") == "fails b")
        #expect(queue.failure(.untrusted, of: "c") == "fails c")
    }

    @Test func `when the last connection closes, a refusal no longer stops attempts`() {
        let connection = Connection("1")
        var queue = queue(limit: 2, ["a", "b", "c"].map { Waiter($0) })
        _ = queue.connected(connection, for: "a", at: 1)
        #expect(queue.failure(.refused, of: "b", at: 1).isEmpty)
        #expect(queue.closed(connection, at: 1.1) == "connects b c")
        #expect(queue.failure(.refused, of: "b", at: 1.2) == "fails b")
    }

    @Test func `a connection that closes makes room for a waiter`() {
        let connection = Connection("1")
        var queue = queue(limit: 1, [Waiter("a")])
        _ = queue.connected(connection, for: "a")
        #expect(queue.acquire(Waiter("b")) == "wait")
        #expect(queue.closed(connection) == "connects b")
        #expect(queue.queue.open == 0 && queue.queue.attempts.count == 1)
        #expect(queue.connected(Connection("2"), for: "b") == "serve b")
    }

    @Test func `an idle connection that closes is not used again`() {
        let (first, second) = (Connection("1"), Connection("2"))
        var queue = QueueProbe.idle([first, second])
        #expect(queue.closed(second).isEmpty)
        #expect(["a", "b"].map { queue.acquire(Waiter($0)) } == ["use 1", "connect"])
    }

    // MARK: Connections that carry several exchanges at once

    @Test func `a connection with several places serves as many exchanges, and the next one when a place is free`() {
        var queue = queue(limit: 1, ["a", "b", "c", "d"].map { Waiter($0) })
        let shared = Connection("1", capacity: 3)
        #expect(queue.connected(shared, for: "a") == "serve a b c")
        #expect([queue.released(shared), queue.released(shared)] == ["serve d", "idle"])
        #expect([queue.acquire(Waiter("e")), queue.acquire(Waiter("f"))] == ["use 1", "wait"])
    }

    @Test func `a connection with free places is used before another one is made`() {
        var queue = queue(limit: 2, [Waiter("a")])
        #expect(queue.connected(Connection("1", capacity: 2), for: "a") == "serve a")
        #expect(["b", "c", "d"].map { queue.acquire(Waiter($0)) } == ["use 1", "connect", "wait"])
    }

    @Test func `returned places of a connection are free again, as many as there are`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 2)
        _ = queue.connected(shared, for: "a")
        _ = queue.acquire(Waiter("b"))
        #expect([queue.released(shared), queue.released(shared)] == ["idle", "idle"])
        #expect(["c", "d", "e"].map { queue.acquire(Waiter($0)) } == ["use 1", "use 1", "wait"])
    }

    @Test func `a shared connection takes no new exchange while a retry waits for its place`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 2)
        _ = queue.connected(shared, for: "a")
        #expect(queue.acquire(Waiter("retry", needsFreshConnection: true)) == "wait")
        #expect(queue.acquire(Waiter("b")) == "wait")
        #expect(queue.released(shared) == "close")
    }

    @Test func `a full shared connection gives no freed place away while a retry waits`() {
        let retry = Waiter("retry", needsFreshConnection: true)
        var queue = queue(limit: 1, [Waiter("a"), Waiter("b")])
        let shared = Connection("1", capacity: 2)
        _ = queue.connected(shared, for: "a")
        #expect(
            [queue.acquire(Waiter("c")), queue.acquire(retry), queue.released(shared)] == ["wait", "wait", "idle"]
        )
        #expect(queue.cancel(retry).isEmpty)
        // It is wanted again.
        #expect([queue.acquire(Waiter("d")), queue.released(shared)] == ["use 1", "serve c"])
    }

    @Test func `a connection in use is not closed to make room`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 2)
        _ = queue.connected(shared, for: "a")
        #expect(queue.acquire(Waiter("retry", needsFreshConnection: true)) == "wait")
        // The last exchange on it has ended.
        #expect(queue.released(shared) == "close")
        #expect(queue.closed(shared) == "connects retry")
    }

    @Test func `the free places of a shared connection end with it`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 3)
        _ = queue.connected(shared, for: "a")
        #expect(queue.closed(shared).isEmpty)
        #expect(queue.acquire(Waiter("b")) == "connect")
    }

    // MARK: Those who leave

    @Test func `a cancelled waiter is skipped once`() {
        let waiters = ["a", "b", "c"].map { Waiter($0) }
        var queue = queue(limit: 1, waiters)
        #expect([queue.cancel(waiters[1]), queue.cancel(waiters[1])] == ["", ""])
        #expect(queue.queue.waitingCount == 2)
        #expect(queue.connected(Connection("1"), for: "a") == "serve a")
        #expect(queue.released(Connection("1")) == "serve c")
    }

    @Test func `a connection attempt that nobody waits for any more is given up`() {
        let waiters = ["a", "b", "c"].map { Waiter($0) }
        var queue = queue(limit: 2, waiters)
        // The attempts of a and b serve b and c.
        #expect(queue.cancel(waiters[0]).isEmpty)
        #expect(queue.cancel(waiters[2]) == "gives up a")
        #expect(queue.cancel(waiters[1]) == "gives up b")
        #expect([queue.failure(.cancelled, of: "a"), queue.failure(.cancelled, of: "b")] == ["", ""])
        #expect(queue.queue.isEmpty)
    }

    @Test func `a waiter that comes after an attempt was given up gets one of its own`() {
        let waiter = Waiter("a")
        var queue = queue(limit: 1, [waiter])
        #expect(queue.cancel(waiter) == "gives up a")
        // Its place is free when it has ended.
        #expect(queue.acquire(Waiter("b")) == "wait")
        #expect(queue.failure(.refused, of: "a") == "connects b")
        #expect(queue.failure(.refused, of: "b") == "fails b")
        #expect(queue.queue.isEmpty)
    }

    @Test func `an attempt that was given up too late serves the next waiter`() {
        let waiter = Waiter("a")
        var queue = queue(limit: 1, [waiter])
        _ = queue.cancel(waiter)
        _ = queue.acquire(Waiter("b"))
        #expect(queue.connected(Connection("1"), for: "a") == "serve b")
    }

    @Test func `the attempt of a waiter that was served elsewhere goes on`() {
        var queue = queue(limit: 2, ["a", "b"].map { Waiter($0) })
        let connection = Connection("1")
        _ = queue.connected(connection, for: "a")
        #expect(queue.released(connection) == "serve b")
        #expect(queue.connected(Connection("2"), for: "b") == "idle")
    }

    @Test func `all waiters can be taken at once`() {
        var queue = queue(limit: 1, ["a", "b", "c"].map { Waiter($0) })
        #expect(queue.queue.removeWaiters().map(\.description) == ["a", "b", "c"])
        #expect(queue.queue.waitingCount == 0)
        #expect(queue.connected(Connection("1"), for: "a") == "idle")
    }

    // MARK: Cost

    /// How often a queue of so many exchanges looks at one of them while all of them leave.
    private func looks(_ count: Int, _ leave: (inout QueueProbe, [Waiter]) -> Void) -> Int {
        let looks = Waiter.Looks()
        let waiters = (0..<count).map { number -> Waiter in
            let deadline = QueueProbe.at(Double(1 + number * 31 % 50))
            let connect = Duration.seconds(1 + number % 3)
            let isRetry = number % 7 == 3
            return Waiter(
                "\(number)",
                needsFreshConnection: isRetry,
                deadline: deadline,
                connect: connect,
                waiting: .seconds(60),
                looks: looks
            )
        }
        var probe = queue(limit: 6, waiters)
        leave(&probe, waiters)
        #expect(probe.queue.waitingCount == 0)
        return looks.count
    }

    @Test func `ten thousand waiters leave at a cost that grows linearly`() async {
        let ways: [(inout QueueProbe, [Waiter]) -> Void] = [
            { queue, waiters in for waiter in waiters { _ = queue.cancel(waiter) } },
            { queue, waiters in for waiter in waiters.reversed() { _ = queue.cancel(waiter) } },
            { queue, _ in _ = queue.queue.removeWaiters() },
            { queue, _ in
                _ = queue.failure(.refused, of: "0")
                _ = queue.queue.removeWaiters()
            },
            { queue, _ in for time in 0..<60 { _ = queue.expire(at: Double(time)) } },
        ]
        for (number, way) in ways.enumerated() {
            let few = looks(1000, way)
            await Task.yield()
            let many = looks(10_000, way)
            #expect(many < 12 * few + 1000, "way \(number): \(few), \(many)")
            #expect(many < 200_000, "way \(number)")
        }
    }
}
