import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Suspending and cancelling.
@Suite(.timeLimit(.minutes(5)))
struct DataTaskControlTests {
    // MARK: Suspending

    @Test func `a suspended task stops reading and holds the server back`() async throws {
        // Far more than the kernels' buffers hold.
        let size = 64 << 20
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size + 1)\r\n\r\na"), .hold(gate),
            .fill(UInt8(ascii: "a"), count: size),
        ]
        try await FaultServer.run(script, options: .init(sendBuffer: 65_536)) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let progress = task.progress
                task.resume()
                for await step in progress where step.download.completed == 1 { break }
                task.suspend()
                gate.open()
                await #expect(throws: FaultServer.WaitTimeout.self) {
                    try await server.wait("everything sent", timeout: .milliseconds(500)) { record in
                        record.connections[0].bytesSent > size
                    }
                }
                #expect(task.currentProgress.download.completed < size / 2)
                task.resume()
                let body = try await task.value
                #expect(body.count == size + 1)
            }
        }
    }

    @Test func `suspending a task that was not started changes nothing`() async throws {
        let transport = StubTransport { _ in .text("a") }
        try await withSession(transport: transport) { session in
            let task = session.dataTask(for: try Request(to: "http://example.com/"), as: .string)
            task.suspend()
            #expect(task.state == .suspended)
            let text = try await task.value
            #expect(text == "a")
        }
    }

    @Test func `a suspended data task can be cancelled`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                try await server.waitForRequests(1)
                task.suspend()
                task.cancel()
                let error = try await networkingError { try await task.value }
                #expect(error.code == .cancelled)
                try await server.waitUntilClientClosed()
            }
        }
    }

    // MARK: Cancelling

    @Test func `cancelling fails the task and closes the connection`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                try await server.waitForRequests(1)
                task.cancel()
                let error = try await networkingError { try await task.value }
                #expect(error.code == .cancelled)
                #expect(error.isCancelled)
                #expect(error.request?.url == task.originalRequest.url)
                #expect(task.state == .completed)
                #expect(session.tasks.isEmpty)
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test func `cancelling a task that was not started keeps it from starting`() async throws {
        let transport = StubTransport(routes: [:])
        try await withSession(transport: transport) { session in
            let task = session.dataTask(for: try Request(to: "http://example.com/"))
            task.cancel()
            #expect(task.state == .completed)
            task.resume()
            let error = try await networkingError { try await task.value }
            #expect(error.code == .cancelled)
            #expect(transport.requests.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `cancelling the Swift task that awaits cancels the request`(isResumed: Bool) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(head + "ab"), .stall]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                if isResumed { task.resume() }
                let awaiting = Task { try await task.value }
                try await server.waitForRequests(1)
                awaiting.cancel()
                let error = try await networkingError { try await awaiting.value }
                #expect(error.code == .cancelled)
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test func `cancelling in the middle of a large body ends it`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .fill(UInt8(ascii: "a"), count: .max),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let progress = task.progress
                task.resume()
                for await step in progress where step.download.completed > 4 << 20 { break }
                task.cancel()
                let error = try await networkingError { try await task.value }
                #expect(error.code == .cancelled)
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test func `cancelling ends an interceptor that waits`() async throws {
        struct Waiting: Interceptor {
            let begun = Counter()
            let ended = Counter()

            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                begun.increment()
                defer { ended.increment() }
                try await Task.sleep(for: .seconds(3600))
                return try await next(request)
            }
        }
        let interceptor = Waiting()
        var configuration = SessionConfiguration()
        configuration.interceptors = [interceptor]
        let transport = StubTransport(routes: [:])
        try await withSession(configuration, transport: transport) { session in
            let task = session.dataTask(for: try Request(to: "http://example.com/"))
            task.resume()
            try await until("the interceptor waits") { interceptor.begun.value == 1 }
            task.cancel()
            let error = try await networkingError { try await task.value }
            #expect(error.code == .cancelled)
            try await until("the interceptor has ended") { interceptor.ended.value == 1 }
            #expect(transport.requests.isEmpty)
        }
    }

    @Test func `a data task refuses a body above the limit`() async throws {
        var configuration = SessionConfiguration()
        configuration.limits.bodyInMemory = 4
        try await FaultServer.run([.readRequest, .respond(body: "hello")]) { server in
            try await withSession(configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .bodyTooLarge)
                #expect(error.response?.status == .ok)
            }
        }
    }
}
