import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// A stream is a task of its session until its body has ended.
@Suite(.timeLimit(.minutes(5)))
struct StreamTaskTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"

    /// The events up to the end of a task, as words.
    private static func untilComplete(_ events: AsyncStream<SessionEvent>) async -> [String] {
        var words: [String] = []
        for await event in events {
            switch event.kind {
            case .didResume: words.append("resume")
            case .didReceiveResponse: words.append(event.head.map { "\($0.status.code)" } ?? "no head")
            case .didComplete: return words + [event.error?.code.rawValue ?? "complete"]
            default: words.append("\(event.kind)")
            }
        }
        return words
    }

    @Test func `a stream is among the tasks of the session while its body is arriving`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [.readRequest, .send(Self.head + "ab"), .hold(gate), .send("cd")]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let events = session.events
                let response = try await session.open(Request(to: server.baseURL))
                let task = try #require(session.tasks.first)
                #expect(session.tasks.count == 1 && task.state == .running)
                #expect(task.head?.status.code == 200 && "\(task)" == "GET \(server.baseURL) (running)")
                #expect(task.originalRequest.url == response.request.url)
                try await until("the first half") { task.currentProgress.download.completed == 2 }
                gate.open()
                let body = try await response.body.collect()
                #expect(body == Data("abcd".utf8))
                let words = await Self.untilComplete(events)
                #expect(words == ["resume", "200", "complete"])
                #expect(session.tasks.isEmpty && task.state == .completed)
            }
        }
    }

    private final class Reports: TaskObserver {
        let log = EventLog<TaskReport>()

        func taskDidEnd(_ report: TaskReport) { log.append(report) }
    }

    @Test(arguments: [0, 4, 3_000_000])
    func `observers and events of a stream that is refused have the error that its user gets`(count: Int) async throws {
        let body = String(repeating: "a", count: count)
        let reports = Reports()
        try await FaultServer.run([.readRequest, .respond(404, body: body), .startOver]) { server in
            try await withSession(SessionConfiguration { $0.observers = [reports] }) { session in
                let events = session.events
                let request = try Request(to: server.baseURL)
                let error = try await networkingError {
                    try await ResponseStream(request, session: session).open()
                }
                #expect(error.code == .unacceptableStatusCode && error.metrics != nil)
                #expect(await Self.untilComplete(events).last == error.code.rawValue)
                let task = session.streamTask(for: request)
                let other = try await networkingError { try await task.value }
                #expect(other.code == error.code && (other.body?.count ?? 0) <= min(count, 65_536))
                try await until("both are over") { reports.log.events.count == 2 }
            }
        }
        #expect(reports.log.events.map { $0.error?.code } == [.unacceptableStatusCode, .unacceptableStatusCode])
    }

    @Test func `cancelling the task of a stream ends its body`() async throws {
        try await FaultServer.run([.readRequest, .send(Self.head + "ab"), .stall]) { server in
            try await withSession { session in
                let events = session.events
                let response = try await session.open(Request(to: server.baseURL))
                session.tasks.first?.cancel()
                let error = try await networkingError { _ = try await response.body.collect() }
                #expect(error.code == .cancelled)
                let words = await Self.untilComplete(events)
                #expect(words == ["resume", "200", "cancelled"] && session.tasks.isEmpty)
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test func `dropping the body of a stream ends its task`() async throws {
        try await FaultServer.run([.readRequest, .send(Self.head + "ab"), .stall]) { server in
            try await withSession { session in
                let events = session.events
                let status = try await session.open(Request(to: server.baseURL)).head.status
                #expect(status == .ok)
                let words = await Self.untilComplete(events)
                #expect(words == ["resume", "200", "cancelled"] && session.tasks.isEmpty)
            }
        }
    }

    @Test func `a truncated body fails the task of its stream`() async throws {
        try await FaultServer.run([.readRequest, .send(Self.head + "ab"), .close]) { server in
            try await withSession { session in
                let events = session.events
                let response = try await session.open(Request(to: server.baseURL))
                _ = try await networkingError { _ = try await response.body.collect() }
                let words = await Self.untilComplete(events)
                #expect(words == ["resume", "200", "truncated-response"])
            }
        }
    }

    @Test func `a stream without a response fails as a task does`() async throws {
        try await FaultServer.run([.readRequest, .close]) { server in
            try await withSession { session in
                let events = session.events
                let request = try Request(to: server.baseURL)
                let error = try await networkingError { _ = try await session.open(request) }
                #expect(error.code == .connectionLost && error.request?.url == request.url)
                let words = await Self.untilComplete(events)
                #expect(words == ["resume", "connection-lost"] && session.tasks.isEmpty)
            }
        }
    }

    @Test func `the task of a stream whose body has arrived already is complete at once`() async throws {
        try await withSession(transport: StubTransport { _ in .text("ok") }) { session in
            let response = try await session.open(Request(to: "http://x/"))
            #expect(session.tasks.isEmpty)
            let body = try await response.body.collect()
            #expect(body == Data("ok".utf8))
        }
    }

    @Test func `an invalidation without cancelling waits for streams`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [.readRequest, .send(Self.head + "ab"), .hold(gate), .send("cd")]
        try await FaultServer.run(script) { server in
            try await withEngine { session, engine in
                let events = session.events
                let response = try await session.open(Request(to: server.baseURL))
                session.invalidate(cancellingTasks: false)
                let refused = try await networkingError {
                    _ = try await session.open(Request(to: server.baseURL))
                }
                #expect(refused.code == .sessionInvalidated)
                gate.open()
                let body = try await response.body.collect()
                #expect(body == Data("abcd".utf8))
                // The stream ends with the session's last event.
                var isInvalidated = false
                for await event in events {
                    isInvalidated = isInvalidated || event.kind == .didInvalidate
                }
                #expect(isInvalidated)
                try await until("the connections are closed") { engine.openConnections == 0 }
            }
        }
    }

    @Test func `an encoded stream is among the tasks of the session until its bytes have arrived`() async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let events = session.events
                let response = try await session.open(Request(to: server.baseURL + "/gzip"))
                let body = try await response.body.collect()
                #expect(!body.isEmpty)
                let words = await Self.untilComplete(events)
                #expect(words == ["resume", "200", "complete"])
            }
        }
    }

    // MARK: Lines

    @Test func `a line of a stream may be as long as the session allows`() async throws {
        let script: FaultServer.Script = [.readRequest, .respond(body: "12345\r\n1234\n123456\n123456\r\n1")]
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration { $0.limits.line = 6 }) { session in
                let response = try await session.open(Request(to: server.baseURL))
                var lines: [String] = []
                for try await line in response.body.lines { lines.append(line) }
                #expect(lines == ["12345", "1234", "123456", "123456", "1"])
            }
        }
    }

    @Test(arguments: [("12345\n1234567\n1", ["12345"]), ("1234567", []), ("12345\n1234567\r\n", ["12345"])])
    func `a longer line of a stream is an error, after the lines before it`(text: String, before: [String]) async throws
    {
        try await FaultServer.run([.readRequest, .respond(body: text)]) { server in
            try await withSession(SessionConfiguration { $0.limits.line = 6 }) { session in
                let response = try await session.open(Request(to: server.baseURL))
                var lines: [String] = []
                let error = try await networkingError {
                    for try await line in response.body.lines { lines.append(line) }
                }
                #expect(error.code == .lineTooLong && lines == before)
            }
        }
    }

    @Test func `without a session a line of a stream may have a megabyte`() async throws {
        let text = String(repeating: "a", count: 1 << 20)
        var lengths: [Int] = []
        for try await line in ResponseBody.data(Data(text.utf8)).lines { lengths.append(line.utf8.count) }
        #expect(lengths == [1 << 20])
        let body = ResponseBody.data(Data((text + "a").utf8))
        let error = try await networkingError { for try await _ in body.lines {} }
        #expect(error.code == .lineTooLong)
    }
}
