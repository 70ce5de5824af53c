import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The priority of a task decides when it gets a connection, and can change until then.
@Suite(.timeLimit(.minutes(3)))
struct TaskPriorityTests {
    /// Runs with a session of one connection, which a first request keeps busy until the gate
    /// opens. Then every request gets a response.
    private func withBusyConnection(
        _ work: (FaultServer, SessionManager, _ resume: (any SessionTask) async throws -> Void, FaultGate) async throws
            -> Void
    ) async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            request.target == "/first" ? [.hold(gate), .respond()] : [.respond()]
        }
        let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = 1 }
        try await FaultServer.run(script) { server in
            try await withEngine(configuration) { session, engine in
                let first = session.dataTask(for: try Request(to: server.baseURL + "/first"))
                first.resume()
                try await server.waitForRequests(1)
                let resume = { (task: any SessionTask) in
                    let count = engine.waitingExchanges
                    task.resume()
                    try await until("the task waits") { engine.waitingExchanges == count + 1 }
                }
                try await work(server, session, resume, gate)
                _ = try await first.value
            }
        }
    }

    @Test func `waiting tasks are sent by their priority, which can change`() async throws {
        try await withBusyConnection { server, session, resume, gate in
            let names = ["a", "b", "c", "d"]
            let tasks = try names.map { session.dataTask(for: try Request(to: server.baseURL + "/\($0)")) }
            for task in tasks { try await resume(task) }
            tasks[0].priority = .background
            tasks[3].priority = .responsive
            #expect(tasks.map(\.priority.urgency) == [7, 3, 3, 1])
            gate.open()
            for task in tasks { _ = try await task.value }
            #expect(server.requests.map(\.target) == ["/first", "/d", "/b", "/c", "/a"])
            // What waits for a connection was written before; nothing changes afterwards.
            tasks[0].priority = .responsive
            #expect(tasks[0].priority == .responsive && tasks[0].state == .completed)
        }
    }

    @Test func `a request's priority is the beginning of its task's`() async throws {
        try await withBusyConnection { server, session, resume, gate in
            let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
            let last = try api.dataTask(.get, "last", options: [.priority(.background)], as: .discarding)
            let own = try api.dataTask(.get, "own", as: .discarding)
            #expect(last.priority == .background && own.priority == .normal)
            let next = try api.dataTask(.get, "next", options: [.priority(.responsive)], as: .discarding)
            for task in [last, own, next] { try await resume(task) }
            gate.open()
            for task in [last, own, next] { _ = await task.result }
            #expect(server.requests.map(\.target) == ["/first", "/next", "/own", "/last"])
            #expect(server.requests.map { $0.value(of: "Priority") } == [nil, "u=1", nil, "u=7"])
        }
    }

    @Test func `a task that was not started begins with its priority, and sends it`() async throws {
        try await withBusyConnection { server, session, resume, gate in
            var request = try Request(to: server.baseURL + "/b")
            request.headerFields[.priority] = "u=5"
            let tasks = [
                session.dataTask(for: try Request(to: server.baseURL + "/a")), session.dataTask(for: request),
            ]
            tasks[1].priority = RequestPriority(urgency: 0, isIncremental: true)
            #expect(tasks[1].priority == RequestPriority(urgency: 0, isIncremental: true))
            let upload = session.uploadTask(for: try Request(.put, to: server.baseURL + "/c", body: .string("c")))
            upload.priority = .responsive
            for task in tasks { try await resume(task) }
            try await resume(upload)
            gate.open()
            for task in tasks { _ = try await task.value }
            _ = try await upload.value
            #expect(server.requests.map(\.target) == ["/first", "/b", "/c", "/a"])
            // A field of the request stays.
            #expect(server.requests.map { $0.value(of: "Priority") } == [nil, "u=5", "u=1", nil])
        }
    }

    @Test func `a call without a task object can be moved among the tasks of its session`() async throws {
        try await withBusyConnection { server, session, resume, gate in
            try await resume(session.dataTask(for: try Request(to: server.baseURL + "/a")))
            let call = Task { try await session.data(for: try Request(to: server.baseURL + "/b")) }
            try await until("the call waits") { session.tasks.count == 3 }
            let task = try #require(session.tasks.last)
            // It may not be in the queue yet, and then begins with this.
            task.priority = .responsive
            #expect(task.priority == .responsive)
            try await until("both wait") { (session.core.transport as? Engine)?.waitingExchanges == 2 }
            gate.open()
            _ = try await call.value
            try await server.waitForRequests(3)
            #expect(server.requests.map(\.target) == ["/first", "/b", "/a"])
        }
    }
}
