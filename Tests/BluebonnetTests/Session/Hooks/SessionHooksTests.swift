import Bluebonnet
import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

/// The hooks of a session: which are called, in which order, and what they may decide.
@Suite(.timeLimit(.minutes(5)))
struct SessionHooksTests {
    /// Every hook that decides nothing, each of which notes its name and what it was told.
    private static func logging(_ log: EventLog<String>) -> SessionHooks {
        var hooks = SessionHooks()
        hooks.sessionDidBecomeInvalid = { log.append("invalid \($0?.code.rawValue ?? "nil")") }
        hooks.sessionDidCreateTask = { log.append("created \($0.identifier) \($0.originalRequest.method)") }
        hooks.taskDidSendBodyData = { _, count, total, expected in
            log.append("sent \(count) \(total) \(expected ?? -1)")
        }
        hooks.dataTaskDidReceiveResponse = { task, head in
            log.append("response \(head.status.code) \(task.head?.status.code ?? 0)")
            return .allow
        }
        hooks.dataTaskDidReceiveData = { log.append("data \(String(decoding: $1, as: UTF8.self))") }
        hooks.taskDidFinishCollectingMetrics = { log.append("metrics \($1.transactions.count)") }
        hooks.taskDidComplete = { log.append("complete \($1?.code.rawValue ?? "nil") \($0.state)") }
        return hooks
    }

    /// The ways to send a request.
    enum Way: CaseIterable {
        case task, resumedTask, data, perform, verb, upload
    }

    @Test(arguments: Way.allCases)
    func `the hooks of a task are called in order, before its caller has the result`(way: Way) async throws {
        try await FaultServer.run([.readRequest, .respond(body: "whole")]) { server in
            let log = EventLog<String>()
            let configuration = SessionConfiguration { $0.hooks = Self.logging(log) }
            try await withSession(configuration) { session in
                let request = try Request(.post, to: server.baseURL, body: .string("12345"))
                let api = HTTPSessionManager(session: session)
                switch way {
                case .task: _ = try await session.dataTask(for: request).value
                case .resumedTask:
                    let task = session.dataTask(for: request)
                    task.resume()
                    _ = try await task.value
                case .data: _ = try await session.data(for: request)
                case .perform: _ = try await session.response(for: request, as: .string)
                case .verb: let _: String = try await api.post(server.baseURL, body: .data(Data("12345".utf8)))
                case .upload: _ = try await session.uploadTask(for: request).value
                }
                let expected = [
                    "created 1 POST", "sent 5 5 5", "response 200 200", "data whole", "metrics 1",
                    "complete nil completed",
                ]
                #expect(log.events == expected)
            }
            #expect(log.events.last == "invalid nil")
            #expect(log.events.count == 7)
        }
    }

    @Test func `a stream has the hooks of every task`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "whole")]) { server in
            let log = EventLog<String>()
            try await withSession(SessionConfiguration { $0.hooks = Self.logging(log) }) { session in
                let response = try await session.open(Request(to: server.baseURL))
                #expect(try await response.body.collect() == Data("whole".utf8))
                try await until("the stream is complete") { log.events.count == 3 }
            }
            #expect(log.events == ["created 1 GET", "metrics 1", "complete nil completed", "invalid nil"])
        }
    }

    @Test func `the body comes in pieces, decoded, and is collected all the same`() async throws {
        try await LocalServer.run { server in
            let pieces = EventLog<Data>()
            var configuration = SessionConfiguration()
            configuration.hooks.dataTaskDidReceiveData = { pieces.append($1) }
            try await withSession(configuration) { session in
                let whole = try await session.data(for: Request(to: server.baseURL + "/gzip")).value
                #expect(pieces.events.reduce(Data(), +) == whole)
                #expect(whole.first == UInt8(ascii: "{"))
                let large = try await session.data(for: Request(to: server.baseURL + "/bytes/3000000?seed=1")).value
                #expect(pieces.events.dropFirst().reduce(Data(), +).suffix(3_000_000) == large)
                #expect(pieces.events.count > 3 && pieces.events.allSatisfy { !$0.isEmpty })
            }
        }
    }

    @Test func `a body that came whole is one piece, also without a connection`() async throws {
        let pieces = EventLog<String>()
        var configuration = SessionConfiguration()
        configuration.hooks.dataTaskDidReceiveData = { pieces.append(String(decoding: $1, as: UTF8.self)) }
        let transport = StubTransport(routes: [.get("/"): .text("stub"), .get("/empty"): .text("")])
        try await withSession(configuration, transport: transport) { session in
            let text = try await session.data(for: Request(to: "http://x/")).value
            #expect(text == Data("stub".utf8))
            let empty = try await session.data(for: Request(to: "http://x/empty")).value
            #expect(empty.isEmpty)
        }
        #expect(pieces.events == ["stub"])
    }

    @Test func `an error of a serializer is told as the error of the task`() async throws {
        try await FaultServer.run([.readRequest, .respond(404, body: "no")]) { server in
            let log = EventLog<String>()
            try await withSession(SessionConfiguration { $0.hooks = Self.logging(log) }) { session in
                let request = try Request(to: server.baseURL)
                _ = try await networkingError { try await session.response(for: request, as: .string) }
                #expect(log.events.last == "complete unacceptable-status-code completed")
            }
        }
    }

    @Test func `a task that never began, and one of a session that has ended, have no hooks`() async throws {
        let log = EventLog<String>()
        try await withSession(SessionConfiguration { $0.hooks = Self.logging(log) }) { session in
            let request = try Request(to: "http://x/")
            session.dataTask(for: request).cancel()
            session.invalidate()
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .sessionInvalidated)
        }
        #expect(log.events == ["invalid nil"])
    }

    @Test func `the end of a session is told after that of its tasks, once`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            let log = EventLog<String>()
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidComplete = { _, error in
                await Task.yield()
                log.append("complete \(error?.code.rawValue ?? "nil")")
            }
            configuration.hooks.sessionDidBecomeInvalid = { log.append("invalid \($0?.code.rawValue ?? "nil")") }
            let session = SessionManager(configuration: configuration)
            let task = session.dataTask(for: try Request(to: server.baseURL))
            task.resume()
            try await server.waitForRequests(1)
            session.invalidate()
            session.invalidate()
            await session.shutdown()
            #expect(log.events == ["complete session-invalidated", "invalid nil"])
        }
    }

    @Test func `a session that is released while a task runs tells why it ended`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            let log = EventLog<String>()
            var configuration = SessionConfiguration()
            configuration.hooks.sessionDidBecomeInvalid = { log.append("\($0?.code.rawValue ?? "nil")") }
            do {
                let session = SessionManager(configuration: configuration)
                session.dataTask(for: try Request(to: server.baseURL)).resume()
                try await server.waitForRequests(1)
            }
            try await until("the session has ended") { log.events == ["session-invalidated"] }
            do {
                _ = SessionManager(configuration: configuration)
            }
            try await until("the idle session has ended") { log.events == ["session-invalidated", "nil"] }
        }
    }

    // MARK: Waiting for hooks

    @Test func `a slow hook holds back its own task, and no other`() async throws {
        let size = 8 << 20
        let script = FaultServer.Script.requests { request in
            guard request.target == "/large" else { return [.respond(body: "small")] }
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .fill(0x61, count: size)]
        }
        try await FaultServer.run(script) { server in
            let (gate, count) = (Gate(), Counter())
            var configuration = SessionConfiguration()
            configuration.hooks.dataTaskDidReceiveData = { task, data in
                guard task.originalRequest.url.path() == "/large" else { return }
                if count.add(data.count) == data.count { await gate.wait() }
            }
            try await withSession(configuration) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL + "/large"))
                task.resume()
                try await until("the hook waits") { count.value > 0 }
                _ = try await settled { server.connections.first?.bytesSent ?? 0 }
                // What waits in memory is bounded by the stream, whatever the kernel has taken.
                #expect(task.currentProgress.download.completed < 4 << 20)
                #expect(count.value < 1 << 20)
                for _ in 0..<3 {
                    let small = try await session.data(for: Request(to: server.baseURL + "/small")).value
                    #expect(small == Data("small".utf8))
                }
                gate.open()
                #expect(try await task.value.count == size)
                #expect(count.value == size)
            }
        }
    }

    @Test func `the hooks of one task never overlap`() async throws {
        let (size, running, calls) = (3 << 20, Counter(), Counter())
        let most = Mutex(0)
        let watch: @Sendable () async -> Void = {
            let now = running.add(1)
            most.withLock { $0 = max($0, now) }
            calls.increment()
            await Task.yield()
            running.add(-1)
        }
        try await LocalServer.run { server in
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidSendBodyData = { _, _, _, _ in await watch() }
            configuration.hooks.dataTaskDidReceiveResponse = { _, _ in
                await watch()
                return .allow
            }
            configuration.hooks.dataTaskDidReceiveData = { _, _ in await watch() }
            configuration.hooks.taskDidComplete = { _, _ in await watch() }
            try await withSession(configuration) { session in
                let body = RequestBody.data(Data(repeating: 1, count: size))
                let request = try Request(.post, to: server.baseURL + "/anything", body: body)
                _ = try await session.data(for: request)
            }
        }
        #expect(most.withLock { $0 } == 1 && calls.value > 3)
    }

    @Test func `a task is created once, and waits for the hook before anything is sent`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            let (gate, calls) = (Gate(), Counter())
            var configuration = SessionConfiguration()
            configuration.hooks.sessionDidCreateTask = { _ in
                calls.increment()
                await gate.wait()
            }
            try await withSession(configuration) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                #expect(calls.value == 0)
                task.resume()
                try await until("the hook is called") { calls.value == 1 }
                #expect(server.connections.isEmpty)
                gate.open()
                #expect(try await task.value == Data("ok".utf8))
                #expect(calls.value == 1)
            }
        }
    }
}
