import HTTPTypes
import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// A request can be cancelled at every stage, in both ways, and its session still works.
@Suite(.timeLimit(.minutes(5)))
struct CancellationTests {
    enum Way: CaseIterable {
        /// `DataTask.cancel()`.
        case task
        /// Cancelling the Swift task that awaits the value.
        case caller
    }

    /// Cancels a request once it has reached a stage, and expects it to fail as cancelled.
    private func cancel(
        _ way: Way,
        _ request: Request,
        in session: SessionManager,
        waitForStage: (DataTask<Data>) async throws -> Void
    ) async throws {
        let task = session.dataTask(for: request)
        let caller = Task { try await task.value }
        try await waitForStage(task)
        switch way {
        case .task: task.cancel()
        case .caller: caller.cancel()
        }
        let error = try await networkingError { _ = try await caller.value }
        #expect(error.code == .cancelled && error.isCancelled, "\(error)")
        #expect(task.state == .completed)
        let again = try await networkingError { _ = try await task.value }
        #expect(again.code == .cancelled)
        #expect(!session.tasks.contains { $0.identifier == task.identifier })
    }

    private func expectResponse(from url: String, in session: SessionManager) async throws {
        let response = try await session.data(for: Request(to: url))
        #expect(response.value == Data("ok".utf8))
    }

    @Test func `a task that is cancelled before its start never starts`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withEngine { session, engine in
                let task = try session.dataTask(for: Request(to: server.baseURL))
                task.cancel()
                #expect(task.state == .completed)
                task.resume()
                let error = try await networkingError { _ = try await task.value }
                #expect(error.code == .cancelled, "\(error)")
                #expect(session.tasks.isEmpty && engine.openConnections == 0 && engine.waitingExchanges == 0)
                try await expectResponse(from: server.baseURL, in: session)
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `a caller that is already cancelled sends nothing`(reading: ResponseReading) async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let caller = Task {
                    while !Task.isCancelled { await Task.yield() }
                    return try await reading.body(of: request, in: session)
                }
                caller.cancel()
                let error = try await networkingError { _ = try await caller.value }
                #expect(error.code == .cancelled, "\(error)")
                #expect(session.tasks.isEmpty && server.requests.isEmpty)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a request is cancelled while its connection is being made`(way: Way) async throws {
        try await FaultServer.run([.stall], options: .init(acceptsConnections: false)) { server in
            let configuration = SessionConfiguration { $0.timeouts.connect = .seconds(1000) }
            try await withEngine(configuration) { session, engine in
                try await cancel(way, Request(to: server.baseURL), in: session) { _ in
                    try await until("the request waits for a connection") { engine.waitingExchanges == 1 }
                }
                #expect(engine.waitingExchanges == 0)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a request is cancelled while it waits for a connection`(way: Way) async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            request.target == "/held" ? [.hold(gate), .respond(body: "ok")] : [.respond(body: "ok")]
        }
        try await FaultServer.run(script) { server in
            let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = 1 }
            try await withEngine(configuration) { session, engine in
                let held = try session.dataTask(for: Request(to: server.baseURL + "/held"))
                held.resume()
                try await server.waitForRequests(1)
                try await cancel(way, Request(to: server.baseURL + "/cancelled"), in: session) { _ in
                    try await until("the request waits for a connection") { engine.waitingExchanges == 1 }
                }
                #expect(engine.waitingExchanges == 0)
                gate.open()
                _ = try await held.value
                try await expectResponse(from: server.baseURL + "/next", in: session)
                #expect(server.requests.map(\.target) == ["/held", "/next"])
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a request is cancelled while it waits for its response`(way: Way) async throws {
        let script = FaultServer.Script.connections([[.readRequest, .stall], [.readRequest, .respond(body: "ok")]])
        try await FaultServer.run(script) { server in
            try await withSession { session in
                try await cancel(way, Request(to: server.baseURL), in: session) { _ in
                    try await server.waitForRequests(1)
                }
                try await server.waitUntilClosed(connection: 0)
                try await expectResponse(from: server.baseURL, in: session)
                #expect(server.connections.count == 2)
            }
        }
    }

    @Test(arguments: Way.allCases, [10, 10 << 20])
    func `a request is cancelled in the middle of the response body`(way: Way, sent: Int) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(sent + 1)\r\n\r\n"
        let script = FaultServer.Script.connections([
            [.readRequest, .send(head), .fill(7, count: sent), .stall], [.readRequest, .respond(body: "ok")],
        ])
        try await FaultServer.run(script) { server in
            try await withSession { session in
                try await cancel(way, Request(to: server.baseURL), in: session) { task in
                    try await until("the body is nearly there") {
                        task.currentProgress.download.completed == sent
                    }
                }
                try await server.waitUntilClosed(connection: 0)
                try await expectResponse(from: server.baseURL, in: session)
            }
        }
    }

    @Test func `a suspended task can be cancelled`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSession { session in
                try await cancel(.task, Request(to: server.baseURL), in: session) { task in
                    try await server.waitForRequests(1)
                    task.suspend()
                }
                try await server.waitUntilClosed(connection: 0)
            }
        }
    }

    @Test func `invalidating a session ends its tasks with sessionInvalidated`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withEngine { session, engine in
                let request = try Request(to: server.baseURL)
                let task = session.dataTask(for: request)
                task.resume()
                let stream = Task { try await session.open(request).head }
                try await server.waitForRequests(2)
                await session.shutdown()
                for error in [
                    try await networkingError { _ = try await task.value },
                    try await networkingError { _ = try await stream.value },
                    try await networkingError { _ = try await session.data(for: request) },
                    try await networkingError { _ = try await session.open(request) },
                ] {
                    #expect(error.code == .sessionInvalidated, "\(error)")
                }
                #expect(session.tasks.isEmpty && engine.openConnections == 0 && engine.waitingExchanges == 0)
                try await server.waitForClosed(2)
            }
        }
    }
}
