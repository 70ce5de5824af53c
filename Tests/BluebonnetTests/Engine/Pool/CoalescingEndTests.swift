import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The end of a shared connection, and of its use by a host that the server refuses there.
@Suite(.timeLimit(.minutes(5)))
struct CoalescingEndTests: CoalescingTesting {
    let certificates: TestCertificates
    private let options: HTTP2FaultServer.Options

    init() throws {
        certificates = try TestCertificates.shared()
        let shared = try certificates.issue(for: [.dns("a.test"), .dns("*.b.test")])
        options = .init(tls: ServerTLS(shared, applicationProtocols: ["h2", "http/1.1"]))
    }

    // MARK: 421

    /// Refuses on its first connection what is not for `a.test`.
    private static let refusing = HTTP2FaultServer.Script.requests { request in
        request.connection == 0 && !request.authority.hasPrefix("a.")
            ? [.respond(421, body: "not here")] : [.respond(body: "\(request.method) \(request.bodyLength)")]
    }

    @Test func `421 sends the request again on a connection of its own, and later ones at once`() async throws {
        try await HTTP2FaultServer.run(Self.refusing, options: options) { server in
            try await withSession(configuration(server)) { session in
                _ = try await text(url("a.test", server), in: session)
                let request = try Request(.post, to: url("x.b.test", server), body: .data(Data(count: 100_000)))
                let response = try await session.data(for: request)
                #expect(response.value == Data("POST 100000".utf8))
                #expect(response.retries == 1 && response.head.httpVersion == .http2)
                #expect(response.metrics.transactions.map(\.isConnectionReused) == [true, false])
                #expect(response.metrics.transactions.first?.response?.status.code == 421)
                #expect(try await text(url("x.b.test", server), in: session) == "GET 0")
                // The other host is not refused there.
                #expect(try await text(url("a.test", server), in: session) == "GET 0")
            }
            #expect(server.requests.map(\.connection).sorted() == [0, 0, 0, 1, 1])
            #expect(server.record.serverNames == ["a.test", "x.b.test"] && server.record.http1Requests == 0)
        }
    }

    @Test func `a server that says 421 on the own connection too is asked over HTTP 1`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            [.respond(request.authority.hasPrefix("a.") ? 200 : 421, body: "h2")]
        }
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(configuration(server)) { session in
                _ = try await text(url("a.test", server), in: session)
                let response = try await session.data(for: Request(to: url("x.b.test", server)))
                #expect(response.value == Data("HTTP/1.1".utf8) && response.retries == 2)
            }
            #expect(server.requests.count == 3 && server.record.http1Requests == 1)
        }
    }

    @Test func `a body that can be read once is not sent again, and the response is 421`() async throws {
        try await HTTP2FaultServer.run(Self.refusing, options: options) { server in
            try await withSession(configuration(server)) { session in
                _ = try await text(url("a.test", server), in: session)
                let pieces = AsyncStream<Data> { continuation in
                    continuation.yield(Data("x".utf8))
                    continuation.finish()
                }
                let request = try Request(.post, to: url("x.b.test", server), body: .stream(pieces))
                let response = try await session.open(request)
                #expect(response.statusCode == 421 && response.retries == 0)
                let body = try await response.body.collect()
                #expect(body == Data("not here".utf8))
                #expect(try await text(url("x.b.test", server), in: session) == "GET 0")
            }
            // On a busy machine, a second attempt may have a connection that is not used.
            let connections = server.requests.map(\.connection)
            #expect(connections.prefix(2) == [0, 0] && connections.count == 3 && connections[2] > 0)
        }
    }

    @Test func `HTTP_1_1_REQUIRED is about the host of the request`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            [request.authority.hasPrefix("a.") ? .respond(body: "h2") : .resetStream(.http11Required)]
        }
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(configuration(server)) { session in
                for (host, expected) in [("a.test", "h2"), ("x.b.test", "HTTP/1.1"), ("a.test", "h2")] {
                    let found = try await text(url(host, server), in: session)
                    #expect(found == expected)
                }
            }
            #expect(server.requests.count == 3 && server.record.http1Requests == 1)
        }
    }

    // MARK: The end of the connection

    @Test func `after GOAWAY each host finds its way again`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            [.respond(body: "\(request.connection)")] + (request.path == "/last" ? [.goAway()] : [])
        }
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withEngine(configuration(server)) { session, engine in
                #expect(try await text(url("a.test", server), in: session) == "0")
                #expect(try await text(url("x.b.test", server, "last"), in: session) == "0")
                try await server.waitUntilClosed(connection: 0)
                // The first is connected to, the others use that connection. Its number may be
                // larger than 1: another test may have tried the port, which was free before.
                var numbers: [String] = []
                for host in ["x.b.test", "a.test", "y.b.test"] {
                    numbers.append(try await text(url(host, server), in: session))
                }
                #expect(Set(numbers).count == 1 && numbers[0] != "0", "\(numbers)")
                try await until("one connection is left") { engine.openConnections == 1 }
            }
            #expect(server.record.serverNames == ["a.test", "x.b.test"])
        }
    }

    @Test func `GOAWAY gives the requests of all hosts that it does not process to other connections`() async throws {
        // The first connection processes one request of 40.
        let script = HTTP2FaultServer.Script.heads { request in
            if request.connection > 0 { return [.respond(body: "x")] }
            if request.path == "/" { return [.respond(body: "x")] }
            return request.number == 20 ? [.goAway(lastStream: 1)] : []
        }
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withEngine(configuration(server)) { session, engine in
                _ = try await text(url("a.test", server), in: session)
                let results = await bodies(of: 40, in: session) { number in
                    let host = number % 2 == 0 ? "a.test" : "\(number).b.test"
                    return try Request(.post, to: url(host, server, "\(number)"), body: .string("x"))
                }
                for result in results { #expect(try result.get() == "x") }
                #expect(engine.waitingExchanges == 0)
            }
            // Each of them had one response.
            let responded = server.requests.filter { $0.connection > 0 }.map(\.path)
            #expect(Set(responded).count == 40 && responded.count == 40)
        }
    }

    @Test func `a host whose further connection is refused does not fail the request of another one`() async throws {
        let gate = FaultGate()
        defer { gate.open() }
        let script = HTTP2FaultServer.Script.requests { request in
            request.path == "/held" ? [.hold(gate), .respond(body: "held")] : [.respond(body: "x")]
        }
        var options = options
        options.settings = [.maxConcurrentStreams: 1]
        try await HTTP2FaultServer.run(script, options: options) { server in
            let connections = Counter()
            var policy = SecurityPolicy()
            policy.decision = { _ in connections.increment() == 1 ? .accept : .refuse("the second one") }
            var configuration = try configuration(server)
            configuration.hostSecurityPolicies = ["a.test": policy]
            try await withSession(configuration) { session in
                _ = try await text(url("a.test", server), in: session)
                _ = try await text(url("x.b.test", server), in: session)
                async let held = text(url("a.test", server, "held"), in: session)
                try await server.waitForRequests(3)
                let other = try await text(url("x.b.test", server), in: session)
                #expect(other == "x")
                gate.open()
                let first = try await held
                #expect(first == "held")
            }
            #expect(server.record.serverNames == ["a.test", "a.test", "x.b.test"])
        }
    }

    @Test func `a connection that is lost fails a request of another host with its own name`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            request.authority.hasPrefix("a.") ? [.respond(body: "x")] : [.cut]
        }
        try await HTTP2FaultServer.run(script, options: options) { server in
            try await withSession(configuration(server)) { session in
                _ = try await text(url("a.test", server), in: session)
                let request = try Request(.post, to: url("x.b.test", server), body: .string("x"))
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .connectionLost, "\(error)")
                #expect(error.message.contains("x.b.test:\(server.port)"), "\(error)")
                #expect(try await text(url("a.test", server), in: session) == "x")
            }
            // Others may connect to a port that they take for closed, but they name no server.
            #expect(server.record.serverNames == ["a.test", "a.test"])
        }
    }
}
