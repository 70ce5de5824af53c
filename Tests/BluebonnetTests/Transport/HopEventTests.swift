import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// The events of each hop that the engine reports to a hop observer.
@Suite(.timeLimit(.minutes(5)))
struct HopEventTests {
    /// An event in words.
    private static func words(for event: HopEvent) -> String {
        let word =
            switch event.kind {
            case .began(let sent): "\(sent.request.method) \(sent.request.url.path())"
            case .connecting: "connecting"
            case .connectFailed(let error): "no connection: \(error.code)"
            case .started(let timings): timings.isConnectionReused ? "started, reused" : "started"
            case .received(let head): "\(head.statusCode)"
            case .ended(let timings, let counts):
                "ended, \(counts.sent) out, \(counts.received) in\(timings.lastByte == .none ? ", no time" : "")"
            case .failed(let error, let timings, _): "\(error.code)\(timings == nil ? "" : ", timed")"
            }
        return "\(event.call.identifier).\(event.hop) \(word)"
    }

    /// Sends requests one after the other to a server that follows the script.
    private static func words(
        _ script: FaultServer.Script,
        _ requests: (FaultServer, SessionManager) async throws -> Void
    ) async throws -> [String] {
        let log = EventLog<String>()
        try await FaultServer.run(script) { server in
            let session = SessionManager(configuration: SessionConfiguration()) { log.append(Self.words(for: $0)) }
            try await requests(server, session)
            await session.shutdown()
        }
        return log.events
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func `hop events report a request from beginning to end, and the next one on the same connection`()
        async throws
    {
        let words = try await Self.words([.readRequest, .send(Self.ok), .readRequest, .send(Self.ok)]) {
            server,
            session in
            _ = try await session.data(for: Request(to: server.baseURL + "/a"))
            _ = try await session.data(
                for: Request(.post, to: server.baseURL + "/b", body: .data(Data("body".utf8)))
            )
        }
        #expect(
            words == [
                "1.1 GET /a", "1.1 connecting", "1.1 started", "1.1 200", "1.1 ended, 0 out, 2 in", "2.1 POST /b",
                "2.1 started, reused", "2.1 200", "2.1 ended, 4 out, 2 in",
            ]
        )
    }

    @Test func `hop events report each hop of a redirect and each informational response`() async throws {
        let redirect = "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"
        let words = try await Self.words([
            .readRequest, .send(redirect), .readRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .send(Self.ok),
        ]) { server, session in
            _ = try await session.data(for: Request(to: server.baseURL + "/a"))
        }
        #expect(
            words == [
                "1.1 GET /a", "1.1 connecting", "1.1 started", "1.1 302", "1.1 ended, 0 out, 0 in", "1.2 GET /b",
                "1.2 started, reused", "1.2 103", "1.2 200", "1.2 ended, 0 out, 2 in",
            ]
        )
    }

    @Test func `hop events report the last byte of a stream`() async throws {
        let words = try await Self.words([.readRequest, .send(Self.ok)]) { server, session in
            let response = try await session.open(Request(to: server.baseURL + "/a"))
            for try await _ in response.body {}
        }
        #expect(words.suffix(2) == ["1.1 200", "1.1 ended, 0 out, 2 in"])
    }

    @Test func `hop events report a failure once, with timings where the connection failed`() async throws {
        let words = try await Self.words([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close,
        ]) {
            server,
            session in
            await #expect(throws: NetworkingError.self) {
                try await session.data(for: Request(to: server.baseURL + "/a"))
            }
        }
        #expect(words.suffix(2) == ["1.1 200", "1.1 truncated-response, timed"])
    }

    @Test func `hop events report a failed connection attempt before the failure of its hop`() async throws {
        let log = EventLog<String>()
        let session = SessionManager(configuration: SessionConfiguration()) { log.append(Self.words(for: $0)) }
        let path = "/nowhere-\(UInt64.random(in: 0 ... .max))"
        let request = try Request(to: "http+unix://%2Ftmp\(path.replacing("/", with: "%2F"))/")
        await #expect(throws: NetworkingError.self) { try await session.data(for: request) }
        #expect(
            log.events == ["1.1 GET /", "1.1 connecting", "1.1 no connection: connect-failed", "1.1 connect-failed"]
        )
    }

    @Test func `a hop observer may stop the task`() async throws {
        let started = Counter()
        try await FaultServer.run([.readRequest, .stall]) { server in
            let session = SessionManager(configuration: SessionConfiguration()) { event in
                guard case .started = event.kind else { return }
                started.increment()
                event.call.cancel()
            }
            let error = await #expect(throws: NetworkingError.self) {
                try await session.data(for: Request(to: server.baseURL + "/a"))
            }
            #expect(error?.code == .cancelled && started.value == 1)
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections[0].bytesReceived == 0)
        }
    }

    @Test func `a hop observer that stops the task at 100 Continue leaves no request body behind`() async throws {
        let isFreed = Counter()
        try await FaultServer.run([.readHead, .informational(100), .stall]) { server in
            let session = SessionManager(configuration: SessionConfiguration()) { event in
                if case .received(let head) = event.kind, head.status.code == 100 { event.call.cancel() }
            }
            let end = try await Self.upload(to: server.baseURL, in: session)
            let watch = Task {
                for await _ in end {}
                isFreed.increment()
            }
            await session.shutdown()
            try? await until("the body is freed") { isFreed.value == 1 }
            #expect(isFreed.value == 1)
            watch.cancel()
        }
    }

    private static func upload(to url: String, in session: SessionManager) async throws -> AsyncStream<Void> {
        let (witness, end) = Witness.make()
        let body = RequestBody.stream {
            AsyncStream<[UInt8]> { continuation in
                withExtendedLifetime(witness) { _ = continuation.yield([1, 2, 3]) }
                continuation.finish()
            }
        }
        var request = try Request(.post, to: url, body: body)
        request.expectsContinue = true
        request.timeouts = Timeouts(continueWait: .seconds(30))
        let error = try await networkingError { _ = try await session.data(for: request) }
        #expect(error.code == .cancelled)
        return end
    }

    @Test func `hop events report a failed hop as failed and not as ended too`() async throws {
        let gate = FaultGate()
        let ends = EventLog<String>()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .hold(gate), .send("rest"),
        ]
        try await FaultServer.run(script) { server in
            let session = SessionManager(configuration: SessionConfiguration()) { event in
                switch event.kind {
                case .ended: ends.append("ended")
                case .failed: ends.append("failed")
                default: break
                }
            }
            let task = session.dataTask(for: try Request(to: server.baseURL))
            task.core.call.observe { [weak task] counts in
                if counts?.received == 4 { gate.open() }
                if counts?.received == 8 { task?.cancel() }
            }
            _ = try await networkingError { _ = try await task.value }
            await session.shutdown()
        }
        #expect(ends.events == ["failed"])
    }

    @Test func `the hop of an already cancelled caller does not begin`() async throws {
        let log = EventLog<String>()
        let session = SessionManager(configuration: SessionConfiguration()) { log.append(Self.words(for: $0)) }
        let request = try Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/")
        let caller = Task {
            // The Swift task is used inside the closure only.
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await session.data(for: request)
        }
        let error = try await networkingError { try await caller.value }
        #expect(error.code == .cancelled && log.events.isEmpty, "\(log.events)")
    }

    @Test func `a hop whose caller is cancelled as it begins fails without a connection`() async throws {
        let log = EventLog<String>()
        let session = SessionManager(configuration: SessionConfiguration()) { event in
            log.append(Self.words(for: event))
            guard case .began = event.kind else { return }
            // The Swift task is the caller's, and used inside the closure only.
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        }
        let request = try Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/")
        let error = try await networkingError { try await Task { try await session.data(for: request) }.value }
        #expect(error.code == .cancelled)
        #expect(log.events == ["1.1 GET /", "1.1 cancelled"])
    }

    @Test func `a task suspended and resumed by a hop observer keeps the order of its bytes`() async throws {
        let numbers = (0..<20_000).map { String(format: "%05d ", $0) }.joined()
        let gate = FaultGate()
        let script: FaultServer.Script = [.readRequest, .hold(gate), .respond(body: numbers)]
        try await FaultServer.run(script) { server in
            let session = SessionManager(configuration: SessionConfiguration()) { event in
                guard case .received = event.kind else { return }
                event.call.suspend()
                event.call.resume()
            }
            let task = session.dataTask(for: try Request(to: server.baseURL))
            task.resume()
            try await server.waitForRequests(1)
            task.suspend()
            gate.open()
            try await server.wait("the response") { $0.connections.first?.bytesSent ?? 0 > 120_000 }
            try await Task.sleep(for: .milliseconds(100))
            task.resume()
            let body = try await task.value
            let isInOrder = Array(body) == Array(numbers.utf8)
            #expect(
                isInOrder,
                "\(body.count) bytes of \(numbers.utf8.count), which begin with \(String(decoding: body.prefix(6), as: UTF8.self))"
            )
            await session.shutdown()
        }
    }
}
