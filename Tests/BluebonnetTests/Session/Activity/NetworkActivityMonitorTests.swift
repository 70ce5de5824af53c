import BluebonnetTesting
import Synchronization
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(5)))
struct NetworkActivityMonitorTests {
    /// A clock whose sleeps end when a test says so.
    private final class HeldClock: Clock {
        typealias Instant = SteppingClock.Instant

        private struct State {
            var now = Duration.zero
            var lastNumber = 0
            var sleepers: [Int: (deadline: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        }

        private let state = Mutex(State())

        var now: Instant { Instant(offset: state.withLock { $0.now }) }
        var minimumResolution: Duration { .zero }
        var sleeperCount: Int { state.withLock { $0.sleepers.count } }

        func move(by duration: Duration) {
            let over = state.withLock { state in
                state.now += duration
                let over = state.sleepers.filter { $0.value.deadline <= state.now }
                for number in over.keys { state.sleepers[number] = nil }
                return over.values.map(\.continuation)
            }
            for continuation in over { continuation.resume() }
        }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            let number = state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isOver = state.withLock { state in
                        guard !Task.isCancelled else { return true }
                        state.sleepers[number] = (deadline.offset, continuation)
                        return false
                    }
                    if isOver { continuation.resume(throwing: CancellationError()) }
                }
            } onCancel: {
                state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation
                    .resume(throwing: CancellationError())
            }
        }
    }

    @Test func `a delay that no clock can wait for is cut`() async {
        let clock = HeldClock()
        let monitor = NetworkActivityMonitor(activationDelay: .seconds(Int64.max), clock: clock)
        var changes = monitor.changes.makeAsyncIterator()
        monitor.increment()
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.move(by: .seconds(1 << 40))
        #expect(await changes.next() == true)
    }

    @Test func `the delays are those of AFNetworking`() {
        let monitor = NetworkActivityMonitor()
        #expect(monitor.activationDelay == .seconds(1))
        #expect(monitor.completionDelay == .milliseconds(170))
        #expect(monitor.isEnabled)
        #expect(!monitor.isActive)
    }

    @Test func `the indicator follows the tasks of a session with its delays`() async throws {
        let (clock, gate, shown) = (HeldClock(), Gate(), EventLog<Bool>())
        let monitor = NetworkActivityMonitor(clock: clock)
        monitor.onChange { shown.append($0) }
        let transport = StubTransport { _ in
            await gate.wait()
            return .text("ok")
        }
        try await withSession(transport: transport) { session in
            monitor.observe(session)
            monitor.observe(session)
            let task = session.dataTask(for: try Request(to: "http://example.com/"))
            task.resume()
            try await until("a task counts") { clock.sleeperCount == 1 }
            #expect(monitor.activityCount == 1)
            clock.move(by: .milliseconds(999))
            #expect(clock.sleeperCount == 1)
            #expect(!monitor.isActive)
            clock.move(by: .milliseconds(1))
            try await until("shown") { shown.events == [true] }
            gate.open()
            _ = try await task.value
            try await until("the delay of the end") { clock.sleeperCount == 1 }
            #expect(monitor.isActive)
            clock.move(by: .milliseconds(170))
            try await until("hidden") { shown.events == [true, false] }
            #expect(monitor.activityCount == 0)
        }
    }

    @Test func `tasks that were under way before count too, and none is left behind`() async throws {
        let (clock, gate) = (HeldClock(), Gate())
        let monitor = NetworkActivityMonitor(clock: clock)
        let transport = StubTransport { _ in
            await gate.wait()
            return .text("ok")
        }
        try await withSession(transport: transport) { session in
            let tasks = try (0..<4).map { session.dataTask(for: try Request(to: "http://example.com/\($0)")) }
            for task in tasks.dropFirst() { task.resume() }
            monitor.observe(session)
            #expect(monitor.activityCount == 3)
            tasks[1].suspend()
            try await until("a suspended task does not count") { monitor.activityCount == 2 }
            tasks[1].resume()
            try await until("it counts again") { monitor.activityCount == 3 }
            tasks[2].cancel()
            gate.open()
            for task in tasks { _ = await task.result }
            try await until("nothing is under way") { monitor.activityCount == 0 }
        }
    }

    @Test func `work of the user's own counts, and its sequence ends with the monitor`() async throws {
        let clock = HeldClock()
        var monitor: NetworkActivityMonitor? = NetworkActivityMonitor(clock: clock)
        let changes = try #require(monitor).changes
        monitor?.decrement()
        monitor?.increment()
        try await until("the first delay") { clock.sleeperCount == 1 }
        clock.move(by: .seconds(1))
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == true)
        monitor?.isEnabled = false
        #expect(await iterator.next() == false)
        monitor = nil
        #expect(await iterator.next() == nil)
    }
}
