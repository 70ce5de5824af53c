import Testing

@testable import Bluebonnet

/// Exchanges that another queue serves, and what each is told of the attempts to connect.
@Suite struct RouteQueueHandOverTests {
    private typealias Connection = QueueConnection
    private typealias Waiter = QueueWaiter

    private func queue(limit: Int, _ waiters: [Waiter]) -> QueueProbe {
        var probe = QueueProbe(limit: limit)
        for waiter in waiters { _ = probe.acquire(waiter) }
        return probe
    }

    @Test func `waiters are handed over to another queue in their order, and their attempts given up`() {
        let moved = ["a", "b", "c"].map { Waiter($0) }
        var queue = queue(limit: 2, moved)
        let handed = queue.queue.handOver { _ in true }
        #expect(handed.waiters.map(\.description) == ["a", "b", "c"] && handed.givenUp.count == 2)
        #expect(queue.queue.waitingCount == 0)
        // Those who wait elsewhere by now are not those of this queue, whatever their tickets.
        var other = QueueProbe(limit: 1)
        for waiter in moved { _ = other.acquire(waiter) }
        #expect(queue.acquire(Waiter("d")) == "wait")
        #expect(queue.cancel(moved[0]).isEmpty)
        #expect(queue.failure(.cancelled, of: "a") == "connects d")
        #expect(queue.failure(.cancelled, of: "b").isEmpty)
        #expect(queue.queue.waiters.map(\.description) == ["d"])
        #expect(other.queue.waiters.map(\.description) == ["a", "b", "c"])
    }

    @Test func `some waiters are handed over, and the others keep what they need`() {
        let waiters = ["a", "b", "c"].map { Waiter($0) }
        var queue = queue(limit: 3, waiters)
        let handed = queue.queue.handOver { $0 === waiters[1] }
        #expect(handed.waiters.map(\.description) == ["b"] && handed.givenUp.count == 1)
        #expect(queue.queue.handOver { $0 === waiters[1] }.waiters.isEmpty)
        #expect(queue.connected(Connection("1"), for: "a") == "serve a")
        #expect(queue.connected(Connection("3"), for: "c") == "serve c")
    }

    @Test func `a waiter is told of its own attempt, also one that is given up, or else of the first`() {
        let waiters = ["a", "b", "c"].map { Waiter($0) }
        var queue = queue(limit: 2, waiters)
        let names = waiters.map { queue.queue.attempt(for: $0)?.waiter.description }
        #expect(names == ["a", "b", "a"])
        _ = queue.cancel(waiters[2])
        #expect(queue.cancel(waiters[0]) == "gives up a")
        #expect(queue.queue.attempt(for: waiters[0])?.waiter === waiters[0])
        #expect(queue.queue.attempt(for: waiters[2])?.waiter === waiters[1])
        _ = queue.cancel(waiters[1])
        #expect(queue.queue.attempt(for: waiters[1])?.waiter === waiters[1])
    }

    @Test func `a waiter whose time is over is told of the attempt that ends with it`() {
        let waiters = ["a", "b"].map { Waiter($0, connect: .seconds($0 == "a" ? 1 : 2)) }
        var queue = queue(limit: 1, waiters)
        #expect(queue.expire(at: 1) == "a: connect, gives up a")
        #expect(queue.expire(at: 2) == "b: connect")
        #expect(queue.queue.attempt(for: waiters[0])?.waiter === waiters[0])
        #expect(queue.queue.attempt(for: waiters[1])?.waiter === waiters[0])
    }

    @Test func `what waiters have waited in another queue does not count`() {
        let names = ["a", "b"]
        // Without connections, the time to connect begins when they come.
        var empty = QueueProbe(limit: 1)
        empty.queue.willTakeOver(at: QueueProbe.at(10))
        for name in names { _ = empty.acquire(Waiter(name, connect: .seconds(1), waiting: .seconds(1))) }
        #expect(empty.expire(at: 10.9).isEmpty)
        #expect(empty.expire(at: 11) == "a: connect, b: connect, gives up a")
        // With connections that are busy, the time to wait.
        var busy = QueueProbe.busy([Connection("1")])
        busy.queue.willTakeOver(at: QueueProbe.at(10))
        for name in names { _ = busy.acquire(Waiter(name, connect: .seconds(1), waiting: .seconds(1))) }
        #expect(busy.expire(at: 10.9).isEmpty)
        // Those who wait already wait no longer because of others.
        busy.queue.willTakeOver(at: QueueProbe.at(10.9))
        #expect(busy.expire(at: 11) == "a: waiting, b: waiting")
    }
}
