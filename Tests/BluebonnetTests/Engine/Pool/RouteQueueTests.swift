import Testing

@testable import Bluebonnet

/// The pool's decisions, as values: which connection serves which exchange, and when one is made.
@Suite struct RouteQueueTests {
    private typealias Connection = QueueConnection
    private typealias Waiter = QueueWaiter

    private let oneLoop = ObjectIdentifier(Int.self)
    private let otherLoop = ObjectIdentifier(String.self)

    /// A queue in which these waiters wait, and in which no connection is open yet.
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
        #expect(steps == ["serve a", "serve b", "serve c", "serve d", "keep", "keep"])
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
        let connection = Connection("1")
        _ = queue.connected(connection, for: "a")
        let given = Waiter("given")
        #expect(queue.acquire(given, isGivenBack: true) == "wait")
        #expect([0, 1, 2].map { _ in queue.released(connection) } == ["serve given", "serve b", "serve c"])
    }

    // MARK: Fresh connections

    @Test func `a retry does not take an idle connection`() {
        var queue = QueueProbe(limit: 2)
        _ = queue.acquire(Waiter("first"))
        let connection = Connection("1")
        _ = queue.connected(connection, for: "first")
        _ = queue.released(connection)
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
        // The first one that is free makes room; the second one serves waiters that take any
        // connection.
        #expect(queue.released(one) == "close")
        #expect(queue.closed(one) == "connects again")
        #expect(queue.released(two) == "serve a")
        #expect(queue.released(two) == "keep")
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

    @Test func `a connect timeout fails only its own waiter, and the next one gets its own attempt`() {
        var queue = queue(limit: 2, ["a", "b", "c", "d"].map { Waiter($0) })
        #expect(queue.failure(.timedOut, of: "a") == "fails a, connects c")
        #expect(queue.failure(.timedOut, of: "b") == "fails b, connects d")
        #expect(queue.queue.attempts.count == 2 && queue.queue.waiters.map(\.description) == ["c", "d"])
    }

    @Test func `with an open connection a refused attempt fails no waiter and stops attempts for a while`() {
        var queue = queue(limit: 3, ["a", "b", "c"].map { Waiter($0) })
        let connection = Connection("1")
        #expect(queue.connected(connection, for: "a", at: 1) == "serve a")
        #expect(queue.failure(.refused, of: "b", at: 1).isEmpty)
        #expect(queue.failure(.refused, of: "c", at: 1).isEmpty)
        #expect(queue.acquire(Waiter("d", since: QueueProbe.at(1.5))) == "wait")
        #expect(queue.queue.nextDeadline == QueueProbe.at(2))
        #expect(queue.released(connection, at: 1.6) == "serve b")
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

    @Test func `of the idle connections the one not used for longest makes room`() {
        var queue = QueueProbe.idle([Connection("1"), Connection("2"), Connection("3")])
        #expect(queue.acquire(Waiter("a")) == "use 3")
        #expect([0, 1, 2].map { _ in queue.queue.closeIdle()?.description } == ["1", "2", nil])
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
        #expect([queue.released(shared), queue.released(shared)] == ["serve d", "keep"])
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
        #expect([queue.released(shared), queue.released(shared)] == ["keep", "keep"])
        #expect(["c", "d", "e"].map { queue.acquire(Waiter($0)) } == ["use 1", "use 1", "wait"])
    }

    @Test func `a retry shares a busy connection where no further one may be made`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 2)
        _ = queue.connected(shared, for: "a")
        #expect(queue.acquire(Waiter("retry", needsFreshConnection: true)) == "use 1")
        #expect(queue.acquire(Waiter("b")) == "wait")
        #expect(
            [queue.released(shared), queue.released(shared), queue.released(shared)] == ["serve b", "keep", "keep"]
        )
    }

    @Test func `a retry is the first in the line for a full shared connection`() {
        var queue = queue(limit: 1, [Waiter("a"), Waiter("b")])
        let shared = Connection("1", capacity: 2)
        _ = queue.connected(shared, for: "a")
        #expect(
            [queue.acquire(Waiter("c")), queue.acquire(Waiter("retry", needsFreshConnection: true))] == [
                "wait", "wait",
            ]
        )
        #expect([queue.released(shared), queue.released(shared)] == ["serve retry", "serve c"])
    }

    @Test func `a connection in use is not closed to make room`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 2)
        _ = queue.connected(shared, for: "a")
        #expect(queue.resized(shared, to: 1) == "serve none")
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

    // MARK: Capacity

    @Test func `a connection whose capacity shrinks serves again when the places above it are returned`() {
        var queue = queue(limit: 1, ["a", "b", "c", "d"].map { Waiter($0) })
        let shared = Connection("1", capacity: 3)
        #expect(queue.connected(shared, for: "a") == "serve a b c")
        #expect(queue.resized(shared, to: 1) == "serve none")
        #expect((0..<3).map { _ in queue.released(shared) } == ["keep", "keep", "serve d"])
        #expect(
            [queue.released(shared), queue.acquire(Waiter("e")), queue.acquire(Waiter("f"))] == [
                "keep", "use 1", "wait",
            ]
        )
    }

    @Test func `a connection whose capacity grows serves waiting exchanges`() {
        var queue = queue(limit: 1, ["a", "b", "c", "d"].map { Waiter($0) })
        let shared = Connection("1", capacity: 1)
        #expect(queue.connected(shared, for: "a") == "serve a")
        #expect(queue.resized(shared, to: 3) == "serve b c")
        #expect(queue.resized(shared, to: 5) == "serve d")
        #expect([queue.acquire(Waiter("e")), queue.acquire(Waiter("f"))] == ["use 1", "wait"])
    }

    @Test func `a connection with a capacity of zero is waited for`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 0)
        #expect(queue.connected(shared, for: "a") == "serve none")
        #expect(queue.acquire(Waiter("b")) == "wait")
        #expect(queue.resized(shared, to: 2) == "serve a b")
    }

    @Test func `a connection with a capacity of zero delays further attempts`() {
        var queue = queue(limit: 3, [Waiter("a")])
        #expect(queue.connected(Connection("1", capacity: 0), for: "a", at: 1) == "serve none")
        #expect(queue.queue.nextDeadline == QueueProbe.at(2))
        #expect(queue.expire(at: 2) == "connects a")
    }

    @Test func `a connection for any number of exchanges is used for all`() {
        var queue = queue(limit: 6, [Waiter("a"), Waiter("b"), Waiter("c")])
        #expect(queue.connected(Connection("1", capacity: .max), for: "a") == "serve a b c, gives up b c")
        #expect(queue.acquire(Waiter("d")) == "use 1")
    }

    @Test func `a connection with free places loses them when its server allows no more`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 3)
        _ = queue.connected(shared, for: "a")
        #expect(queue.resized(shared, to: 1) == "serve none")
        #expect(queue.acquire(Waiter("b")) == "wait")
    }

    @Test func `attempts that a connection with more capacity makes superfluous are given up`() {
        let names = ["a", "b", "c", "d", "e"]
        var queue = queue(limit: 3, names.map { Waiter($0) })
        let shared = Connection("1", capacity: 3)
        #expect(queue.connected(shared, for: "b") == "serve a b c, gives up c")
        #expect(queue.connected(Connection("2", capacity: 3), for: "a") == "serve d e")
    }

    @Test func `one attempt is made for as many waiters as a connection is expected to carry`() {
        var queue = queue(limit: 6, [Waiter("a")])
        let shared = Connection("1", capacity: 3)
        _ = queue.connected(shared, for: "a")
        _ = ["b", "c"].map { queue.acquire(Waiter($0)) }
        let waiters = ["d", "e", "f", "g"].map { Waiter($0) }
        #expect(waiters.map { queue.acquire($0) } == ["connect", "wait", "wait", "connect"])
        #expect(queue.cancel(waiters[3]) == "gives up g")
        #expect(queue.connected(Connection("2", capacity: 3), for: "d") == "serve d e f")
    }

    @Test func `a connection that carries fewer exchanges than expected leads to more attempts`() {
        var queue = queue(limit: 6, [Waiter("a")])
        let shared = Connection("1", capacity: 4)
        _ = queue.connected(shared, for: "a")
        #expect(queue.resized(shared, to: 3) == "serve none")
        _ = ["b", "c"].map { queue.acquire(Waiter($0)) }
        #expect(["d", "e", "f"].map { queue.acquire(Waiter($0)) } == ["connect", "wait", "wait"])
        #expect(queue.connected(Connection("2"), for: "d") == "serve d, connects e f")
    }

    @Test func `a refused attempt for several waiters fails all of them where no connection is open`() {
        var queue = queue(limit: 6, [Waiter("a")])
        let shared = Connection("1", capacity: 2)
        _ = queue.connected(shared, for: "a")
        _ = queue.acquire(Waiter("b"))
        _ = ["c", "d"].map { queue.acquire(Waiter($0)) }
        #expect(queue.closed(shared).isEmpty)
        #expect(queue.failure(.refused, of: "c") == "fails c d")
        #expect(queue.queue.isEmpty)
    }

    @Test func `a connection that left the pool is closed when it finishes an exchange`() {
        var queue = queue(limit: 2, [Waiter("a")])
        let shared = Connection("1", capacity: 3)
        _ = queue.connected(shared, for: "a")
        _ = queue.acquire(Waiter("b"))
        #expect(queue.closed(shared).isEmpty)
        #expect(queue.acquire(Waiter("c")) == "connect")
        #expect(
            [queue.released(shared), queue.resized(shared, to: 9), queue.closed(shared)] == [
                "close", "serve none", "",
            ]
        )
        #expect(queue.queue.open == 0)
    }

    @Test func `a connection that refuses an exchange takes no other one`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 3)
        _ = queue.connected(shared, for: "a")
        let refused = Waiter("b")
        #expect(queue.acquire(refused) == "use 1")
        #expect([queue.refused(refused, by: shared), queue.acquire(Waiter("c"))] == ["wait", "wait"])
        #expect([queue.resized(shared, to: 9), queue.released(shared)] == ["serve none", "close"])
        #expect(queue.closed(shared) == "connects b")
    }

    @Test func `a connection that is to close serves no exchange, even when its capacity grows`() {
        var queue = queue(limit: 1, [Waiter("a")])
        let shared = Connection("1", capacity: 4)
        _ = queue.connected(shared, for: "a")
        _ = queue.released(shared)
        #expect(queue.acquire(Waiter("retry", needsFreshConnection: true)) == "wait and close 1")
        #expect([queue.resized(shared, to: 3), queue.resized(shared, to: 4)] == ["serve none", "serve none"])
        #expect(queue.acquire(Waiter("b")) == "wait")
        #expect(queue.closed(shared) == "connects retry")
    }

    @Test func `the least recently used connection makes room for a retry`() {
        let (one, two) = (Connection("1"), Connection("2"))
        var queue = QueueProbe.idle([one, two])
        #expect(["a", "b"].map { queue.acquire(Waiter($0)) } == ["use 2", "use 1"])
        #expect([queue.released(two), queue.released(one)] == ["keep", "keep"])
        #expect(queue.acquire(Waiter("retry", needsFreshConnection: true)) == "wait and close 2")
    }

    @Test func `no more connections are closed than retries need`() {
        let (one, two) = (Connection("1"), Connection("2"))
        var queue = QueueProbe.idle([one, two])
        _ = queue.acquire(Waiter("a"))
        #expect(queue.acquire(Waiter("retry", needsFreshConnection: true)) == "wait and close 1")
        #expect(queue.released(two) == "keep")
    }

    @Test func `a retry without room after a pause closes an idle connection`() {
        var queue = queue(limit: 2, [Waiter("a"), Waiter("b")])
        let idle = Connection("1")
        _ = queue.connected(idle, for: "a", at: 1)
        _ = queue.failure(.refused, of: "b", at: 1)
        _ = queue.released(idle, at: 1)
        _ = queue.released(idle, at: 1)
        let retries = ["r", "s"].map { Waiter($0, needsFreshConnection: true, since: QueueProbe.at(1.5)) }
        #expect(retries.map { queue.acquire($0) } == ["wait", "wait"])
        #expect(queue.expire(at: 2) == "connects r, closes 1")
        #expect(queue.closed(idle, at: 2) == "connects s")
    }

    // MARK: Waiters that leave

    @Test func `a cancelled waiter is skipped once`() {
        let waiters = ["a", "b", "c"].map { Waiter($0) }
        var queue = queue(limit: 1, waiters)
        #expect([queue.cancel(waiters[1]), queue.cancel(waiters[1])] == ["", ""])
        #expect(queue.queue.waitingCount == 2)
        let connection = Connection("1")
        #expect(queue.connected(connection, for: "a") == "serve a")
        #expect(queue.released(connection) == "serve c")
    }

    @Test func `a connection attempt that no exchange waits for any more is given up`() {
        let waiters = ["a", "b", "c"].map { Waiter($0) }
        var queue = queue(limit: 2, waiters)
        // The attempts of a and b serve b and c.
        #expect(queue.cancel(waiters[0]).isEmpty)
        #expect(queue.cancel(waiters[2]) == "gives up a")
        #expect(queue.cancel(waiters[1]) == "gives up b")
        #expect([queue.failure(.cancelled, of: "a"), queue.failure(.cancelled, of: "b")] == ["", ""])
        #expect(queue.queue.isEmpty)
    }

    @Test func `a waiter that comes after an attempt was given up gets its own attempt`() {
        let waiter = Waiter("a")
        var queue = queue(limit: 1, [waiter])
        #expect(queue.cancel(waiter) == "gives up a")
        // The place of the attempt is free when the attempt has ended.
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
        #expect(queue.connected(Connection("2"), for: "b") == "serve none")
    }

    @Test func `all waiters can be taken at once`() {
        var queue = queue(limit: 1, ["a", "b", "c"].map { Waiter($0) })
        #expect(queue.queue.removeWaiters().map(\.description) == ["a", "b", "c"])
        #expect(queue.queue.waitingCount == 0)
        #expect(queue.connected(Connection("1"), for: "a") == "serve none")
    }

    // MARK: Cost

    /// The number of times that a queue of `count` waiters looks at one of them while all of them
    /// leave.
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
