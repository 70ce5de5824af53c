import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// A suspended task sends nothing more, with and without TLS.
@Suite(.timeLimit(.minutes(3)))
struct SuspendedUploadTests {
    enum Source: CaseIterable {
        case memory, sequence, file
    }

    private static let piece = Data(repeating: 7, count: 65_536)

    private func body(_ source: Source, _ count: Int, in directory: URL) throws -> RequestBody {
        switch source {
        case .memory: return .data(Data(repeating: 7, count: count))
        case .file:
            let file = directory.appending(path: "file")
            try Data(repeating: 7, count: count).write(to: file)
            return try .file(file)
        case .sequence:
            let left = Counter()
            return .stream(
                AsyncStream(unfolding: { left.increment() <= count / Self.piece.count ? Self.piece : nil })
            )
        }
    }

    private func withServer(
        _ script: FaultServer.Script,
        overTLS: Bool = false,
        _ timeouts: Timeouts,
        connections: Int = 6,
        _ work: (FaultServer, SessionManager, Engine) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates.shared()
        let tls = overTLS ? ServerTLS(certificates.localhost) : nil
        let configuration = SessionConfiguration { configuration in
            configuration.tls.trustRoots = .pem(certificates.authority.certificatePEM)
            configuration.timeouts = timeouts
            configuration.maximumConnectionsPerHost = connections
        }
        try await FaultServer.run(script, options: .init(tls: tls, receiveBuffer: 65_536)) { server in
            try await withEngine(configuration) { session, engine in try await work(server, session, engine) }
        }
    }

    @Test(arguments: Source.allCases, [false, true])
    func `a suspended upload stops sending, and no timeout of bytes ends it`(source: Source, overTLS: Bool) async throws
    {
        // Far more than the buffers of both systems.
        let count = 48 << 20
        try await patiently(first: [.seconds(1)], last: .seconds(5)) { timeout in
            let gate = FaultGate()
            let script: FaultServer.Script = [
                .readHead, .stopReading, .hold(gate), .startReading, .readRequest, .respond(body: "ok"),
            ]
            try await withDirectory { directory in
                let body = try body(source, count, in: directory)
                let timeouts = Timeouts(firstByte: timeout, betweenBytes: timeout)
                try await withServer(script, overTLS: overTLS, timeouts) { server, session, _ in
                    let task = session.uploadTask(for: try Request(.put, to: server.baseURL, body: body))
                    let progress = task.progress
                    task.resume()
                    for await step in progress where step.upload.completed > 0 { break }
                    task.suspend()
                    // What was written before is received now, and no more than that.
                    gate.open()
                    try await server.wait("the beginning of the body") { record in
                        record.connections.first.map { $0.bytesReceived > 1000 } ?? false
                    }
                    let received = try await settled { server.connections[0].bytesReceived }
                    let sent = task.currentProgress.upload.completed
                    #expect(sent > 0 && sent < count && received < sent + 65_536, "\(received) of \(sent)")
                    try await Task.sleep(for: timeout * 2)
                    #expect(task.state == .suspended && task.currentProgress.upload.completed == sent)
                    #expect(server.connections[0].bytesReceived == received)
                    task.resume()
                    let response = try await task.value
                    #expect(response == Data("ok".utf8))
                    #expect(server.requests.first?.body.count == count)
                    #expect(task.currentProgress.upload.completed == count)
                }
            }
        }
    }

    @Test func `an upload that is suspended and resumed again and again arrives whole`() async throws {
        let count = 32 << 20
        let timeouts = Timeouts(request: .seconds(60))
        try await withDirectory { directory in
            for source in Source.allCases {
                let body = try body(source, count, in: directory)
                try await withServer([.readRequest, .respond(body: "ok")], timeouts) { server, session, _ in
                    let task = session.uploadTask(for: try Request(.put, to: server.baseURL, body: body))
                    task.resume()
                    let changes = Task {
                        for _ in 0..<200 where task.state != .completed {
                            task.suspend()
                            try? await Task.sleep(for: .microseconds(100))
                            task.resume()
                            try? await Task.sleep(for: .microseconds(100))
                        }
                    }
                    let response = try await task.value
                    await changes.value
                    #expect(response == Data("ok".utf8) && server.requests.first?.body.count == count)
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `a request that is suspended before it has a connection is not sent`(hasBody: Bool) async throws {
        try await patiently(first: [.milliseconds(500)], last: .seconds(5)) { timeout in
            let gate = FaultGate()
            let script = FaultServer.Script.requests { request in
                request.target == "/first" ? [.hold(gate), .respond()] : [.respond(body: request.bodyText)]
            }
            let timeouts = Timeouts(firstByte: timeout, betweenBytes: timeout)
            try await withServer(script, timeouts, connections: 1) { server, session, engine in
                let firstRequest = try Request(to: server.baseURL + "/first", timeouts: Timeouts(firstByte: nil))
                let first = session.dataTask(for: firstRequest)
                first.resume()
                try await server.waitForRequests(1)
                let body = hasBody ? RequestBody.string("body") : nil
                let task = session.uploadTask(for: try Request(.post, to: server.baseURL + "/next", body: body))
                task.resume()
                try await until("the task waits") { engine.waitingExchanges == 1 }
                task.suspend()
                gate.open()
                _ = try await first.value
                try await until("the task has left the line") { engine.waitingExchanges == 0 }
                try await Task.sleep(for: timeout * 2)
                #expect(server.requests.count == 1 && task.state == .suspended)
                task.suspend()
                task.resume()
                let response = try await task.value
                #expect(response == Data((hasBody ? "body" : "").utf8))
                #expect(server.requests.count == 2 && server.connections.count == 1)
            }
        }
    }

    @Test(arguments: ["", "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"])
    func `a request that was held back gets another connection when its own is closed`(farewell: String) async throws {
        let (gate, end) = (FaultGate(), FaultGate())
        let script = FaultServer.Script.connections([
            [.readRequest, .hold(gate), .respond(), .hold(end), .send(farewell), .close],
            [.readRequest, .respond(body: "second")],
        ])
        try await withServer(script, Timeouts(), connections: 1) { server, session, engine in
            let first = session.dataTask(for: try Request(to: server.baseURL))
            first.resume()
            try await server.waitForRequests(1)
            let task = session.uploadTask(for: try Request(.post, to: server.baseURL, body: .string("a")))
            task.resume()
            try await until("the task waits") { engine.waitingExchanges == 1 }
            task.suspend()
            gate.open()
            _ = try await first.value
            try await until("the task has left the line") { engine.waitingExchanges == 0 }
            end.open()
            try await until("the connection is closed") { engine.openConnections == 0 }
            task.resume()
            let response = try await task.value
            #expect(response == Data("second".utf8) && server.requests.count == 2)
        }
    }

    @Test func `suspended tasks take no connection from others`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            request.target == "/first" ? [.hold(gate), .respond()] : [.respond(body: request.target)]
        }
        try await withServer(script, Timeouts(), connections: 1) { server, session, engine in
            let first = session.dataTask(for: try Request(to: server.baseURL + "/first"))
            first.resume()
            try await server.waitForRequests(1)
            let tasks = try (0..<5).map { session.dataTask(for: try Request(to: server.baseURL + "/\($0)")) }
            for task in tasks { task.resume() }
            try await until("the tasks wait") { engine.waitingExchanges == 5 }
            for task in tasks { task.suspend() }
            let other = session.dataTask(for: try Request(to: server.baseURL + "/other"))
            other.resume()
            gate.open()
            _ = try await first.value
            let response = try await other.value
            #expect(response == Data("/other".utf8) && server.requests.map(\.target) == ["/first", "/other"])
            for (number, task) in tasks.enumerated() {
                task.resume()
                let response = try await task.value
                #expect(response == Data("/\(number)".utf8))
                #expect(task.metrics?.transactionCount == 1 && task.metrics?.retryCount == 0)
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `the time of the whole request ends a suspended task that has no connection`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { _ in [.hold(gate), .respond()] }
        try await withServer(script, Timeouts(request: .milliseconds(300)), connections: 1) { server, session, engine in
            let first = session.dataTask(for: try Request(to: server.baseURL, timeouts: Timeouts()))
            first.resume()
            try await server.waitForRequests(1)
            let task = session.dataTask(for: try Request(to: server.baseURL))
            task.resume()
            task.suspend()
            gate.open()
            _ = try await first.value
            let error = try await networkingError { try await task.value }
            #expect(error.code == .requestTimeout && server.requests.count == 1)
        }
    }

    @Test func `a request that was held back can be cancelled`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { _ in [.hold(gate), .respond()] }
        try await withServer(script, Timeouts(), connections: 1) { server, session, engine in
            let first = session.dataTask(for: try Request(to: server.baseURL))
            first.resume()
            try await server.waitForRequests(1)
            let task = session.dataTask(for: try Request(to: server.baseURL))
            task.resume()
            try await until("the task waits") { engine.waitingExchanges == 1 }
            task.suspend()
            gate.open()
            _ = try await first.value
            try await until("the task has left the line") { engine.waitingExchanges == 0 }
            task.cancel()
            let error = try await networkingError { try await task.value }
            #expect(error.code == .cancelled && session.tasks.isEmpty)
            // The next one gets a connection.
            _ = try await session.data(for: try Request(to: server.baseURL))
            #expect(server.requests.count == 2)
        }
    }
}
