import NIOCore
import Testing

@testable import Bluebonnet

/// The deadlines of exchanges that wait for a connection, tested as values without a clock.
@Suite struct RouteQueueDeadlineTests {
    private typealias Connection = QueueConnection
    private typealias Waiter = QueueWaiter

    private static func at(_ seconds: Double) -> NIODeadline { QueueProbe.at(seconds) }

    @Test func `without an open connection the connect timeout of each waiter runs`() {
        var queue = QueueProbe(limit: 1)
        _ = queue.acquire(Waiter("slow", connect: .seconds(30), waiting: .seconds(5)))
        _ = queue.acquire(Waiter("quick", since: Self.at(2), connect: .seconds(1), waiting: .seconds(5)))
        #expect(queue.queue.nextDeadline.map { $0 <= Self.at(3) } == true)
        #expect(queue.expire(at: 2.9).isEmpty)
        #expect(queue.expire(at: 3) == "quick: connect")
        #expect(queue.expire(at: 29.9).isEmpty)
        #expect(queue.expire(at: 30) == "slow: connect, gives up slow")
        #expect(queue.queue.nextDeadline == nil)
    }

    @Test func `with open connections the waiting timeout counts the time in which none takes a waiter`() {
        let connection = Connection("1")
        var queue = QueueProbe.busy([connection])
        for name in ["a", "b", "c"] { _ = queue.acquire(Waiter(name, connect: .seconds(1), waiting: .seconds(60))) }
        #expect(queue.expire(at: 59).isEmpty)
        #expect(queue.released(connection, at: 59) == "serve a")
        #expect(queue.expire(at: 118).isEmpty)
        #expect(queue.released(connection, at: 118) == "serve b")
        #expect(queue.expire(at: 177.9).isEmpty)
        #expect(queue.expire(at: 178) == "c: waiting")
    }

    @Test func `a waiter that joins a queue that serves none fails after its own timeout`() {
        var queue = QueueProbe.busy([Connection("1")])
        _ = queue.acquire(Waiter("a", waiting: .seconds(60)))
        _ = queue.acquire(Waiter("b", since: Self.at(50), waiting: .seconds(60)))
        _ = queue.acquire(Waiter("c", since: Self.at(50), waiting: .seconds(5)))
        #expect(queue.expire(at: 55) == "c: waiting")
        #expect(queue.expire(at: 60) == "a: waiting")
        #expect(queue.expire(at: 109).isEmpty)
        #expect(queue.expire(at: 110) == "b: waiting")
    }

    @Test func `when the last connection closes, the connect timeout of the waiters begins`() {
        let connection = Connection("1")
        var queue = QueueProbe.busy([connection])
        _ = queue.acquire(Waiter("a", connect: .seconds(10), waiting: .seconds(60)))
        #expect(queue.expire(at: 50).isEmpty)
        #expect(queue.closed(connection, at: 50) == "connects a")
        #expect(queue.expire(at: 59.9).isEmpty)
        #expect(queue.expire(at: 60) == "a: connect, gives up a")
    }

    @Test func `the request timeout of a waiter runs while it waits`() {
        var queue = QueueProbe.busy([Connection("1")])
        _ = queue.acquire(Waiter("a", deadline: Self.at(3), waiting: .seconds(60)))
        _ = queue.acquire(Waiter("b", deadline: Self.at(2)))
        _ = queue.acquire(Waiter("c"))
        #expect(queue.queue.nextDeadline == Self.at(2))
        #expect(queue.expire(at: 2) == "b: request")
        #expect(queue.expire(at: 3) == "a: request")
        #expect(queue.expire(at: 1_000_000).isEmpty && queue.queue.waiters.map(\.description) == ["c"])
    }

    @Test func `a waiter without a timeout has no limit, and one with a timeout of zero fails at once`() {
        var queue = QueueProbe(limit: 1)
        _ = queue.acquire(Waiter("patient"))
        #expect(queue.queue.nextDeadline == nil)
        _ = queue.acquire(Waiter("hasty", connect: .zero, waiting: .zero))
        #expect(queue.expire(at: 0) == "hasty: connect")
        _ = queue.connected(Connection("1"), for: "patient")
        _ = queue.acquire(Waiter("hasty", connect: .zero, waiting: .zero))
        #expect(queue.expire(at: 0) == "hasty: waiting")
    }

    @Test func `an abandoned attempt is not waited for longer than another waiter's connect timeout`() {
        let gone = Waiter("gone", connect: nil)
        var queue = QueueProbe(limit: 1)
        _ = queue.acquire(gone)
        _ = queue.acquire(Waiter("a", connect: .seconds(10)))
        _ = queue.acquire(Waiter("b", since: Self.at(5), connect: .seconds(10)))
        #expect(queue.cancel(gone).isEmpty)
        #expect(queue.expire(at: 10) == "a: connect, gives up gone")
        #expect(queue.failure(.cancelled, of: "gone", at: 10) == "connects b")
        #expect(queue.expire(at: 15) == "b: connect, gives up b")
    }

    @Test func `the deadlines of served waiters are forgotten`() {
        let connection = Connection("1")
        var queue = QueueProbe.busy([connection])
        _ = queue.acquire(Waiter("first", waiting: .seconds(1)))
        for number in 0..<10_000 {
            _ = queue.acquire(Waiter("\(number)", since: Self.at(0.5), waiting: .seconds(60)))
            _ = queue.released(connection, at: 0.5)
        }
        #expect(queue.queue.waitingCount == 1)
        #expect(queue.expire(at: 60.4).isEmpty)
        #expect(queue.expire(at: 60.5) == "9999: waiting")
    }
}

/// The two data structures that the queue is made of.
@Suite struct WaitingLineTests {
    /// An element, its ticket, and its urgency when it was inserted or moved last.
    private typealias Entry = (waiter: QueueWaiter, ticket: Int, number: UInt64, urgency: Int)

    @Test(arguments: [3...3, 0...7])
    func `a waiting line keeps its order whichever element leaves it or moves`(urgencies: ClosedRange<Int>) {
        var generator = SeededGenerator(seed: 7)
        var line = WaitingLine<QueueWaiter>()
        var list: [Entry] = []
        for value in 0..<5000 {
            let urgency = Int.random(in: urgencies, using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<5:
                let waiter = QueueWaiter("\(value)", urgency: urgency)
                let (ticket, number) = line.insert(waiter, inFront: false)
                let index = list.firstIndex { $0.urgency > urgency } ?? list.endIndex
                list.insert((waiter, ticket, number, urgency), at: index)
            case 5:
                let waiter = QueueWaiter("\(value)", urgency: urgency)
                let (ticket, number) = line.insert(waiter, inFront: true)
                let index = list.firstIndex { $0.urgency >= urgency } ?? list.endIndex
                list.insert((waiter, ticket, number, urgency), at: index)
            case 6..<8:
                #expect(line.popFirst() === list.first?.waiter)
                list = Array(list.dropFirst())
            case 8..<10:
                guard let index = list.indices.randomElement(using: &generator) else { continue }
                var entry = list[index]
                entry.waiter.urgency = urgency
                line.move(at: entry.ticket)
                #expect(line.element(at: entry.ticket, number: entry.number) === entry.waiter)
                guard entry.urgency != urgency else { continue }
                entry.urgency = urgency
                list.remove(at: index)
                list.insert(entry, at: list.firstIndex { $0.urgency > urgency } ?? list.endIndex)
            default:
                guard let index = list.indices.randomElement(using: &generator) else { continue }
                let entry = list.remove(at: index)
                #expect(line.element(at: entry.ticket, number: entry.number) === entry.waiter)
                #expect(line.remove(at: entry.ticket) === entry.waiter)
                #expect(line.element(at: entry.ticket, number: entry.number) == nil)
            }
            #expect(line.count == list.count)
            #expect(value % 100 > 0 || Array(line).map(\.description) == list.map(\.waiter.description))
        }
        #expect(!line.isEmpty && Array(line).map(\.description) == list.map(\.waiter.description))
        while line.popFirst() != nil {}
        #expect(line.isEmpty && Array(line).isEmpty)
    }

    @Test func `a deadline heap returns its deadlines in order, also after some were removed`() {
        var generator = SeededGenerator(seed: 3)
        var heap = DeadlineHeap<UInt64>()
        let times = (0..<1000).map { _ in UInt64.random(in: 0..<500, using: &generator) }
        for time in times { heap.insert(time, at: .uptimeNanoseconds(time)) }
        #expect(heap.earliest == times.min().map { .uptimeNanoseconds($0) })
        heap.keep { $0 % 3 != 0 }
        let kept = times.filter { $0 % 3 != 0 }.sorted()
        #expect(heap.count == kept.count)
        var taken: [UInt64] = []
        while let next = heap.popFirst(until: .uptimeNanoseconds(250)) { taken.append(next) }
        #expect(taken == kept.filter { $0 <= 250 })
        while let next = heap.popFirst(until: .distantFuture) { taken.append(next) }
        #expect(taken == kept && heap.earliest == nil)
    }
}
