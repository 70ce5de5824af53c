import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The timeouts of requests that wait for a connection, over sockets. `RouteQueueDeadlineTests`
/// tests the rules.
@Suite(.timeLimit(.minutes(5)))
struct WaitingTests {
    private static let long = Duration.seconds(1000)
    private static let endless: FaultServer.Script = [
        .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .stall,
    ]

    @Test func `a request that waits behind endless streams on all connections fails`() async throws {
        try await FaultServer.run(Self.endless) { server in
            try await withEngine { session, engine in
                var streams: [TransportResponse] = []
                for _ in 0..<6 { streams.append(try await session.open(Request(to: server.baseURL))) }
                let request = try Request(to: server.baseURL, timeouts: Timeouts(waiting: .milliseconds(100)))
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .waitingTimeout && error.isTimeout, "\(error)")
                #expect(error.message.contains("All 6 connections") && error.message.contains("100 ms"), "\(error)")
                #expect(engine.waitingExchanges == 0 && engine.openConnections == 6)
                #expect(server.requests.count == 6)
                withExtendedLifetime(streams) {}
            }
        }
    }

    /// Runs with a server that never accepts a connection, and a session of at most `limit`
    /// connections.
    private func withoutConnections(
        limit: Int,
        _ body: (SessionManager, Engine, (Duration) throws -> DataTask<Data>) async throws -> Void
    ) async throws {
        try await FaultServer.run([.stall], options: .init(acceptsConnections: false)) { server in
            let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = limit }
            try await withEngine(configuration) { session, engine in
                try await body(session, engine) { connect in
                    let timeouts = Timeouts(connect: connect)
                    let task = try session.dataTask(for: Request(to: server.baseURL, timeouts: timeouts))
                    task.resume()
                    return task
                }
            }
        }
    }

    @Test func `a request fails after its own connect timeout although others wait longer`() async throws {
        try await withoutConnections(limit: 1) { session, engine, send in
            let patient = try send(Self.long)
            try await until("it waits") { engine.waitingExchanges == 1 }
            let error = try await networkingError { _ = try await send(.milliseconds(300)).value }
            #expect(error.code == .connectTimeout && error.message.contains("300 ms"), "\(error)")
            #expect(engine.waitingExchanges == 1 && patient.state == .running)
            patient.cancel()
        }
    }

    @Test func `connection attempts that no request waits for end at once`() async throws {
        try await withoutConnections(limit: 6) { session, engine, send in
            let tasks = try (0..<8).map { _ in try send(Self.long) }
            try await until("all wait") { engine.waitingExchanges == 8 }
            #expect(engine.attempts == 6)
            for task in tasks.dropLast() { task.cancel() }
            try await until("one attempt is left") { engine.attempts == 1 }
            #expect(engine.waitingExchanges == 1)
            tasks.last?.cancel()
            try await until("no attempt is left") { engine.attempts == 0 }
        }
    }

    @Test func `a request does not inherit the time of attempts whose requests are cancelled`() async throws {
        try await withoutConnections(limit: 2) { session, engine, send in
            let gone = try (0..<2).map { _ in try send(Self.long) }
            try await until("they wait") { engine.waitingExchanges == 2 }
            for task in gone { task.cancel() }
            let start = ContinuousClock.now
            let error = try await networkingError { _ = try await send(.milliseconds(300)).value }
            #expect(error.code == .connectTimeout, "\(error)")
            #expect(ContinuousClock.now - start > .milliseconds(290))
            try await until("no attempt is left") { engine.attempts == 0 }
        }
    }

    // MARK: Refusals beside open connections

    /// Runs with a server that has one connection, busy until the gate opens, and takes no further
    /// one.
    private func withOneConnection(
        _ body: (SessionManager, Engine, Request, FaultGate) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/bb-\(UInt32.random(in: .min ... .max)).sock"
        let host = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .hold(gate), .respond(body: "1"), .readRequest, .respond(body: "2"),
        ]
        try await FaultServer.run(script, options: .init(socketPath: path)) { server in
            try await withEngine { session, engine in
                let request = try Request(to: "http+unix://\(host)/")
                let first = session.dataTask(for: request)
                first.resume()
                try await server.waitForRequests(1)
                try FileManager.default.removeItem(atPath: path)
                try await body(session, engine, request, gate)
                gate.open()
                let value = try await first.value
                #expect(value == Data("1".utf8))
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `a request that gets no new connection waits for one that is open`() async throws {
        try await withOneConnection { session, engine, request, gate in
            let second = session.dataTask(for: request)
            second.resume()
            try await until("its attempt was refused") {
                engine.waitingExchanges == 1 && engine.attempts == 0
            }
            gate.open()
            let value = try await second.value
            #expect(value == Data("2".utf8))
        }
    }

    @Test func `the error of a request that waited in vain says why there were not more connections`() async throws {
        try await withOneConnection { session, engine, request, _ in
            var request = request
            request.timeouts = Timeouts(waiting: .milliseconds(200))
            let error = try await networkingError { _ = try await session.data(for: request) }
            #expect(error.code == .waitingTimeout && error.contains(.connectFailed), "\(error)")
            #expect(error.message.contains("only connection"), "\(error)")
        }
    }

    // MARK: Many

    @Test(arguments: [true, false])
    func `thousands of waiting requests end with their session or one by one`(byInvalidation: Bool) async throws {
        try await FaultServer.run(Self.endless) { server in
            let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = 1 }
            try await withEngine(configuration) { session, engine in
                let stream = try await session.open(Request(to: server.baseURL))
                let request = try Request(to: server.baseURL, timeouts: Timeouts(request: Self.long))
                let tasks = (0..<3000).map { _ in session.dataTask(for: request) }
                for task in tasks { task.resume() }
                try await until("all wait") { engine.waitingExchanges == tasks.count }
                if byInvalidation { session.invalidate() } else { tasks.forEach { $0.cancel() } }
                for task in tasks {
                    let error = try await networkingError { _ = try await task.value }
                    guard error.code == (byInvalidation ? .sessionInvalidated : .cancelled) else {
                        throw error
                    }
                }
                #expect(engine.waitingExchanges == 0 && server.requests.count == 1)
                withExtendedLifetime(stream) {}
            }
        }
    }

    @Test func `each of many waiting requests has its own request timeout`() async throws {
        try await FaultServer.run(Self.endless) { server in
            let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = 1 }
            try await withEngine(configuration) { session, engine in
                let stream = try await session.open(Request(to: server.baseURL))
                func send(_ time: Duration) throws -> DataTask<Data> {
                    let task = session.dataTask(for: try Request(to: server.baseURL, timeouts: Timeouts(request: time)))
                    task.resume()
                    return task
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        _ = try send(Self.long)
                        let time = Duration.milliseconds(10 + number * 37 % 200)
                        let start = ContinuousClock.now
                        let task = try send(time)
                        group.addTask {
                            let error = try await networkingError { try await task.value }
                            let elapsed = ContinuousClock.now - start
                            #expect(error.code == .requestTimeout, "\(error)")
                            #expect(elapsed >= time)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(engine.waitingExchanges == 100, "the requests with the long timeout still wait")
                withExtendedLifetime(stream) {}
            }
        }
    }
}
