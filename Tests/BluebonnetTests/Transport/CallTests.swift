import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The response that a task shows while its caller awaits it and afterwards, and a task that is
/// stopped early.
@Suite(.timeLimit(.minutes(5)))
struct CallTests {
    /// A response of three megabytes, of which the second half waits at the gate.
    private static func half(_ gate: FaultGate, then last: FaultStep) -> FaultServer.Script {
        [
            .readRequest, .send("HTTP/1.1 203 Half\r\nContent-Length: 3000000\r\n\r\n"), .fill(0x78, count: 1_500_000),
            .hold(gate), last,
        ]
    }

    @Test func `a request whose body is still arriving shows its response among the tasks of the session`() async throws
    {
        let gate = FaultGate()
        try await FaultServer.run(Self.half(gate, then: .fill(0x78, count: 1_500_000))) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let caller = Task { try await session.data(for: request) }
                try await server.wait("the first half") { $0.connections.first?.bytesSent ?? 0 > 1_500_000 }
                let task = try #require(session.tasks.first)
                let isShown =
                    (try? await until("the response is shown") { task.head?.status.code == 203 }) != nil
                gate.open()
                _ = try await caller.value
                #expect(isShown)
            }
        }
    }

    @Test func `a request that failed inside the response body has kept its response`() async throws {
        let gate = FaultGate()
        try await FaultServer.run(Self.half(gate, then: .close)) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let caller = Task { try await session.data(for: request) }
                try await server.wait("the first half") { $0.connections.first?.bytesSent ?? 0 > 1_500_000 }
                let task = try #require(session.tasks.first)
                gate.open()
                let error = try await networkingError { _ = try await caller.value }
                #expect(error.code == .truncatedResponse && task.state == .completed)
                #expect(task.head?.status.code == 203)
            }
        }
    }

    @Test func `a task that is cancelled as its first hop begins looks up no name`() async throws {
        let resolver = StubResolver(["name.test": ["127.0.0.1"]])
        let configuration = SessionConfiguration { $0.nameResolver = resolver }
        try await withEngine(configuration) { session, engine in
            let task = session.dataTask(for: try Request(to: "http://name.test:9/"))
            task.core.call.observe { [weak task] _ in task?.cancel() }
            let error = try await networkingError { _ = try await task.value }
            #expect(error.code == .cancelled)
            try await until("no attempt left") { engine.attempts == 0 && engine.openConnections == 0 }
            _ = try await settled { resolver.lookups(of: "name.test") }
            #expect(resolver.lookups(of: "name.test") == 0)
        }
    }

    /// Responds with a head, and then with one piece of a body that does not end.
    private struct Unfinished: Transport {
        let reads = Counter()

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            let pieces = AsyncThrowingStream<Data, any Error> {
                guard reads.increment() > 1 else { return Data("one".utf8) }
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
            return TransportResponse(head: ResponseHead(status: .accepted), body: .stream(pieces), request: request)
        }
    }

    @Test func `a task shows the head of its response while the body is arriving`() async throws {
        let transport = Unfinished()
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://x/")
            let caller = Task { try await session.data(for: request) }
            try await until("the body comes") { transport.reads.value >= 2 }
            let task = try #require(session.tasks.first)
            #expect(task.head?.statusCode == 202)
            task.cancel()
            _ = try? await caller.value
            #expect(task.head?.statusCode == 202)
        }
    }
}
