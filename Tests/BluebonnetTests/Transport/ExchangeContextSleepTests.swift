import BluebonnetTesting
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `ExchangeContext.sleep(for:)`, with which an interceptor waits.
@Suite(.timeLimit(.minutes(5)))
struct ExchangeContextSleepTests {
    /// Sleeps before it sends, in one of several ways, and keeps the errors that woke it.
    private final class Sleepy: Interceptor {
        enum Way: CaseIterable {
            case directly
            /// In a Swift task that the interceptor makes, and that is never cancelled.
            case inOwnTask
            /// Many at once.
            case manyTimes
        }

        let way: Way
        let durations: [Duration]
        let begun = Counter()
        let woken = EventLog<NetworkingError>()
        let isDone = Counter()

        init(_ way: Way = .directly, for durations: Duration...) {
            self.way = way
            self.durations = durations
        }

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            switch way {
            case .directly: try await sleep(context)
            case .inOwnTask: try await Task.detached { try await self.sleep(context) }.value
            case .manyTimes:
                try await withThrowingTaskGroup { group in
                    for _ in 0..<20 { group.addTask { try await self.sleep(context) } }
                    while let result = await group.nextResult() { try result.get() }
                }
            }
            return try await next(request)
        }

        private func sleep(_ context: ExchangeContext) async throws {
            begun.increment()
            do {
                for duration in durations { try await context.sleep(for: duration) }
                isDone.increment()
            } catch {
                woken.append(error)
                throw error
            }
        }

        func waitUntilItSleeps() async throws {
            let count = way == .manyTimes ? 20 : 1
            try await until("the interceptor sleeps") { begun.value == count }
        }
    }

    private static let ok = StubTransport { _ in .text("ok") }

    private static func configuration(_ interceptors: any Interceptor...) -> SessionConfiguration {
        SessionConfiguration { $0.interceptors = interceptors }
    }

    /// Stops a request that sleeps, and expects the error of the stop in the interceptor and for
    /// the caller.
    private func expectWaking(_ sleepy: Sleepy, by stop: Stop, isSuspended: Bool = false) async throws {
        try await withSession(Self.configuration(sleepy), transport: Self.ok) { session in
            let request = try Request(to: "http://x/?token=secret")
            let error = try await stop.error(of: request, in: session) { task in
                try await sleepy.waitUntilItSleeps()
                if isSuspended { task.suspend() }
            }
            #expect(error.code == stop.code && !error.message.contains("secret"), "\(error)")
            // The error of a session's task is that of the first sleep that was woken; the others
            // follow.
            try await until("all are awake") { sleepy.woken.events.count == sleepy.begun.value }
            #expect(sleepy.woken.events.allSatisfy { $0.code == stop.code })
            #expect(sleepy.isDone.value == 0)
        }
    }

    @Test(arguments: Sleepy.Way.allCases, Stop.allCases)
    private func `stopping a task wakes its sleeping interceptor with the same error`(way: Sleepy.Way, stop: Stop)
        async throws
    {
        // The task that the interceptor made is not cancelled with the caller: it would sleep until
        // the data task is stopped.
        if way == .inOwnTask, stop == .cancelledCaller { return }
        try await expectWaking(Sleepy(way, for: .seconds(3600)), by: stop)
    }

    @Test(arguments: Stop.allCases)
    func `stopping a suspended task wakes its sleeping interceptor too`(stop: Stop) async throws {
        try await expectWaking(Sleepy(for: .seconds(3600)), by: stop, isSuspended: true)
    }

    @Test(arguments: [
        Duration.seconds(Int64.max), Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
        .seconds(10_000_000_000), .seconds(9_223_372_036),
    ])
    func `the sleep of an exchange may be very long`(duration: Duration) async throws {
        try await expectWaking(Sleepy(for: duration), by: .cancel)
        try await expectWaking(Sleepy(for: duration), by: .requestTimeout)
    }

    @Test func `the sleep of an exchange lasts at least its time`() async throws {
        let sleepy = Sleepy(for: .milliseconds(20), .microseconds(1), .nanoseconds(1), .zero, .seconds(-3600))
        try await withSession(Self.configuration(sleepy), transport: Self.ok) { session in
            let clock = ContinuousClock()
            let request = try Request(to: "http://x/")
            let time = try await clock.measure { _ = try await session.data(for: request) }
            #expect(sleepy.isDone.value == 1 && time >= .milliseconds(20))
        }
    }

    @Test func `many simultaneous sleeps of an exchange all end`() async throws {
        let sleepy = Sleepy(.manyTimes, for: .milliseconds(1), .milliseconds(2), .milliseconds(1))
        try await withSession(Self.configuration(sleepy), transport: Self.ok) { session in
            _ = try await session.data(for: Request(to: "http://x/"))
            #expect(sleepy.isDone.value == 20)
        }
    }

    @Test func `the sleep of an exchange goes on while its task is suspended`() async throws {
        let sleepy = Sleepy(for: .milliseconds(1), .milliseconds(50))
        try await withSession(Self.configuration(sleepy), transport: Self.ok) { session in
            let task = session.dataTask(for: try Request(to: "http://x/"))
            task.resume()
            task.suspend()
            try await until("the sleep is over") { sleepy.isDone.value == 1 }
            task.resume()
            _ = try await task.value
        }
    }

    @Test func `the sleep of an exchange ends with the deadline that comes before its end`() async throws {
        let sleepy = Sleepy(for: .milliseconds(1), .seconds(3600))
        try await withSession(Self.configuration(sleepy), transport: Self.ok) { session in
            var request = try Request(to: "http://x/")
            request.timeouts = Timeouts(request: .milliseconds(100))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .requestTimeout)
            request.timeouts = Timeouts(request: .seconds(1000))
            let cancelled = Task { [request] in try await session.data(for: request) }
            try await until("the interceptor sleeps again") { sleepy.begun.value == 2 }
            cancelled.cancel()
            let other = try await networkingError { try await cancelled.value }
            #expect(other.code == .cancelled)
        }
    }

    // MARK: Without a session

    @Test(arguments: [Duration.zero, .milliseconds(-1), .seconds(Int64.min), .seconds(3600)])
    func `the sleep of an exchange ends at once in a stopped task`(duration: Duration) async throws {
        let context = ExchangeContext()
        context.call.stop(NetworkingError(.sessionInvalidated, "Enough."))
        let error = try await networkingError { try await context.sleep(for: duration) }
        #expect(error.code == .sessionInvalidated && error.message == "Enough.")
    }

    @Test(arguments: [Duration.zero, .milliseconds(-1), .seconds(3600)])
    func `the sleep of an exchange ends at once in a cancelled Swift task`(duration: Duration) async throws {
        let caller = Task {
            while !Task.isCancelled { await Task.yield() }
            try await ExchangeContext().sleep(for: duration)
        }
        caller.cancel()
        let error = try await networkingError { try await caller.value }
        #expect(error.code == .cancelled)
    }

    @Test func `the sleep of an exchange ends at once in a task that is over`() async throws {
        let context = ExchangeContext()
        try context.call.complete(nil, nil)
        let error = try await networkingError { try await context.sleep(for: .seconds(3600)) }
        #expect(error.code == .cancelled)
    }

    @Test func `a sleeping interceptor keeps the deadline where nothing else checks it`() async throws {
        let call = Call.withoutSession()
        let context = ExchangeContext(call: call, end: .init(after: .milliseconds(20)), collectsBody: false)
        let error = try await networkingError { try await context.sleep(for: .seconds(3600)) }
        #expect(error.code == .requestTimeout && call.error?.code == .requestTimeout)
    }

    @Test func `the sleep of an exchange leaves no object behind`() async throws {
        weak var call: Call?
        do {
            let context = ExchangeContext()
            call = context.call
            try await context.sleep(for: .milliseconds(1))
            let sleeper = Task { [context] in try await context.sleep(for: .seconds(3600)) }
            sleeper.cancel()
            await #expect(throws: NetworkingError.self) { try await sleeper.value }
        }
        try await until("the call is released") { call == nil }
    }

    // MARK: Retries

    /// Sends a request again while the server is busy, each time after twice the pause.
    private struct Retrying: Interceptor {
        var pause: Duration

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            var pause = pause
            while true {
                let response = try await next(request)
                guard response.head.status == .serviceUnavailable else { return response }
                try await context.sleep(for: pause)
                pause *= 2
            }
        }
    }

    @Test func `an interceptor that sleeps sends again until the server has time`() async throws {
        let sent = Counter()
        let transport = StubTransport { _ in
            sent.increment() < 4 ? .text("busy", status: .serviceUnavailable) : .text("ok")
        }
        let configuration = Self.configuration(Retrying(pause: .milliseconds(1)))
        try await withSession(configuration, transport: transport) { session in
            let response = try await session.response(for: Request(to: "http://x/"), as: .string)
            #expect(response.value == "ok" && sent.value == 4)
        }
    }

    @Test func `an interceptor that would send again for ever ends with the request timeout`() async throws {
        let transport = StubTransport { _ in .text("busy", status: .serviceUnavailable) }
        let configuration = Self.configuration(Retrying(pause: .milliseconds(1)))
        try await withSession(configuration, transport: transport) { session in
            var request = try Request(to: "http://x/")
            request.timeouts = Timeouts(request: .milliseconds(100))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .requestTimeout && !transport.requests.isEmpty)
        }
    }
}
