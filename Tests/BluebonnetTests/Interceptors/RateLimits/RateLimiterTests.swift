import BluebonnetTesting
import HTTPTypes
import LocalServer
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Rate limits, through a session.
@Suite(.timeLimit(.minutes(3)))
struct RateLimiterTests {
    /// A limit whose second token never comes.
    private static let once = RateLimit(1, per: .seconds(86_400))

    private func configuration(
        _ limits: RateLimits,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> SessionConfiguration {
        SessionConfiguration {
            $0.rateLimits = limits
            change(&$0)
        }
    }

    @Test func `requests are sent no faster than the limit allows`() async throws {
        let transport = StubTransport(.status(200))
        let startedAt = ContinuousClock.now
        let limits = RateLimits(perHost: RateLimit(100, per: .seconds(1)))
        try await withSession(configuration(limits), transport: transport) { session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { _ = try await session.data(for: Request(to: "http://x/\(number)")) }
                }
                try await group.waitForAll()
            }
        }
        #expect(startedAt.duration(to: .now) >= .milliseconds(190))
        #expect(transport.requests.count == 20)
    }

    @Test func `a wait that would pass the time of the request fails at once`() async throws {
        let transport = StubTransport(.status(200))
        let limits = RateLimits(session: RateLimit(1, per: .seconds(60)))
        try await withSession(configuration(limits), transport: transport) { session in
            var request = try Request(to: "http://x/a")
            _ = try await session.data(for: request)
            request.timeouts = Timeouts(request: .seconds(30))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .rateLimited)
            #expect(error.code.family == .limit)
            #expect(error.message.contains("GET http://x/a"))
            #expect(error.request?.url.path() == "/a")
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `the wait that is told counts those that wait already`() async throws {
        let transport = StubTransport(.status(200))
        let limits = RateLimits(hosts: ["x": RateLimit(1, per: .seconds(1000))])
        try await withSession(configuration(limits), transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/a"))
            let waiting = try (0..<3).map { _ in session.dataTask(for: try Request(to: "http://x/b")) }
            for task in waiting { task.resume() }
            let limiter = try #require(session.core.chain.end.rateLimiter)
            try await until("three wait") { limiter.waitingCount == 3 }
            var request = try Request(to: "http://x/c")
            request.timeouts = Timeouts(request: .seconds(3500))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .rateLimited)
            // Four thousand seconds, less those that the test took.
            #expect(error.message.contains("39"))
            for task in waiting { task.cancel() }
        }
    }

    @Test(arguments: Stop.allCases)
    func `the wait ends at once when the task is stopped`(stop: Stop) async throws {
        let transport = StubTransport(.status(200))
        // The burst is over when the test begins, and the next token would be there in time, says
        // the clock: it stands still.
        let clock = ManualTiming()
        let limiter = RateLimiter(RateLimits(session: RateLimit(1, per: .nanoseconds(1_000))), timing: clock.timing)
        let configuration = configuration(RateLimits()) { $0.interceptors = [Limited(limiter)] }
        try await withSession(configuration, transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/a"))
            let error = try await stop.error(of: Request(to: "http://x/b"), in: session) { _ in
                try await until("it waits") { limiter.waitingCount == 1 }
            }
            #expect(error.code == stop.code)
            #expect(limiter.waitingCount == 0)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `each hop and each attempt waits by itself`() async throws {
        let count = Counter()
        let transport = StubTransport { request in
            if request.url.path() == "/a" { return .redirect(to: "/b") }
            return count.increment() == 1 ? .status(503) : .status(200)
        }
        let clock = ManualTiming()
        let limiter = RateLimiter(RateLimits(session: RateLimit(1)), timing: clock.timing)
        let steps = BuiltInSteps(
            transport: transport,
            configuration: .retrying(),
            rateLimiter: limiter
        )
        let request = try Request(to: "http://x/a")
        async let response = steps.send(request, context: ExchangeContext())
        for number in 1...4 {
            _ = await transport.requests(count: number)
            #expect(transport.requests.count == number)
            guard number < 4 else { break }
            try await until("the next one waits") { limiter.waitingCount == 1 }
            clock.move(by: .seconds(1))
        }
        #expect(try await response.statusCode == 200)
        #expect(transport.requests.map { $0.url.path() } == ["/a", "/b", "/a", "/b"])
    }

    @Test func `a changed priority is noticed by the queue`() async throws {
        let transport = StubTransport(.status(200))
        let clock = ManualTiming()
        let limiter = RateLimiter(RateLimits(session: RateLimit(1)), timing: clock.timing)
        let configuration = configuration(RateLimits()) { $0.interceptors = [Limited(limiter)] }
        try await withSession(configuration, transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/0"))
            var tasks: [DataTask<Data>] = []
            for number in 1...3 {
                let task = session.dataTask(for: try Request(to: "http://x/\(number)"))
                task.resume()
                tasks.append(task)
                try await until("it waits") { limiter.waitingCount == number }
            }
            tasks[2].priority = .responsive
            for number in 2...4 {
                clock.move(by: .seconds(1))
                _ = await transport.requests(count: number)
            }
            for task in tasks { _ = try await task.value }
        }
        #expect(transport.requests.map { $0.url.path() } == ["/0", "/3", "/1", "/2"])
    }

    @Test func `a suspended task gives its turn to the next one`() async throws {
        let transport = StubTransport(.status(200))
        let clock = ManualTiming()
        let limiter = RateLimiter(RateLimits(session: RateLimit(1)), timing: clock.timing)
        let configuration = configuration(RateLimits()) { $0.interceptors = [Limited(limiter)] }
        try await withSession(configuration, transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/0"))
            var tasks: [DataTask<Data>] = []
            for number in 1...2 {
                let task = session.dataTask(for: try Request(to: "http://x/\(number)"))
                task.resume()
                tasks.append(task)
                try await until("it waits") { limiter.waitingCount == number }
            }
            tasks[0].suspend()
            try await until("one has left") { limiter.waitingCount == 1 }
            clock.move(by: .seconds(1))
            _ = try await tasks[1].value
            tasks[0].resume()
            try await until("it waits") { limiter.waitingCount == 1 }
            clock.move(by: .seconds(1))
            _ = try await tasks[0].value
        }
        #expect(transport.requests.map { $0.url.path() } == ["/0", "/2", "/1"])
    }

    @Test func `a suspended task has its place again when it is resumed`() async throws {
        let transport = StubTransport(.status(200))
        let clock = ManualTiming()
        let limiter = RateLimiter(RateLimits(perHost: RateLimit(1)), timing: clock.timing)
        let configuration = configuration(RateLimits()) { $0.interceptors = [Limited(limiter)] }
        try await withSession(configuration, transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/0"))
            var tasks: [DataTask<Data>] = []
            for number in 1...3 {
                let task = session.dataTask(for: try Request(to: "http://x/\(number)"))
                task.resume()
                tasks.append(task)
                try await until("it waits") { limiter.waitingCount == number }
            }
            tasks[0].suspend()
            try await until("one has left") { limiter.waitingCount == 2 }
            tasks[0].resume()
            try await until("it waits again") { limiter.waitingCount == 3 }
            for number in 2...4 {
                clock.move(by: .seconds(1))
                _ = await transport.requests(count: number)
            }
            for task in tasks { _ = try await task.value }
        }
        #expect(transport.requests.map { $0.url.path() } == ["/0", "/1", "/2", "/3"])
    }

    @Test func `a request that does not obey the limits is sent at once, and takes no token`() async throws {
        let transport = StubTransport(.status(200))
        let limits = RateLimits(session: RateLimit(1, per: .seconds(86_400)), perHost: Self.once)
        try await withAPI(at: "http://x/", configuration(limits), transport: transport) { api in
            for _ in 0..<3 { _ = try await api.get("a", options: [.obeysRateLimits(false)], as: .data) }
            _ = try await api.get("b", as: .data)
            let error = try await networkingError {
                _ = try await api.get("c", timeout: .seconds(60), as: .data)
            }
            #expect(error.code == .rateLimited)
        }
        #expect(transport.requests.map { $0.url.path() } == ["/a", "/a", "/a", "/b"])
    }

    @Test func `hosts have their limits by name, and others by pattern`() async throws {
        let transport = StubTransport(.status(200))
        let limits = RateLimits(
            perHost: Self.once,
            hosts: ["free.example": .unlimited, "*.wild.example": RateLimit(1, per: .seconds(86_400), burst: 2)]
        )
        try await withSession(configuration(limits), transport: transport) { session in
            func isLimited(_ url: String) async throws -> Bool {
                var request = try Request(to: url)
                request.timeouts = Timeouts(request: .seconds(60))
                do throws(NetworkingError) {
                    _ = try await session.data(for: request)
                    return false
                } catch {
                    #expect(error.code == .rateLimited)
                    return true
                }
            }
            for _ in 0..<10 { #expect(try await !isLimited("http://free.example/")) }
            for host in ["a.wild.example", "b.wild.example"] {
                let limited = [
                    try await isLimited("http://\(host)/"), try await isLimited("http://\(host):81/"),
                    try await isLimited("https://\(host)/"),
                ]
                #expect(limited == [false, false, true])
            }
            #expect(try await !isLimited("http://other.example/"))
            #expect(try await isLimited("http://OTHER.example/"))
            #expect(try await isLimited("http://other.example./"))
            #expect(try await !isLimited("http://free.example./"))
            #expect(try await !isLimited("http+unix://%2Frun%2Fa.sock/"))
            #expect(try await isLimited("http+unix://%2Frun%2Fa.sock/b"))
        }
    }

    @Test func `a host that is none fails each request`() async throws {
        let transport = StubTransport(.status(200))
        let limits = RateLimits(hosts: ["http://x/": RateLimit(1)])
        try await withSession(configuration(limits), transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://y/")) }
            #expect(error.code == .rateLimited)
            #expect(error.message.contains("“http://x/” in rateLimits is not a host"))
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func `a session that ends leaves no timer behind`() async throws {
        let clock = ManualTiming()
        var limiter: RateLimiter? = RateLimiter(RateLimits(session: RateLimit(1)), timing: clock.timing)
        let request = try Request(to: "http://x/")
        let context = ExchangeContext()
        try await limiter?.wait(for: request, context)
        let waiting = Task { [limiter] in try await limiter?.wait(for: request, context) }
        try await until("it waits") { limiter?.waitingCount == 1 }
        #expect(clock.timerCount == 1)
        waiting.cancel()
        _ = await waiting.result
        #expect(clock.timerCount == 0)
        weak let gone = limiter
        limiter = nil
        #expect(gone == nil)
    }
}

/// Waits for a limiter of the test's.
private struct Limited: Interceptor {
    let limiter: RateLimiter

    init(_ limiter: RateLimiter) {
        self.limiter = limiter
    }

    func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
        try await limiter.wait(for: request, context)
        return try await next(request)
    }
}

/// A clock of a limiter that stands still until it is moved.
final class ManualTiming: Sendable {
    private struct State {
        var now = NIODeadline.now().uptimeNanoseconds
        var last = 0
        var timers: [Int: (at: UInt64, call: @Sendable () -> Void)] = [:]
    }

    private let state = Mutex(State())

    var timing: RateLimiter.Timing {
        RateLimiter.Timing(
            now: { self.state.withLock { $0.now } },
            schedule: { time, call in
                let number = self.state.withLock { state in
                    state.last += 1
                    state.timers[state.last] = (time, call)
                    return state.last
                }
                return { self.state.withLock { $0.timers[number] = nil } }
            }
        )
    }

    var timerCount: Int { state.withLock { $0.timers.count } }

    func move(by duration: Duration) {
        let due = state.withLock { state in
            state.now += UInt64(duration / .nanoseconds(1))
            let due = state.timers.filter { $0.value.at <= state.now }
            for number in due.keys { state.timers[number] = nil }
            return due.values.map(\.call)
        }
        for call in due { call() }
    }
}
