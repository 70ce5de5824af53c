import HTTPTypes
import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Each of the timeouts fires where it must, also in the middle of a body, and nowhere else.
/// `WaitingTests` has the wait for a connection.
@Suite(.timeLimit(.minutes(5)))
struct TimeoutTests {
    private static let short = Duration.milliseconds(100)
    private static let half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"

    /// Sends one request and expects it to end with the code, long before every other timeout.
    private func expect(
        _ code: NetworkingError.Code,
        of url: String,
        _ timeouts: Timeouts,
        _ reading: ResponseReading,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withEngine(SessionConfiguration { $0.timeouts = timeouts }) { session, engine in
            let start = ContinuousClock.now
            let error = try await networkingError {
                _ = try await reading.body(of: Request(to: url), in: session)
            }
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            #expect(ContinuousClock.now - start < .seconds(20), sourceLocation: sourceLocation)
            #expect(error.isTimeout && session.tasks.isEmpty, sourceLocation: sourceLocation)
            #expect(engine.waitingExchanges == 0, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `a TLS handshake without a response ends with the connect timeout`(reading: ResponseReading) async throws {
        try await FaultServer.run([.stall]) { server in
            let url = "https://127.0.0.1:\(server.port)/"
            // Long enough to reach the server: the trust roots are read first.
            try await expect(.connectTimeout, of: url, Timeouts(connect: .seconds(3)), reading)
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a connection that is never accepted ends with the connect timeout`() async throws {
        try await FaultServer.run([.stall], options: .init(acceptsConnections: false)) { server in
            try await expect(.connectTimeout, of: server.baseURL, Timeouts(connect: Self.short), .collected)
        }
    }

    @Test func `an exchange does not fail with the connect timeout of another one`() async throws {
        try await FaultServer.run([.stall], options: .init(acceptsConnections: false)) { server in
            let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = 1 }
            try await withEngine(configuration) { session, engine in
                func send(_ connect: Duration) throws -> DataTask<Data> {
                    let timeouts = Timeouts(connect: connect)
                    let task = try session.dataTask(for: Request(to: server.baseURL, timeouts: timeouts))
                    task.resume()
                    return task
                }
                let first = try send(.milliseconds(100))
                // On a busy machine, its 100 ms may be over before the test looks.
                try await until("the first one waits") {
                    engine.waitingExchanges == 1 || first.state == .completed
                }
                let second = try send(.milliseconds(1700))
                for (task, time) in [(first, "100 ms"), (second, "1700 ms")] {
                    let error = try await networkingError { _ = try await task.value }
                    #expect(error.code == .connectTimeout && error.message.contains(time), "\(error)")
                }
            }
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `a server that does not respond ends with the first-byte timeout`(reading: ResponseReading) async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await expect(.firstByteTimeout, of: server.baseURL, Timeouts(firstByte: Self.short), reading)
            try await server.waitUntilClosed(connection: 0)
        }
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nConte", half], ResponseReading.allCases)
    func `a stall inside the response ends with the between-bytes timeout`(
        beginning: String,
        reading: ResponseReading
    ) async throws {
        try await FaultServer.run([.readRequest, .send(beginning), .stall]) { server in
            try await expect(.betweenBytesTimeout, of: server.baseURL, Timeouts(betweenBytes: Self.short), reading)
            try await server.waitUntilClosed(connection: 0)
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `a dripping response does not hold off the request timeout`(reading: ResponseReading) async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"),
            .drip(String(repeating: "x", count: 5000), every: .milliseconds(10)),
        ]
        try await FaultServer.run(script) { server in
            try await expect(.requestTimeout, of: server.baseURL, Timeouts(request: .milliseconds(300)), reading)
            try await server.waitUntilClosed(connection: 0)
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `the request timeout runs before the first byte too`(reading: ResponseReading) async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await expect(.requestTimeout, of: server.baseURL, Timeouts(request: Self.short), reading)
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `the request timeout runs while the connection is being made`(reading: ResponseReading) async throws {
        try await FaultServer.run([.stall], options: .init(acceptsConnections: false)) { server in
            let timeouts = Timeouts(connect: .seconds(1), request: Self.short)
            try await expect(.requestTimeout, of: server.baseURL, timeouts, reading)
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `the request timeout runs while a request waits for a connection`(reading: ResponseReading) async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "late")]) { server in
            let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = 1 }
            try await withEngine(configuration) { session, engine in
                let first = try session.dataTask(for: Request(to: server.baseURL))
                first.resume()
                try await server.waitForRequests(1)
                let waiting = try Request(to: server.baseURL, timeouts: Timeouts(request: Self.short))
                let error = try await networkingError {
                    _ = try await reading.body(of: waiting, in: session)
                }
                #expect(error.code == .requestTimeout, "\(error)")
                #expect(engine.waitingExchanges == 0)
                gate.open()
                let body = try await first.value
                #expect(body == Data("late".utf8))
                #expect(server.requests.count == 1)
            }
        }
    }

    // MARK: What must not fire

    @Test func `an unread body does not end with the between-bytes timeout`() async throws {
        let count = 32 << 20
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"), .fill(7, count: count),
        ]
        try await patiently { timeout in
            try await FaultServer.run(script) { server in
                let configuration = SessionConfiguration { $0.timeouts.betweenBytes = timeout }
                try await withSession(configuration) { session in
                    let response = try await session.open(Request(to: server.baseURL))
                    // Time enough for the timeout to fire, if it ran.
                    try await Task.sleep(for: timeout * 1.6)
                    let body = try await response.body.collect()
                    #expect(body.count == count)
                }
            }
        }
    }

    @Test func `a suspended task does not end with the between-bytes timeout`() async throws {
        try await patiently { timeout in
            let gate = FaultGate()
            try await FaultServer.run([.readRequest, .send(Self.half), .hold(gate), .send("-whole")]) { server in
                let configuration = SessionConfiguration { $0.timeouts.betweenBytes = timeout }
                try await withSession(configuration) { session in
                    let task = try session.dataTask(for: Request(to: server.baseURL))
                    let progress = task.progress
                    task.resume()
                    for await now in progress where now.download.completed == 4 { break }
                    task.suspend()
                    // Bytes that arrive during the suspension must not start the clock again.
                    gate.open()
                    try await server.wait("the rest was sent") { record in
                        record.connections[0].bytesSent == Self.half.utf8.count + 6
                    }
                    try await Task.sleep(for: timeout * 1.6)
                    guard task.state == .suspended else {
                        throw Unmet(description: "suspended no longer: \(task.state)")
                    }
                    task.resume()
                    let body = try await task.value
                    #expect(body == Data("half-whole".utf8))
                }
            }
        }
    }
}
