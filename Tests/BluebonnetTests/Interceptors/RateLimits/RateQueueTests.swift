import Testing

@testable import Bluebonnet

/// The decisions of the rate limits, as values.
struct RateQueueTests {
    private static let start: UInt64 = 1 << 50

    private func at(_ seconds: Double) -> UInt64 { Self.start + UInt64(seconds * 1e9) }

    /// A queue whose session has this limit, with requests that cannot be sent yet.
    private struct Line {
        var queue: RateQueue
        let now: UInt64

        init(session: RateLimit? = nil, at now: UInt64) {
            queue = RateQueue(session: session)
            self.now = now
        }

        @discardableResult
        mutating func add(
            _ ticket: Int,
            _ host: String? = nil,
            _ limit: RateLimit? = nil,
            urgency: Int = 3,
            deadline: UInt64? = nil
        ) -> RateQueue.Admission {
            queue.add(ticket, host: host, limit: limit, urgency: urgency, deadline: deadline, at: now)
        }

        mutating func ready(at now: UInt64) -> [Int] { queue.takeReady(at: now) }
    }

    private static let one = RateLimit(1, per: .seconds(1))

    @Test func `requests of a host are sent in their order, one for each token`() {
        var line = Line(at: at(0))
        for ticket in 1...3 { line.add(ticket, "a", Self.one) }
        #expect(line.ready(at: at(0)) == [1])
        #expect(line.queue.nextTime(at: at(0)) == at(1))
        #expect(line.ready(at: at(0.9)) == [])
        #expect(line.ready(at: at(1)) == [2])
        #expect(line.ready(at: at(5)) == [3])
        #expect(line.queue.nextTime(at: at(5)) == nil)
    }

    @Test func `a request that comes back has its place among those that wait`() {
        var line = Line(at: at(0))
        for ticket in 1...4 { line.add(ticket, "a", Self.one) }
        #expect(line.ready(at: at(0)) == [1])
        let place = line.queue.place(of: 2)
        #expect(line.queue.remove(2, at: at(0)) && line.queue.place(of: 2) == nil)
        line.add(5, "a", Self.one)
        _ = line.queue.add(2, host: "a", limit: Self.one, urgency: 3, deadline: nil, place: place, at: at(0))
        #expect((1...4).flatMap { line.ready(at: at(Double($0))) } == [2, 3, 4, 5])
        // Also one whose turn has come meanwhile, and in an empty line.
        _ = line.queue.add(2, host: "a", limit: Self.one, urgency: 3, deadline: nil, place: place, at: at(9))
        #expect(line.ready(at: at(9)) == [2])
    }

    @Test func `each host has a limit of its own`() {
        var line = Line(at: at(0))
        for (ticket, host) in [(1, "a"), (2, "a"), (3, "b"), (4, "b")] { line.add(ticket, host, Self.one) }
        #expect(line.ready(at: at(0)) == [1, 3])
        #expect(line.ready(at: at(1)) == [2, 4])
    }

    @Test func `of the requests of a host those with the higher priority come first`() {
        var line = Line(at: at(0))
        for (ticket, urgency) in [(1, 7), (2, 3), (3, 0), (4, 3), (5, 0)] {
            line.add(ticket, "a", Self.one, urgency: urgency)
        }
        var order: [Int] = []
        for second in 0..<5 { order += line.ready(at: at(Double(second))) }
        #expect(order == [3, 5, 2, 4, 1])
    }

    @Test func `of the requests of all hosts those with the higher priority come first`() {
        var line = Line(session: Self.one, at: at(0))
        for (ticket, host, urgency) in [(1, "a", 5), (2, "b", 3), (3, "c", 1), (4, "a", 3), (5, "b", 5)] {
            line.add(ticket, host, RateLimit(100), urgency: urgency)
        }
        line.add(6, urgency: 2)
        var order: [Int] = []
        for second in 0..<6 { order += line.ready(at: at(Double(second))) }
        #expect(order == [3, 6, 2, 4, 1, 5])
    }

    @Test func `a host without tokens does not hold others up`() {
        var line = Line(session: RateLimit(10), at: at(0))
        for ticket in 1...3 { line.add(ticket, "slow", RateLimit(1, per: .seconds(60)), urgency: 0) }
        line.add(4, "fast", RateLimit(100), urgency: 7)
        #expect(line.ready(at: at(0)) == [1])
        #expect(line.ready(at: at(0.1)) == [4])
        #expect(line.queue.nextTime(at: at(0.1)) == at(60))
        #expect(line.ready(at: at(60)) == [2])
    }

    @Test func `a request that leaves gives its place to the next one`() {
        var line = Line(at: at(0))
        for ticket in 1...4 { line.add(ticket, "a", Self.one) }
        #expect(line.ready(at: at(0)) == [1])
        let (left, again) = (line.queue.remove(2, at: at(0.5)), line.queue.remove(2, at: at(0.5)))
        #expect(left && !again)
        #expect(line.ready(at: at(1)) == [3])
        #expect(line.queue.count == 1)
    }

    @Test func `a request whose priority changes goes to the end of those that have it`() {
        var line = Line(at: at(0))
        for (ticket, urgency) in [(1, 3), (2, 3), (3, 3), (4, 0)] { line.add(ticket, "a", Self.one, urgency: urgency) }
        #expect(line.ready(at: at(0)) == [4])
        line.queue.move(3, to: 1, at: at(0))
        line.queue.move(2, to: 1, at: at(0))
        line.queue.move(1, to: 3, at: at(0))
        line.queue.move(99, to: 0, at: at(0))
        #expect((1...3).flatMap { line.ready(at: at(Double($0))) } == [3, 2, 1])
    }

    @Test func `a turn that is given back is there for the next one`() {
        var line = Line(session: Self.one, at: at(0))
        for ticket in 1...2 { line.add(ticket, "a", Self.one) }
        #expect(line.ready(at: at(0)) == [1])
        line.queue.giveBack(host: "a", at: at(0.1))
        #expect(line.ready(at: at(0.1)) == [2])
        #expect(line.ready(at: at(1)) == [])
    }

    // MARK: Deadlines

    @Test func `the wait that is too long counts those that are in front`() {
        var line = Line(at: at(0))
        for ticket in 1...5 { line.add(ticket, "a", Self.one) }
        #expect(line.ready(at: at(0)) == [1])
        // Four wait, so that the fifth is sent after five seconds.
        #expect(line.add(6, "a", Self.one, deadline: at(5)) == .isRefused(at(5)))
        #expect(line.add(7, "a", Self.one, deadline: at(5.1)) == .waits)
        #expect(line.add(8, "a", Self.one, deadline: at(5.1)) == .isRefused(at(6)))
        // Those of a lower priority are not in front.
        #expect(line.add(9, "a", Self.one, urgency: 0, deadline: at(1.1)) == .waits)
        #expect(line.add(10, "a", Self.one, urgency: 0, deadline: at(1.1)) == .isRefused(at(2)))
    }

    @Test func `the wait for the session counts those of all hosts`() {
        var line = Line(session: Self.one, at: at(0))
        for ticket in 1...4 { line.add(ticket) }
        #expect(line.ready(at: at(0)) == [1])
        #expect(line.add(5, "a", RateLimit(100), deadline: at(4)) == .isRefused(at(4)))
        #expect(line.add(6, "a", RateLimit(100), deadline: at(4.1)) == .waits)
        // One of the other host has a token already, and is in front.
        #expect(line.add(7, "b", RateLimit(100), deadline: at(5)) == .isRefused(at(5)))
        // A host that has none for long is not.
        for ticket in 8...9 { line.add(ticket, "slow", RateLimit(1, per: .seconds(60)), urgency: 0) }
        #expect(line.add(10, "b", RateLimit(100), urgency: 0, deadline: at(2.1)) == .waits)
    }

    @Test func `a refused request is not in the queue`() {
        var line = Line(at: at(0))
        line.add(1, "a", Self.one)
        #expect(line.ready(at: at(0)) == [1])
        #expect(line.add(2, "a", Self.one, deadline: at(0.5)) == .isRefused(at(1)))
        #expect(line.queue.count == 0)
        #expect(line.queue.nextTime(at: at(0)) == nil)
    }

    @Test func `those of a host without a limit count for the wait that is told`() {
        var line = Line(session: Self.one, at: at(0))
        for ticket in 0..<1000 { line.add(ticket, "a", .unlimited) }
        line.add(1000, "b", Self.one, deadline: at(2000))
        #expect(line.add(1001, "c", Self.one, deadline: at(1001)) == .isRefused(at(1001)))
        #expect(line.add(1002, "c", Self.one, deadline: at(1002)) == .waits)
    }

    // MARK: Costs

    @Test func `hosts for which nothing waits are forgotten`() {
        var queue = RateQueue(session: nil)
        for ticket in 0..<20_000 {
            let now = at(Double(ticket))
            _ = queue.add(ticket, host: "h\(ticket)", limit: Self.one, urgency: 3, deadline: nil, at: now)
            #expect(queue.takeReady(at: now) == [ticket])
        }
        #expect(queue.hostCount < 200)
    }

    @Test func `by chance, it does what a simple queue does`() {
        /// The same decisions, by looking at everything.
        struct Simple {
            var session: TokenBucket?
            var hosts: [String: TokenBucket] = [:]
            var waiting: [(ticket: Int, host: String, urgency: Int, place: Int)] = []
            var lastPlace = 0

            mutating func ready(at now: UInt64) -> [Int] {
                var tickets: [Int] = []
                while session?.hasToken(at: now) ?? true,
                    let index = waiting.indices.filter({ hosts[waiting[$0].host]?.hasToken(at: now) == true })
                        .min(by: {
                            (waiting[$0].urgency, waiting[$0].place) < (waiting[$1].urgency, waiting[$1].place)
                        })
                {
                    let first = waiting.remove(at: index)
                    hosts[first.host]?.take(at: now)
                    session?.take(at: now)
                    tickets.append(first.ticket)
                }
                return tickets
            }
        }
        var generator = SeededGenerator(seed: 11)
        for limit in [nil, RateLimit(7), RateLimit(3, burst: 5)] {
            var queue = RateQueue(session: limit)
            var simple = Simple(session: limit.map { TokenBucket($0) })
            var now = Self.start
            for ticket in 0..<4000 {
                now += UInt64.random(in: 0..<300_000_000, using: &generator)
                let number = Int.random(in: 0..<5, using: &generator)
                let (host, hostLimit) = ("h\(number)", RateLimit(number + 1, burst: number % 2 + 1))
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<6:
                    let urgency = Int.random(in: 0..<8, using: &generator)
                    let admission = queue.add(
                        ticket,
                        host: host,
                        limit: hostLimit,
                        urgency: urgency,
                        deadline: nil,
                        at: now
                    )
                    #expect(admission == .waits)
                    if simple.hosts[host] == nil { simple.hosts[host] = TokenBucket(hostLimit) }
                    simple.lastPlace += 1
                    simple.waiting.append((ticket, host, urgency, simple.lastPlace))
                case 6 where !simple.waiting.isEmpty:
                    let index = Int.random(in: 0..<simple.waiting.count, using: &generator)
                    let isRemoved = queue.remove(simple.waiting.remove(at: index).ticket, at: now)
                    #expect(isRemoved)
                case 7 where !simple.waiting.isEmpty:
                    let index = Int.random(in: 0..<simple.waiting.count, using: &generator)
                    let urgency = Int.random(in: 0..<8, using: &generator)
                    queue.move(simple.waiting[index].ticket, to: urgency, at: now)
                    if simple.waiting[index].urgency != urgency {
                        simple.lastPlace += 1
                        simple.waiting[index].urgency = urgency
                        simple.waiting[index].place = simple.lastPlace
                    }
                case 8 where simple.hosts[host] != nil:
                    queue.giveBack(host: host, at: now)
                    simple.hosts[host]?.giveBack()
                    simple.session?.giveBack()
                default: break
                }
                let ready = queue.takeReady(at: now)
                #expect(ready == simple.ready(at: now))
                if let next = queue.nextTime(at: now) { #expect(next > now) }
                #expect((queue.nextTime(at: now) == nil) == simple.waiting.isEmpty)
            }
        }
    }
}
