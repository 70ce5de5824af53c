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

@Suite(.timeLimit(.minutes(5)))
struct SessionManagerTests {
    // MARK: Requests

    @Test(arguments: [200, 404, 500])
    func `a request for data accepts every status`(status: Int) async throws {
        let transport = StubTransport { _ in .text("body", status: HTTPResponse.Status(code: status)) }
        try await withSession(transport: transport) { session in
            let response = try await session.data(for: Request(to: "http://example.com/"))
            #expect(response.status.code == status)
            #expect(response.value == Data("body".utf8))
            #expect(response.body == response.value)
        }
    }

    @Test func `a serialized response has the value and the bytes`() async throws {
        let transport = StubTransport { _ in .json(["a": 1]) }
        try await withSession(transport: transport) { session in
            let response = try await session.response(for: Request(to: "http://example.com/"), as: .json)
            #expect(response.value == ["a": 1])
            #expect(response.body == Data(#"{"a":1}"#.utf8))
            #expect(response.map { $0["a"]?.int }.value == 1)
            #expect(response.headerFields[.contentType] == "application/json")
        }
    }

    @Test func `header fields of the session are added where a request lacks them`() async throws {
        var configuration = SessionConfiguration()
        configuration.additionalHeaderFields = [.accept: "session", .userAgent: "session"]
        let transport = StubTransport { _ in .text("") }
        try await withSession(configuration, transport: transport) { session in
            let request = try Request(to: "http://example.com/", headerFields: [.userAgent: "request"])
            _ = try await session.data(for: request)
            #expect(transport.requests[0].headerFields[values: .userAgent] == ["request"])
            #expect(transport.requests[0].headerFields[values: .accept] == ["session"])
        }
    }

    @Test func `repeated header fields of the session stay repeated`() async throws {
        var configuration = SessionConfiguration()
        configuration.additionalHeaderFields.append(HTTPField(name: .accept, value: "a/b"))
        configuration.additionalHeaderFields.append(HTTPField(name: .accept, value: "c/d"))
        let transport = StubTransport { _ in .text("") }
        try await withSession(configuration, transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://example.com/"))
            #expect(transport.requests[0].headerFields[values: .accept] == ["a/b", "c/d"])
        }
    }

    @Test func `a request with its own timeouts does not have the session's`() async throws {
        var configuration = SessionConfiguration()
        configuration.timeouts.firstByte = .milliseconds(50)
        try await FaultServer.run([.readRequest, .wait(.milliseconds(300)), .respond(body: "late")]) { server in
            try await withSession(configuration) { session in
                var request = try Request(to: server.baseURL)
                request.timeouts = Timeouts()
                let response = try await session.data(for: request)
                #expect(response.value == Data("late".utf8))
            }
        }
    }

    // MARK: Tasks

    @Test func `a task that has not started is among the tasks while it is referenced`() async throws {
        try await withSession(transport: StubTransport { _ in .text("ok") }) { session in
            let request = try Request(to: "http://example.com/")
            let first = session.dataTask(for: request)
            var second: DataTask<Data>? = session.dataTask(for: request)
            weak let released = second
            #expect(session.tasks.map(\.identifier) == [first.identifier, second?.identifier])
            second = nil
            #expect(released == nil)
            #expect(session.tasks.map(\.identifier) == [first.identifier])
            _ = try await first.value
            #expect(session.tasks.isEmpty && session.core.rememberedTasks == 0)
        }
    }

    @Test func `a task that is cancelled before it starts is no longer among the tasks`() async throws {
        try await withSession(transport: StubTransport(routes: [:])) { session in
            let tasks = (0..<3).map { _ in session.dataTask(for: Request(url: URL(filePath: "/"))) }
            for task in session.tasks { task.cancel() }
            #expect(session.tasks.isEmpty && session.core.rememberedTasks == 0)
            for task in tasks {
                let error = try await networkingError { try await task.value }
                #expect(error.code == .cancelled)
            }
        }
    }

    @Test func `tasks that were never started leave nothing in their session`() async throws {
        let witness = Witness.make()
        var session: SessionManager? = SessionManager(
            configuration: SessionConfiguration { $0.interceptors = [witness.witness] },
            transport: StubTransport(routes: [:])
        )
        let request = try Request(to: "http://example.com/")
        for _ in 0..<1000 { _ = session?.dataTask(for: request) }
        #expect(session?.core.rememberedTasks == 0)
        session = nil
    }

    @Test func `the tasks of a session are those under way, in the order they were made`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "ok")]) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let tasks = (0..<3).map { _ in session.dataTask(for: request) }
                for task in tasks.reversed() { task.resume() }
                try await server.waitForRequests(3)
                #expect(session.tasks.map { $0.identifier } == tasks.map { $0.identifier })
                gate.open()
                for task in tasks { _ = try await task.value }
                #expect(session.tasks.isEmpty)
            }
        }
    }

    // MARK: The end

    @Test func `cancelling all tasks fails those under way and those that wait, and not later ones`() async throws {
        try await FaultServer.run(.requests { $0.target == "/" ? [.stall] : [.respond(body: "ok")] }) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let started = (0..<2).map { _ in session.dataTask(for: request) }
                let waiting = session.dataTask(for: request)
                for task in started { task.resume() }
                try await server.waitForRequests(2)
                session.cancelAllTasks()
                for task in started + [waiting] {
                    #expect(try await networkingError { try await task.value }.code == .cancelled)
                }
                #expect(session.tasks.isEmpty)
                #expect(try await session.data(for: Request(to: server.baseURL + "/later")).value == Data("ok".utf8))
            }
        }
    }

    @Test func `invalidating a session fails the tasks under way and later ones`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let task = session.dataTask(for: request)
                let later = session.dataTask(for: request)
                task.resume()
                try await server.waitForRequests(1)
                session.invalidate()
                let error = try await networkingError { try await task.value }
                #expect(error.code == .sessionInvalidated)
                let late = try await networkingError { try await later.value }
                #expect(late.code == .sessionInvalidated)
                let stream = try await networkingError { try await session.open(request) }
                #expect(stream.code == .sessionInvalidated)
                try await server.waitUntilClientClosed()
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `invalidating a session without cancelling completes the tasks under way`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "ok")]) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let task = session.dataTask(for: request, as: .string)
                task.resume()
                try await server.waitForRequests(1)
                session.invalidate(cancellingTasks: false)
                let late = try await networkingError { try await session.data(for: request) }
                #expect(late.code == .sessionInvalidated)
                gate.open()
                let text = try await task.value
                #expect(text == "ok")
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `nothing ends the shared session`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "ok"), .close]) { server in
            let session = SessionManager.shared
            let request = try Request(to: server.baseURL)
            let task = session.dataTask(for: request, as: .string)
            task.resume()
            try await server.waitForRequests(1)
            session.invalidate()
            session.invalidate(cancellingTasks: false)
            await session.shutdown()
            #expect(task.state == .running)
            gate.open()
            #expect(try await task.value == "ok")
            #expect(try await session.data(for: request).value == Data("ok".utf8))
        }
    }

    @Test func `the shutdown of a session returns when its connections are closed`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            let session = SessionManager()
            _ = try await session.data(for: Request(to: server.baseURL))
            #expect(server.clientSockets(.established) == 1)
            await session.shutdown()
            #expect(server.clientSockets(.established) == 0)
            await session.shutdown()
            try await server.waitUntilClientClosed()
        }
    }

    @Test func `a session that is released fails its tasks`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            var session = Optional(SessionManager())
            let request = try Request(to: server.baseURL)
            let task = session?.dataTask(for: request)
            task?.resume()
            try await server.waitForRequests(1)
            session = nil
            let error = try await networkingError { try await task?.value }
            #expect(error.code == .sessionInvalidated)
            try await server.waitUntilClientClosed()
        }
    }

    @Test func `a task of a session that was released fails when it starts`() async throws {
        let request = try Request(to: "http://example.com/")
        let task = SessionManager(transport: StubTransport(routes: [:])).dataTask(for: request)
        let error = try await networkingError { try await task.value }
        #expect(error.code == .sessionInvalidated)
    }

    @Test func `the timings of a response say when each phase was over`() async throws {
        let pause = Duration.milliseconds(30)
        let script: FaultServer.Script = [
            .readRequest, .wait(pause), .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha"), .wait(pause),
            .send("lf"),
        ]
        let configuration = SessionConfiguration { $0.nameResolver = StubResolver(["name.test": ["127.0.0.1"]]) }
        try await FaultServer.run(script) { server in
            try await withSession(configuration) { session in
                let begin = ContinuousClock.now
                let timings = try await session.data(for: Request(to: "http://name.test:\(server.port)/")).timings
                let elapsed = ContinuousClock.now - begin
                let connected = try #require(timings.dns) + #require(timings.connect)
                let (sent, first) = (try #require(timings.requestSent), try #require(timings.firstByte))
                let (last, total) = (try #require(timings.lastByte), try #require(timings.total))
                #expect(timings.queue != nil && timings.tls == nil && !timings.isConnectionReused)
                #expect(connected <= sent && sent < first && first >= connected + pause)
                // A client that is late reads the first byte late, but never the last one early.
                #expect(last >= first && last >= connected + pause * 2, "\(timings)")
                #expect(total >= last && total <= elapsed + .milliseconds(1), "\(timings)")
            }
        }
    }
}
