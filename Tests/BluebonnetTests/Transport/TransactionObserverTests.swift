import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The requests that observers of transactions see, and their ends.
@Suite(.timeLimit(.minutes(5)))
struct TransactionObserverTests {
    /// Writes down what it sees, and adds a field to each request.
    private struct Watcher: TransactionObserver {
        @TaskLocal static var place: String?
        let log = EventLog<String>()

        func circumstances(of request: Request) -> (any Sendable)? { Self.place }

        func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
            let name = "\(transaction.taskIdentifier).\(transaction.number)"
            transaction.headerFields[Self.field] = name
            let place = transaction.circumstances.map { " in \($0)" } ?? ""
            log.append("\(name) \(transaction.request.method) \(transaction.request.url.path())\(place)")
            return { [log] metrics in
                let outcome = metrics.error?.code.rawValue ?? metrics.response.map { "\($0.statusCode)" } ?? "nothing"
                log.append("\(name) \(metrics.end == nil ? "open" : "ended"), \(metrics.number): \(outcome)")
            }
        }

        static let field = HTTPField.Name.via
    }

    /// An observer of tasks alone.
    private struct Bystander: TaskObserver {
        func taskDidEnd(_ report: TaskReport) {}
    }

    private let watcher = Watcher()

    private var configuration: SessionConfiguration {
        SessionConfiguration { $0.observers = [Bystander(), watcher] }
    }

    // MARK: Requests

    @Test func `an observer sees each request of a redirect, and its field is sent with each`() async throws {
        let script = FaultServer.Script.requests { request in
            request.target == "/a" ? [.respond(302, headers: [("Location", "/b")])] : [.respond(body: "ok")]
        }
        try await FaultServer.run(script) { server in
            let response = try await withSession(configuration) { session in
                try await session.data(for: Request(to: server.baseURL + "/a"))
            }
            #expect(server.requests.map { $0.value(of: "Via") } == ["1.0", "1.1"])
            let fields = response.metrics.transactions.map { $0.request.headerFields[Watcher.field] }
            #expect(fields == ["1.0", "1.1"])
        }
        #expect(watcher.log.events == ["1.0 GET /a", "1.0 ended, 0: 302", "1.1 GET /b", "1.1 ended, 1: 200"])
    }

    @Test func `an observer sees a request that is sent again over a fresh connection`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.connections([
            [.readRequest, .respond(body: "ok"), .readRequest, .hold(gate), .close],
            [.readRequest, .respond(body: "ok")],
        ])
        try await FaultServer.run(script) { server in
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL + "/a"))
                gate.open()
                let response = try await session.data(for: Request(to: server.baseURL + "/b"))
                #expect(response.metrics.retryCount == 1)
            }
            #expect(server.requests.map { $0.value(of: "Via") } == ["1.0", "2.0", "2.1"])
        }
        #expect(
            watcher.log.events == [
                "1.0 GET /a", "1.0 ended, 0: 200", "2.0 GET /b", "2.0 ended, 0: connection-lost", "2.1 GET /b",
                "2.1 ended, 1: 200",
            ]
        )
    }

    @Test func `an observer sees what is sent by a transport of the user`() async throws {
        struct Answers: Transport {
            func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
                guard request.headerFields[Watcher.field] == "1.0" else { throw NetworkingError(.connectFailed, "no") }
                return TransportResponse(head: ResponseHead(status: .noContent), request: request)
            }
        }
        try await withSession(configuration, transport: Answers()) { session in
            _ = try await session.data(for: Request(to: "http://x/a"))
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/b")) }
            #expect(error.code == .connectFailed)
        }
        #expect(
            watcher.log.events == [
                "1.0 GET /a", "1.0 ended, 0: 204", "2.0 GET /b", "2.0 ended, 0: connect-failed",
            ]
        )
    }

    @Test func `an observer gets the circumstances of the code that made the task`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession(configuration) { session in
                let request = try Request(to: server.baseURL + "/a")
                let task = Watcher.$place.withValue("one") { session.dataTask(for: request) }
                try await Watcher.$place.withValue("two") {
                    task.resume()
                    _ = try await task.value
                    _ = try await session.data(for: request)
                }
            }
        }
        #expect(watcher.log.events.filter { $0.contains("GET") } == ["1.0 GET /a in one", "2.0 GET /a in two"])
    }

    @Test func `the requests for the parts of a download have the circumstances of its task`() async throws {
        let responses = RangeResponses(bytes: RangeResponses.bytes(8 << 20))
        try await withDirectory { directory in
            try await FaultServer.run(.requests { responses.steps($0) }) { server in
                try await withAPI(at: server.baseURL, configuration) { api in
                    let task = try Watcher.$place.withValue("one") {
                        try api.downloadTask(
                            .get,
                            "big",
                            options: [.downloadSegments(2)],
                            to: directory.appending(path: "big")
                        )
                    }
                    try await Watcher.$place.withValue("two") { _ = try await task.value }
                }
            }
        }
        let beginnings = watcher.log.events.filter { $0.contains("GET") }
        #expect(!beginnings.isEmpty && beginnings.allSatisfy { $0.hasSuffix("in one") }, "\(beginnings)")
        #expect(watcher.log.events.count == 2 * beginnings.count, "\(watcher.log.events)")
    }

    @Test func `what an interceptor answers is not seen`() async throws {
        struct Answer: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                TransportResponse(head: ResponseHead(status: .noContent), request: request)
            }
        }
        var configuration = configuration
        configuration.interceptors = [Answer()]
        try await withSession(configuration) { session in
            _ = try await session.data(for: Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/a"))
        }
        #expect(watcher.log.events.isEmpty)
    }

    // MARK: Ends

    @Test func `a stream has ended when its last byte is there`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .hold(gate), .send("rest"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession(configuration) { session in
                let response = try await session.open(Request(to: server.baseURL + "/a"))
                #expect(watcher.log.events == ["1.0 GET /a"])
                gate.open()
                for try await _ in response.body {}
                #expect(watcher.log.events == ["1.0 GET /a", "1.0 ended, 0: 200"])
            }
        }
        #expect(watcher.log.events.count == 2)
    }

    @Test func `a stream that is dropped has ended`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .stall,
        ]
        try await FaultServer.run(script) { server in
            try await withSession(configuration) { session in
                _ = try await session.open(Request(to: server.baseURL + "/a"))
                try await until("the end") { watcher.log.events.count == 2 }
            }
        }
        #expect(watcher.log.events == ["1.0 GET /a", "1.0 ended, 0: cancelled"])
    }

    @Test func `a response that is cut off has failed`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .close,
        ]
        try await FaultServer.run(script) { server in
            try await withSession(configuration) { session in
                _ = try await networkingError { try await session.data(for: Request(to: server.baseURL + "/a")) }
            }
        }
        #expect(watcher.log.events == ["1.0 GET /a", "1.0 ended, 0: truncated-response"])
    }

    @Test func `a server that cannot be reached is a failure`() async throws {
        try await withSession(configuration) { session in
            let request = try Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/a")
            _ = try await networkingError { try await session.data(for: request) }
        }
        #expect(watcher.log.events == ["1.0 GET /a", "1.0 ended, 0: connect-failed"])
    }

    @Test func `a head that cannot be sent is a failure`() async throws {
        try await withSession(configuration) { session in
            let request = try Request(to: "http://127.0.0.1:1/a", headerFields: [.contentLength: "7"])
            _ = try await networkingError { try await session.data(for: request) }
        }
        #expect(watcher.log.events == ["1.0 GET /a", "1.0 ended, 0: invalid-request"])
    }

    @Test func `a task that is cancelled has ended once`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSession(configuration) { session in
                let task = session.dataTask(for: try Request(to: server.baseURL + "/a"))
                task.resume()
                try await server.waitForRequests(1)
                task.cancel()
                _ = try await networkingError { try await task.value }
            }
        }
        #expect(watcher.log.events == ["1.0 GET /a", "1.0 ended, 0: cancelled"])
    }

    @Test func `a request whose caller was cancelled before is not seen`() async throws {
        try await withSession(configuration) { session in
            let request = try Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/a")
            let caller = Task {
                // The Swift task is used inside the closure only.
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await session.data(for: request)
            }
            _ = try await networkingError { try await caller.value }
        }
        #expect(watcher.log.events.isEmpty, "\(watcher.log.events)")
    }

    @Test func `a request that waits for a connection while its task is suspended is one transaction`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            request.target == "/first" ? [.hold(gate), .respond(body: "ok")] : [.respond(body: "ok")]
        }
        var configuration = configuration
        configuration.maximumConnectionsPerHost = 1
        try await FaultServer.run(script) { server in
            try await withSession(configuration) { session in
                let first = session.dataTask(for: try Request(to: server.baseURL + "/first"))
                first.resume()
                try await server.waitForRequests(1)
                let second = session.dataTask(for: try Request(to: server.baseURL + "/second"))
                second.resume()
                try await until("the second waits") { watcher.log.events.count == 2 }
                second.suspend()
                gate.open()
                _ = try await first.value
                _ = try await session.data(for: Request(to: server.baseURL + "/third"))
                second.resume()
                _ = try await second.value
            }
            #expect(server.requests.map(\.target) == ["/first", "/third", "/second"])
        }
        #expect(watcher.log.events.filter { $0.hasPrefix("2.") } == ["2.0 GET /second", "2.0 ended, 0: 200"])
    }

    @Test func `a suspended request that is cancelled before it is sent has ended`() async throws {
        let gate = FaultGate()
        var configuration = configuration
        configuration.maximumConnectionsPerHost = 1
        try await FaultServer.run(.requests { _ in [.hold(gate), .respond(body: "ok")] }) { server in
            try await withSession(configuration) { session in
                let first = session.dataTask(for: try Request(to: server.baseURL + "/first"))
                first.resume()
                try await server.waitForRequests(1)
                let second = session.dataTask(for: try Request(to: server.baseURL + "/second"))
                second.resume()
                try await until("the second waits") { watcher.log.events.count == 2 }
                second.suspend()
                gate.open()
                _ = try await first.value
                _ = try await session.data(for: Request(to: server.baseURL + "/third"))
                second.cancel()
                _ = try await networkingError { try await second.value }
                try await until("the second ended") { watcher.log.events.contains("2.0 ended, 0: cancelled") }
            }
        }
        #expect(watcher.log.events.filter { $0.hasPrefix("2.") } == ["2.0 GET /second", "2.0 ended, 0: cancelled"])
    }

    @Test func `the requests of a session that ends have ended`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            let session = SessionManager(configuration: configuration)
            let tasks = try (0..<20).map { session.dataTask(for: try Request(to: server.baseURL + "/\($0)")) }
            for task in tasks { task.resume() }
            try await server.waitForRequests(6)
            await session.shutdown()
            for task in tasks { _ = try await networkingError { try await task.value } }
        }
        let events = watcher.log.events
        for number in 1...20 {
            let own = events.filter { $0.hasPrefix("\(number).0 ") }
            #expect(own.isEmpty || own.count == 2 && own[1].contains("ended"), "\(own)")
        }
        #expect(events.count { $0.contains("GET") } >= 6)
    }
}
