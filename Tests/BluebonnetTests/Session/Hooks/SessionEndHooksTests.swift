import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

/// Hooks and the end of their session: it waits for them, and for none of them for ever.
@Suite(.timeLimit(.minutes(5)))
struct SessionEndHooksTests {
    /// Whether a shutdown returns.
    private func shutDown(_ session: SessionManager) async throws {
        let isOver = Counter()
        Task {
            await session.shutdown()
            isOver.increment()
        }
        try await until("the shutdown returns") { isOver.value == 1 }
    }

    @Test func `a last hook of the session that never returns does not keep its end`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let (cancelled, calls) = (Counter(), Counter())
        var configuration = SessionConfiguration()
        configuration.hooks.sessionDidBecomeInvalid = { _ in
            calls.increment()
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                cancelled.increment()
            }
        }
        let session = SessionManager(configuration: configuration)
        try await shutDown(session)
        try await shutDown(session)
        #expect(cancelled.value == 1 && calls.value == 1)
    }

    @Test func `without a shutdown the last hook of the session has any time`() async throws {
        let (gate, log) = (Gate(), EventLog<String>())
        var configuration = SessionConfiguration()
        configuration.hooks.sessionDidBecomeInvalid = { _ in
            log.append("begun")
            await gate.wait()
            log.append(Task.isCancelled ? "cancelled" : "over")
        }
        SessionManager(configuration: configuration).invalidate()
        try await until("the hook is called") { log.events == ["begun"] }
        gate.open()
        try await until("the hook is over") { log.events == ["begun", "over"] }
    }

    @Test func `a hook of the session may shut it down`() async throws {
        let (log, store) = (EventLog<String>(), MemoryTransferStore())
        try await withDirectory { directory in
            try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
                let kept = Mutex<SessionManager?>(nil)
                var configuration = SessionConfiguration()
                configuration.transferJournal = try TransferJournal(store)
                configuration.hooks.sessionDidFinishTransfers = {
                    log.append("finished")
                    await kept.withLock { $0 }?.shutdown()
                    log.append("shut down")
                }
                configuration.hooks.sessionDidBecomeInvalid = { _ in log.append("invalid") }
                let session = SessionManager(configuration: configuration)
                kept.withLock { $0 = session }
                try await session.download(Request(to: server.baseURL), to: directory.appending(path: "a"))
                try await until("the session is shut down") { log.events.contains("shut down") }
                kept.withLock { $0 = nil }
                try await shutDown(session)
            }
        }
        #expect(log.events == ["finished", "invalid", "shut down"])
    }

    @Test(arguments: [true, false])
    func `a hook of a task may shut the session down`(isLast: Bool) async throws {
        let log = EventLog<String>()
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            let kept = Mutex<SessionManager?>(nil)
            var configuration = SessionConfiguration()
            let end: @Sendable () async -> Void = {
                await kept.withLock { $0 }?.shutdown()
                log.append("shut down")
            }
            if isLast {
                configuration.hooks.taskDidComplete = { _, _ in await end() }
            } else {
                configuration.hooks.dataTaskDidReceiveData = { _, _ in await end() }
            }
            let session = SessionManager(configuration: configuration)
            kept.withLock { $0 = session }
            let result = await session.dataTask(for: try Request(to: server.baseURL)).result
            if case .failure(let error) = result { #expect(error.code == .sessionInvalidated && !isLast) }
            try await until("the session is shut down") { log.events == ["shut down"] }
            kept.withLock { $0 = nil }
        }
    }

    // MARK: Order

    /// Ends the session when a task is over, before anybody else knows of that.
    private final class Ending: TaskObserver {
        let session = Mutex<SessionManager?>(nil)
        private let log: EventLog<String>
        private let cancels: Bool

        init(_ log: EventLog<String>, cancels: Bool) {
            self.log = log
            self.cancels = cancels
        }

        func taskDidEnd(_ report: TaskReport) {
            session.withLock { $0.take() }?.invalidate(cancellingTasks: cancels)
            log.append("observed")
        }
    }

    @Test(arguments: [true, false])
    func `a session that ends while its last task does tells of the task first`(cancels: Bool) async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            let log = EventLog<String>()
            let observer = Ending(log, cancels: cancels)
            var configuration = SessionConfiguration()
            configuration.observers = [observer]
            configuration.hooks.taskDidComplete = { _, _ in
                await Task.yield()
                log.append("complete")
            }
            configuration.hooks.sessionDidBecomeInvalid = { _ in log.append("invalid") }
            let session = SessionManager(configuration: configuration)
            observer.session.withLock { $0 = session }
            let events = session.events(keepingNewest: nil)
            _ = try await session.data(for: Request(to: server.baseURL))
            try await shutDown(session)
            var kinds: [SessionEvent.Kind] = []
            for await event in events { kinds.append(event.kind) }
            #expect(kinds == [.didResume, .didReceiveResponse, .didComplete, .didInvalidate])
            #expect(log.events == ["observed", "complete", "invalid"])
        }
    }

    @Test(arguments: [true, false])
    func `a session that completes its transfers tells of their end before its own`(isUpload: Bool) async throws {
        let gate = FaultGate()
        try await withDirectory { directory in
            try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "ok")]) { server in
                let (log, file) = (EventLog<String>(), directory.appending(path: "a"))
                try Data("movie".utf8).write(to: file)
                var configuration = try SessionConfiguration(journalIn: MemoryTransferStore())
                configuration.hooks.taskDidComplete = { _, _ in log.append("complete") }
                configuration.hooks.sessionDidFinishTransfers = { log.append("finished") }
                configuration.hooks.sessionDidBecomeInvalid = { _ in log.append("invalid") }
                let session = SessionManager(configuration: configuration)
                var request = try Request(to: server.baseURL)
                if isUpload {
                    (request.method, request.body) = (.post, try .file(file))
                    session.uploadTask(for: request).resume()
                } else {
                    session.downloadTask(for: request, to: file).resume()
                }
                try await server.waitForRequests(1)
                session.invalidate(cancellingTasks: false)
                gate.open()
                try await until("the session is over") { log.events.count == 3 }
                #expect(log.events == ["complete", "finished", "invalid"])
                try await shutDown(session)
            }
        }
    }

    @Test func `the last hook of a task that ends with its session has a second`() async throws {
        let gate = Gate()
        defer { gate.open() }
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            let (log, calls) = (EventLog<String>(), Counter())
            let observer = Ending(log, cancels: true)
            var configuration = SessionConfiguration()
            configuration.observers = [observer]
            configuration.hooks.taskDidComplete = { _, _ in
                calls.increment()
                await gate.wait()
            }
            let session = SessionManager(configuration: configuration)
            observer.session.withLock { $0 = session }
            let isOver = Counter()
            let task = session.dataTask(for: try Request(to: server.baseURL))
            task.whenComplete { _ in isOver.increment() }
            task.resume()
            try await until("the task is over") { isOver.value == 1 }
            #expect(calls.value == 1)
        }
    }

    @Test func `no hook is called behind the last one`() async throws {
        /// Sends each request twice, and does not wait for the second response.
        struct Hedging: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                let left = Task {
                    var other = request
                    other.url.append(path: "other")
                    return try await next(other)
                }
                _ = left
                return try await next(request)
            }
        }
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            guard request.target.hasSuffix("other") else { return [.respond(body: "ok")] }
            return [.hold(gate), .respond(302, headers: [("Location", "/b")])]
        }
        try await FaultServer.run(script) { server in
            let log = EventLog<String>()
            var configuration = SessionConfiguration { $0.interceptors = [Hedging()] }
            configuration.hooks.taskWillPerformRedirection = {
                log.append("redirection")
                return $2
            }
            configuration.hooks.taskDidComplete = { _, _ in log.append("complete") }
            try await withSession(configuration) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                task.resume()
                try await server.waitForRequests(2)
                _ = try? await task.value
                gate.open()
                try await until("the redirect came") {
                    task.metrics?.transactions.contains { $0.response?.status == .found } == true
                }
            }
            #expect(log.events.last == "complete" && log.events.filter { $0 == "complete" }.count == 1)
        }
    }

    // MARK: Memory

    @Test func `a session that is released lets go of its hooks, whatever its tasks became`() async throws {
        /// Lives as long as a hook that refers to it.
        final class Token: Sendable {}
        weak var released: Token?
        try await withDirectory { directory in
            let script = FaultServer.Script.requests { request in
                switch request.target {
                case "/stall": [.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nfirst half"), .stall]
                case "/redirect": [.respond(302, headers: [("Location", "/ok")])]
                default: [.respond(body: "ok")]
                }
            }
            try await FaultServer.run(script) { server in
                let token = Token()
                released = token
                var configuration = SessionConfiguration()
                configuration.hooks.sessionDidCreateTask = { _ in _ = token }
                configuration.hooks.taskDidSendBodyData = { _, _, _, _ in _ = token }
                configuration.hooks.taskWillPerformRedirection = { _, _, request in
                    _ = token
                    return request
                }
                configuration.hooks.dataTaskDidReceiveResponse = { task, _ in
                    switch task.originalRequest.url.fragment() {
                    case "download": .becomeDownload(to: directory.appending(path: "a"))
                    case "stream": .becomeStream
                    default: .allow
                    }
                }
                configuration.hooks.taskDidComplete = { _, _ in _ = token }
                do {
                    let session = SessionManager(configuration: configuration)
                    for path in ["/ok", "/redirect", "/ok#download", "/ok#stream", "/stall#download", "/stall#stream"] {
                        let request = try Request(.post, to: server.baseURL + path, body: .string("12345"))
                        _ = try? await session.data(for: request)
                    }
                    session.dataTask(for: try Request(to: server.baseURL + "/stall")).resume()
                    try await server.waitForRequests(8)
                }
            }
        }
        try await until("the hooks are released") { released == nil }
    }
}
