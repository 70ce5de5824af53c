import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Those who are told that a request is going to be sent again.
@Suite(.timeLimit(.minutes(3)))
struct RetryEventTests {
    private struct Observer: TaskObserver {
        let log: EventLog<String>

        func taskDidEnd(_ report: TaskReport) { log.append("end") }

        func taskWillRetry(_ retry: TaskRetry) {
            log.append(
                "\(retry.taskIdentifier): \(retry.attempt.number) \(retry.attempt.statusCode ?? 0) \(retry.delay)"
            )
        }
    }

    @Test func `an observer, a hook and an event have the attempt and the wait, before it`() async throws {
        let log = EventLog<String>()
        let transport = StubTransport(.status(503), .error(.connectFailed), .text("ok"))
        var configuration = SessionConfiguration.retrying {
            $0.observers = [Observer(log: log)]
            $0.hooks.taskWillRetry = { task, retry in
                log.append("hook \(retry.attempt.number) \(task.identifier == retry.taskIdentifier)")
            }
        }
        configuration.retryTiming.sleep = { _, time in log.append("wait") }
        try await withSession(configuration, transport: transport) { session in
            let events = session.events
            let task = session.dataTask(for: try Request(to: "http://x/a"))
            _ = try await task.value
            let half = Duration.milliseconds(250)
            #expect(
                log.events == [
                    "\(task.identifier): 1 503 \(half)", "hook 1 true", "wait",
                    "\(task.identifier): 2 0 \(half * 2)", "hook 2 true", "wait", "end",
                ]
            )
            var retries: [TaskRetry] = []
            var kinds: [String] = []
            for await event in events {
                kinds.append("\(event.kind)")
                if let retry = event.retry { retries.append(retry) }
                if event.kind == .didComplete { break }
            }
            #expect(kinds == ["didResume", "willRetry", "willRetry", "didReceiveResponse", "didComplete"])
            #expect(retries.map(\.attempt.error?.code) == [nil, .connectFailed])
        }
    }

    @Test func `an attempt that is not repeated is told of nowhere`() async throws {
        let log = EventLog<String>()
        let transport = StubTransport(.status(503))
        let configuration = SessionConfiguration.retrying(RetryPolicy { $0.maximumRetries = 1 }) {
            $0.observers = [Observer(log: log)]
        }
        try await withSession(configuration, transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/a"))
        }
        #expect(log.events.count == 2 && log.events.last == "end")
    }

    @Test func `a task that is stopped in the hook sends nothing more`() async throws {
        let transport = StubTransport(.status(503), .status(200))
        let configuration = SessionConfiguration.retrying {
            $0.hooks.taskWillRetry = { task, _ in task.cancel() }
        }
        try await withSession(configuration, transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/a")) }
            #expect(error.code == .cancelled)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `an archive has an entry for each attempt`() async throws {
        let recorder = HARRecorder()
        let transport = StubTransport(.status(503), .text("ok"))
        try await withSession(.retrying { $0.observers = [recorder] }, transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/a"))
        }
        let entries = recorder.log.json["log"]?["entries"]?.array ?? []
        #expect(entries.map { $0["response"]?["status"]?.int } == [503, 200])
    }
}
