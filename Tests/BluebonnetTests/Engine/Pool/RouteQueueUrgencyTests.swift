import Testing

@testable import Bluebonnet

/// The order of the exchanges that wait, as values.
@Suite struct RouteQueueUrgencyTests {
    private typealias Connection = QueueConnection
    private typealias Waiter = QueueWaiter

    @Test func `the most urgent exchange is served first, and of those the one that came first`() {
        var queue = QueueProbe(limit: 1)
        _ = queue.acquire(Waiter("first"))
        for (name, urgency) in [("a", 3), ("b", 7), ("c", 1), ("d", 3), ("e", 1)] {
            #expect(queue.acquire(Waiter(name, urgency: urgency)) == "wait")
        }
        let connection = Connection("1")
        // The attempt was made for the first one, but the most urgent one gets its connection.
        #expect(queue.connected(connection, for: "first") == "serve c")
        let served = (0..<5).map { _ in queue.released(connection) }
        #expect(served == ["e", "first", "a", "d", "b"].map { "serve \($0)" })
    }

    @Test func `an exchange whose urgency changes moves behind those that have it already`() {
        let connection = Connection("1")
        var queue = QueueProbe.busy([connection])
        let waiters = ["a", "b", "c"].map { Waiter($0) }
        for waiter in waiters { _ = queue.acquire(waiter) }
        waiters[2].urgency = 0
        queue.queue.move(waiters[2])
        waiters[0].urgency = 7
        queue.queue.move(waiters[0])
        waiters[0].urgency = 3
        queue.queue.move(waiters[0])
        #expect(queue.queue.waiters.map(\.description) == ["c", "b", "a"])
        // One that does not wait is not put into the queue.
        _ = queue.cancel(waiters[1])
        waiters[1].urgency = 0
        queue.queue.move(waiters[1])
        #expect((0..<3).map { _ in queue.released(connection) } == ["serve c", "serve a", "keep"])
    }

    @Test func `an exchange that is given back waits in front of those of its urgency`() {
        let connection = Connection("1")
        var queue = QueueProbe.busy([connection])
        for (name, urgency) in [("a", 3), ("b", 1), ("c", 3)] { _ = queue.acquire(Waiter(name, urgency: urgency)) }
        _ = queue.acquire(Waiter("given"), isGivenBack: true)
        #expect(queue.queue.waiters.map(\.description) == ["b", "given", "a", "c"])
    }

    @Test func `others that overtake an exchange do not prolong its wait`() {
        let connection = Connection("1")
        var queue = QueueProbe.busy([connection])
        _ = queue.acquire(Waiter("late", waiting: .seconds(60), urgency: 7))
        for (name, time) in [("a", 30.0), ("b", 59.0)] {
            _ = queue.acquire(Waiter(name, since: QueueProbe.at(time), waiting: .seconds(60)))
            #expect(queue.released(connection, at: time) == "serve \(name)")
        }
        #expect(queue.expire(at: 59.9).isEmpty)
        #expect(queue.expire(at: 60) == "late: waiting")
    }

    @Test func `an exchange that was moved keeps its deadline`() {
        var queue = QueueProbe.busy([Connection("1")])
        let waiter = Waiter("a", deadline: QueueProbe.at(5))
        _ = queue.acquire(waiter)
        waiter.urgency = 1
        queue.queue.move(waiter)
        #expect(queue.expire(at: 6) == "a: request")
    }
}
