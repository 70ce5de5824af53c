import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Which connection serves which request, and which one is never used again.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionReuseTests {
    private static let ok = FaultServer.Script.requests { _ in [.respond(body: "ok")] }
    private static let single = SessionConfiguration { $0.maximumConnectionsPerHost = 1 }

    @Test func `requests one after the other share one connection`() async throws {
        try await FaultServer.run(Self.ok) { server in
            try await withEngine { session, engine in
                var reused: [Bool] = []
                for number in 0..<10 {
                    let response = try await session.data(for: Request(to: server.baseURL + "/\(number)"))
                    reused.append(response.timings.isConnectionReused)
                    #expect(response.retries == 0)
                    #expect((response.timings.connect == nil) == response.timings.isConnectionReused)
                }
                #expect(reused == [false] + Array(repeating: true, count: 9))
                #expect(server.connections.count == 1)
                #expect(server.requests.map(\.target) == (0..<10).map { "/\($0)" })
                #expect(engine.openConnections == 1)
            }
        }
    }

    @Test func `a streamed body that was read to its end gives its connection back`() async throws {
        try await FaultServer.run(Self.ok) { server in
            try await withSession { session in
                for _ in 0..<3 {
                    let response = try await session.open(Request(to: server.baseURL))
                    let body = try await response.body.collect()
                    #expect(body == Data("ok".utf8))
                }
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x, Close\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison",
    ])
    func `a connection is closed after a response that forbids its reuse`(responseText: String) async throws {
        try await FaultServer.run([.readRequest, .send(responseText), .startOver]) { server in
            try await withSession { session in
                for number in 0..<2 {
                    let response = try await session.data(for: Request(to: server.baseURL))
                    #expect(response.value == Data("ok".utf8))
                    #expect(!response.timings.isConnectionReused)
                    try await server.waitUntilClientClosed(connection: number)
                }
                #expect(server.connections.count == 2)
            }
        }
    }

    @Test func `an HTTP/1.0 response with keep-alive keeps its connection`() async throws {
        let responseText = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok"
        try await FaultServer.run([.readRequest, .send(responseText), .startOver]) { server in
            try await withSession { session in
                for _ in 0..<3 { _ = try await session.data(for: Request(to: server.baseURL)) }
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `a request with Connection close closes its connection`() async throws {
        // RFC 9112 §9.6: a client that sends "close" sends nothing after it.
        try await FaultServer.run(Self.ok) { server in
            try await withSession { session in
                var request = try Request(to: server.baseURL)
                request.headerFields[.connection] = "close"
                _ = try await session.data(for: request)
                try await server.waitUntilClientClosed(connection: 0)
                _ = try await session.data(for: Request(to: server.baseURL))
                #expect(server.connections.count == 2)
            }
        }
    }

    @Test func `bytes on an idle connection close it`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .respond(body: "ok"), .hold(gate), .send("HTTP/1.1 408 Request Timeout\r\n\r\n"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                gate.open()
                try await server.waitUntilClientClosed(connection: 0)
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("ok".utf8))
                #expect(response.retries == 0)
            }
        }
    }

    @Test func `an idle connection is closed when its idle time is over`() async throws {
        try await FaultServer.run(Self.ok) { server in
            let configuration = SessionConfiguration { $0.idleConnectionTimeout = .milliseconds(50) }
            try await withEngine(configuration) { session, engine in
                _ = try await session.data(for: Request(to: server.baseURL))
                try await server.waitUntilClientClosed(connection: 0)
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
            }
        }
    }

    // MARK: Limit and order

    @Test(arguments: [1, 6]) func `there are never more connections than allowed`(limit: Int) async throws {
        try await FaultServer.run(Self.ok) { server in
            let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = limit }
            try await withEngine(configuration) { session, engine in
                let requests = try (0..<50).map { try Request(to: server.baseURL + "/\($0)") }
                let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
                    for request in requests {
                        group.addTask { try await session.data(for: request).value }
                    }
                    return try await group.reduce(into: [Data]()) { $0.append($1) }
                }
                #expect(bodies == Array(repeating: Data("ok".utf8), count: 50))
                #expect(server.connections.count <= limit)
                #expect(Set(server.requests.map(\.target)).count == 50)
                #expect(engine.openConnections <= limit && engine.waitingExchanges == 0)
            }
        }
    }

    @Test func `waiting requests are served in the order they came`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            request.target == "/0" ? [.hold(gate), .respond(body: "ok")] : [.respond(body: "ok")]
        }
        try await FaultServer.run(script) { server in
            try await withEngine(Self.single) { session, engine in
                let tasks = try (0..<20).map { number in
                    try session.dataTask(for: Request(to: server.baseURL + "/\(number)"))
                }
                tasks[0].resume()
                try await server.waitForRequests(1)
                for (number, task) in tasks.enumerated().dropFirst() {
                    task.resume()
                    try await until("request \(number) waits") { engine.waitingExchanges == number }
                }
                gate.open()
                for task in tasks { _ = try await task.value }
                #expect(server.requests.map(\.target) == (0..<20).map { "/\($0)" })
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `origins do not share connections`() async throws {
        try await FaultServer.run(Self.ok) { one in
            try await FaultServer.run(Self.ok) { other in
                try await withEngine(Self.single) { session, engine in
                    for url in [one.baseURL, other.baseURL, one.baseURL, other.baseURL] {
                        _ = try await session.data(for: Request(to: url))
                    }
                    #expect(one.connections.count == 1 && other.connections.count == 1)
                    #expect(engine.openConnections == 2)
                }
            }
        }
    }

    @Test func `a connection that waits for its server's closing alert delays no request`() async throws {
        let certificates = try TestCertificates.shared()
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .respond(headers: [("Connection", "close")], body: "ok"), .stopReading, .hold(gate), .cut,
        ]
        try await FaultServer.run(script, options: .init(tls: ServerTLS(certificates.localhost))) { server in
            var configuration = SessionConfiguration(trusting: certificates.authority) { $0.closingTime = .seconds(60) }
            configuration.maximumConnectionsPerHost = 1
            configuration.timeouts.waiting = .seconds(20)
            try await withEngine(configuration) { session, engine in
                for _ in 0..<3 { _ = try await session.data(for: Request(to: server.baseURL)) }
                #expect(engine.openConnections == 3 && server.connections.count == 3)
                gate.open()
            }
        }
    }

    @Test(arguments: [FaultStep.close, .halfClose, .reset])
    func `a response that comes while the body is sent is not lost with the connection`(end: FaultStep) async throws {
        // The server has not read the body when it closes, so its system resets the connection.
        let gate = FaultGate()
        try await FaultServer.run([.readHead, .stopReading, .respond(413, body: "no"), .hold(gate), end]) { server in
            try await withSession { session in
                let body = RequestBody.data(Data(count: 64 << 20))
                let task = session.dataTask(for: try Request(.post, to: server.baseURL, body: body))
                task.resume()
                try await server.wait("the response") { ($0.connections.first?.bytesSent ?? 0) > 0 }
                gate.open()
                let value = try await task.value
                #expect(value == Data("no".utf8) && task.head?.status.code == 413)
            }
        }
    }
}
