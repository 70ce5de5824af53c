import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// A stream as a task that is made first and started later.
@Suite(.timeLimit(.minutes(3)))
struct StreamTaskObjectTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"

    /// The ends of a task that it told of, nil for a body that came to its end.
    private func ends(of task: StreamTask) -> EventLog<NetworkingError.Code?> {
        let log = EventLog<NetworkingError.Code?>()
        task.whenComplete { log.append($0?.code) }
        return log
    }

    @Test func `a stream task sends nothing before it is resumed, and its value is the open response`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [.readRequest, .send(Self.head + "ab"), .hold(gate), .send("cd")]
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration()) { session in
                let task = session.streamTask(for: try Request(to: server.baseURL))
                let ends = ends(of: task)
                #expect(task.state == .suspended && session.streamTasks.count == 1 && task.head == nil)
                #expect(server.connections.isEmpty)
                task.resume()
                let response = try await task.value
                #expect(response.head.status == .ok && task.head?.status == .ok && task.state == .running)
                try await until("the first half") { task.currentProgress.download.completed == 2 }
                #expect(ends.events.isEmpty && session.streamTasks.first === task)
                gate.open()
                let body = try await task.value.body.collect()
                #expect(body == Data("abcd".utf8))
                try await until("the end") { ends.events == [nil] }
                #expect(task.state == .completed && session.tasks.isEmpty)
                #expect(self.ends(of: task).events == [nil])
            }
        }
    }

    private enum News: Equatable, Sendable { case progress(Int), over(NetworkingError.Code?) }

    @Test(arguments: [(FaultStep.send("cd"), nil as NetworkingError.Code?, 4), (.close, .truncatedResponse, 2)])
    func `the last progress of a stream task comes before the news that it is over`(
        end: FaultStep,
        code: NetworkingError.Code?,
        count: Int
    ) async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .send(Self.head + "ab"), .hold(gate), end]) { server in
            try await withSession(SessionConfiguration()) { session in
                let task = session.streamTask(for: try Request(to: server.baseURL))
                let news = EventLog<News>()
                task.onProgress { news.append(.progress($0.download.completed)) }
                task.whenComplete { news.append(.over($0?.code)) }
                let body = try await task.value.body
                try await until("the first half") { news.events.contains(.progress(2)) }
                gate.open()
                _ = try? await body.collect()
                try await until("the end") { news.events.contains(.over(code)) }
                #expect(news.events.suffix(2) == [.progress(count), .over(code)])
            }
        }
    }

    @Test func `a refused body that is cut off before its first byte is not taken for an empty one`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(head), .close]) { server in
            try await withAPI(at: server.baseURL) { api in
                let task = try api.streamTask(.get, "a", options: [.validation(.json)])
                let error = try await networkingError { _ = try await task.value }
                #expect(error.code == .truncatedResponse && error.response?.status == .ok)
            }
        }
    }

    @Test func `a manager makes stream tasks under its rules`() async throws {
        try await LocalServer.run { server in
            try await withAPI(at: server.baseURL) { api in
                let task = try api.streamTask(.post, "anything", body: .text("a"), query: ["a": 1])
                let body = try await task.value.body.collect()
                #expect(String(decoding: body, as: UTF8.self).contains("\"POST\""))
                let refused = try api.streamTask(.get, "status/404")
                let ends = ends(of: refused)
                let error = try await networkingError { _ = try await refused.value }
                #expect(error.code == .unacceptableStatusCode && error.response?.status.code == 404)
                #expect(ends.events == [.unacceptableStatusCode])
                let any = try api.streamTask(.get, "status/404", options: [.validation(.none)])
                let status = try await any.value.head.status.code
                #expect(status == 404)
            }
        }
    }

    @Test func `a suspended stream task holds the server back`() async throws {
        let size = 64 << 20
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size + 1)\r\n\r\na"), .hold(gate),
            .fill(UInt8(ascii: "a"), count: size),
        ]
        try await FaultServer.run(script, options: .init(sendBuffer: 65_536)) { server in
            try await withSession(SessionConfiguration()) { session in
                let task = session.streamTask(for: try Request(to: server.baseURL))
                let response = try await task.value
                task.suspend()
                gate.open()
                let reading = Task { try await response.body.reduce(0) { $0 + $1.count } }
                await #expect(throws: FaultServer.WaitTimeout.self) {
                    try await server.wait("everything sent", timeout: .milliseconds(500)) { record in
                        record.connections[0].bytesSent > size
                    }
                }
                #expect(task.currentProgress.download.completed < size / 2 && task.state == .suspended)
                task.resume()
                let count = try await reading.value
                #expect(count == size + 1)
            }
        }
    }

    @Test func `cancelling a stream task ends its body`() async throws {
        try await FaultServer.run([.readRequest, .send(Self.head + "ab"), .stall]) { server in
            try await withSession(SessionConfiguration()) { session in
                let task = session.streamTask(for: try Request(to: server.baseURL))
                let ends = ends(of: task)
                let response = try await task.value
                task.cancel()
                let error = try await networkingError { _ = try await response.body.collect() }
                #expect(error.code == .cancelled)
                try await until("the end") { ends.events == [.cancelled] }
                #expect(session.tasks.isEmpty)
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test func `a stream task that is cancelled or released before it was started never starts`() async throws {
        try await FaultServer.run([.readRequest, .respond()]) { server in
            try await withSession(SessionConfiguration()) { session in
                let task = session.streamTask(for: try Request(to: server.baseURL))
                let ends = ends(of: task)
                task.cancel()
                task.resume()
                let error = try await networkingError { _ = try await task.value }
                #expect(error.code == .cancelled && ends.events == [.cancelled])
                let released = self.ends(of: session.streamTask(for: try Request(to: server.baseURL)))
                #expect(released.events == [.cancelled] && session.tasks.isEmpty)
                #expect(server.connections.isEmpty && session.core.rememberedTasks == 0)
            }
        }
    }

    @Test func `a body that is dropped unread ends with its task, and one that is kept does not`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { _ in [.send(Self.head + "ab"), .hold(gate), .send("cd")] }
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration()) { session in
                var task: StreamTask? = session.streamTask(for: try Request(to: server.baseURL))
                let ends = try ends(of: #require(task))
                let response = try await task?.value
                task = nil
                gate.open()
                let body = try await response?.body.collect()
                #expect(body == Data("abcd".utf8) && ends.events == [nil])

                task = session.streamTask(for: try Request(to: server.baseURL))
                let others = try self.ends(of: #require(task))
                _ = try await task?.value
                task = nil
                try await until("the end") { others.events.count == 1 }
                #expect(session.tasks.isEmpty)
            }
        }
    }

    @Test func `a truncated body is the error of its task`() async throws {
        try await FaultServer.run([.readRequest, .send(Self.head + "ab"), .close]) { server in
            try await withSession(SessionConfiguration()) { session in
                let task = session.streamTask(for: try Request(to: server.baseURL))
                let ends = ends(of: task)
                let error = try await networkingError { _ = try await task.value.body.collect() }
                #expect(error.code == .truncatedResponse)
                try await until("the end") { ends.events == [.truncatedResponse] }
            }
        }
    }

    @Test func `a response without a stream ends its task at once`() async throws {
        try await withSession(transport: StubOf(status: 204)) { session in
            let task = session.streamTask(for: try Request(to: "http://example.com/"))
            let status = try await task.value.head.status
            #expect(status == .noContent && task.state == .completed && ends(of: task).events == [nil])
        }
    }

    /// Responds at once, without a body.
    private struct StubOf: Transport {
        let status: HTTPResponse.Status

        init(status: Int) {
            self.status = HTTPResponse.Status(code: status)
        }

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            TransportResponse(head: ResponseHead(status: status), body: .data(Data()), request: request)
        }
    }
}
