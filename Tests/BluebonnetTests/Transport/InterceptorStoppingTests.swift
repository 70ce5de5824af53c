import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Everything that stops a task also ends an interceptor that waits, and its requests under way.
@Suite(.timeLimit(.minutes(5)))
struct InterceptorStoppingTests {
    /// Waits for an hour, and counts its waits.
    private struct Waiting: Interceptor {
        let begun = Counter()

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            begun.increment()
            try await Task.sleep(for: .seconds(3600))
            return try await next(request)
        }
    }

    /// Sends every request twice at once and takes the first response.
    private struct Hedging: Interceptor {
        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            try await withThrowingTaskGroup(of: TransportResponse.self) { group in
                for _ in 0..<2 { group.addTask { try await next(request) } }
                guard let first = try await group.next() else { throw CancellationError() }
                group.cancelAll()
                return first
            }
        }
    }

    private static func configuration(_ interceptor: any Interceptor) -> SessionConfiguration {
        SessionConfiguration { $0.interceptors = [interceptor] }
    }

    @Test(arguments: [true, false])
    func `cancelling a task wakes its waiting interceptor`(isOfRequest: Bool) async throws {
        let waiting = Waiting()
        let configuration = isOfRequest ? SessionConfiguration() : Self.configuration(waiting)
        try await withSession(configuration, transport: StubTransport(routes: [:])) { session in
            var request = try Request(to: "http://x/")
            if isOfRequest { request.interceptors = [waiting] }
            let task = session.dataTask(for: request)
            let caller = Task { try await task.value }
            try await until("the interceptor waits") { waiting.begun.value == 1 }
            task.cancel()
            let error = try await networkingError { try await caller.value }
            #expect(error.code == .cancelled && !caller.isCancelled)
        }
    }

    @Test func `invalidating a session wakes a waiting interceptor with sessionInvalidated`() async throws {
        let waiting = Waiting()
        try await withSession(Self.configuration(waiting), transport: StubTransport(routes: [:])) { session in
            let request = try Request(to: "http://x/")
            let caller = Task { try await session.data(for: request) }
            try await until("the interceptor waits") { waiting.begun.value == 1 }
            session.invalidate()
            let error = try await networkingError { try await caller.value }
            #expect(error.code == .sessionInvalidated)
        }
    }

    @Test func `the request timeout wakes a waiting interceptor`() async throws {
        try await withSession(Self.configuration(Waiting()), transport: StubTransport(routes: [:])) { session in
            var request = try Request(to: "http://x/?token=secret")
            request.timeouts = Timeouts(request: .milliseconds(50))
            for _ in 1...2 {
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .requestTimeout && !error.message.contains("secret"))
                let streamed = try await networkingError { try await session.open(request) }
                #expect(streamed.code == .requestTimeout)
            }
        }
    }

    @Test func `cancelling a task does not cancel its caller's Swift task`() async throws {
        let waiting = Waiting()
        try await withSession(Self.configuration(waiting), transport: StubTransport(routes: [:])) { session in
            let task = session.dataTask(for: try Request(to: "http://x/"))
            let caller = Task {
                _ = try? await task.value
                return Task.isCancelled
            }
            try await until("the interceptor waits") { waiting.begun.value == 1 }
            task.cancel()
            let isCancelled = await caller.value
            #expect(!isCancelled)
        }
    }

    @Test func `cancelling a task ends every request that its interceptor has under way`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withEngine(Self.configuration(Hedging())) { session, engine in
                let task = try session.dataTask(for: Request(to: server.baseURL))
                task.resume()
                try await server.waitForRequests(2)
                task.cancel()
                let error = try await networkingError { _ = try await task.value }
                #expect(error.code == .cancelled)
                try await server.waitForClosed(2)
                try await until("the pool has removed both connections") { engine.openConnections == 0 }
            }
        }
    }

    @Test func `of two requests sent at once the first response counts, and the other is cancelled`() async throws {
        let seen = Counter()
        let script = FaultServer.Script.requests { _ in seen.increment() == 1 ? [.stall] : [.respond(body: "ok")] }
        try await FaultServer.run(script) { server in
            try await withSession(Self.configuration(Hedging())) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("ok".utf8))
                try await server.wait("the end of the slower one") { record in
                    record.connections.contains { $0.clientClosed && $0.requests.count == 1 }
                }
            }
        }
    }

    // MARK: The operations of a call

    private final class Operation: Call.Operation {
        let cancelled = Counter()
        let changed = Counter()

        func cancel(with error: NetworkingError) { cancelled.increment() }
        func suspensionChanged() { changed.increment() }
        func priorityChanged() {}
    }

    @Test func `a call keeps all operations until they are detached`() throws {
        let call = Call.withoutSession()
        let operations = (0..<4).map { _ in Operation() }
        for operation in operations { try call.attach(operation) }
        call.detach(operations[0])
        call.detach(operations[2])
        call.setSuspended(true)
        call.stop(NetworkingError(.cancelled, "Enough."))
        call.stop(NetworkingError(.cancelled, "Enough."))
        #expect(operations.map(\.cancelled.value) == [0, 1, 0, 1])
        #expect(operations.map(\.changed.value) == [0, 1, 0, 1])
        #expect(throws: NetworkingError.self) { try call.attach(operations[0]) }
    }
}
