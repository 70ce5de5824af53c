import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// `Expect: 100-continue` (RFC 9110 §10.1.1) over sockets.
@Suite(.timeLimit(.minutes(5)))
struct ExpectContinueTests {
    private static let text = "the body"

    /// A body that can be read once, and counts how often it is asked for bytes.
    private static func body(_ asked: Counter) -> RequestBody {
        .stream(
            AsyncStream(unfolding: {
                asked.increment() == 1 ? Array(Self.text.utf8) : nil
            })
        )
    }

    /// A request that waits for 100 Continue without a limit, unless `wait` is one.
    private static func request(
        _ server: FaultServer,
        _ body: RequestBody?,
        wait: Duration? = nil,
        whole: Duration? = nil
    ) throws -> Request {
        var request = try Request(.post, to: server.baseURL, body: body)
        request.expectsContinue = true
        request.timeouts = Timeouts(request: whole, continueWait: wait)
        return request
    }

    @Test func `the request body follows 100 Continue, not before`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readHead, .informational(103), .hold(gate), .informational(100), .readRequest, .respond(body: "ok"),
        ]
        try await FaultServer.run(script) { server in
            try await withEngine { session, engine in
                let asked = Counter()
                let task = session.dataTask(for: try Self.request(server, Self.body(asked)))
                task.resume()
                try await server.wait("the 103") { $0.connections.first?.bytesSent ?? 0 > 0 }
                let askedBefore = try await settled { asked.value }
                #expect(askedBefore == 0)
                gate.open()
                let response = try await task.response
                #expect(response.value == Data("ok".utf8))
                #expect(response.informational.map(\.status.code) == [103, 100])
                let seen = try #require(server.requests.first)
                #expect(seen.bodyText == Self.text && seen.values(of: "expect") == ["100-continue"])
                #expect(engine.openConnections == 1, "the connection stays open")
            }
        }
    }

    @Test func `the first-byte time is that of the final response, not of 100 Continue`() async throws {
        let script: FaultServer.Script = [.readHead, .informational(100), .readRequest, .respond(body: "ok")]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let response = try await session.data(for: Self.request(server, .string(Self.text)))
                let sent = try #require(response.timings.requestSent)
                let first = try #require(response.timings.firstByte)
                #expect(first >= sent)
            }
        }
    }

    @Test func `a late 100 Continue is not the beginning of the response`() async throws {
        try await FaultServer.run([.readRequest, .informational(100), .stall]) { server in
            try await withSession { session in
                var request = try Self.request(server, .string(Self.text))
                request.timeouts = Timeouts(
                    firstByte: .milliseconds(200),
                    betweenBytes: .seconds(30),
                    continueWait: .milliseconds(20)
                )
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .firstByteTimeout)
            }
        }
    }

    @Test(arguments: [102, 103, 104])
    func `an informational response is not the beginning of the response`(status: Int) async throws {
        try await FaultServer.run([.readRequest, .informational(status), .stall]) { server in
            try await withSession { session in
                var request = try Request(.post, to: server.baseURL, body: .string(Self.text))
                request.timeouts = Timeouts(firstByte: .milliseconds(200), betweenBytes: .seconds(30))
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .firstByteTimeout)
            }
        }
    }

    @Test func `after an informational response a server may be as slow as before`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .informational(103), .wait(.milliseconds(300)), .respond(body: "ok"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                var request = try Request(to: server.baseURL)
                request.timeouts = Timeouts(firstByte: .seconds(30), betweenBytes: .milliseconds(50))
                #expect(try await session.data(for: request).value == Data("ok".utf8))
            }
        }
    }

    @Test func `a response that begins behind an informational one has begun`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-"), .stall,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                var request = try Request(to: server.baseURL)
                request.timeouts = Timeouts(firstByte: .seconds(30), betweenBytes: .milliseconds(200))
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .betweenBytesTimeout)
            }
        }
    }

    @Test func `a body in memory waits for 100 Continue, which may come together with the response`() async throws {
        let script: FaultServer.Script = [
            .readHead, .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .readRequest,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let response = try await session.data(for: Self.request(server, .string(Self.text)))
                #expect(response.value == Data("ok".utf8))
                #expect(response.timings.firstByte != nil)
            }
        }
    }

    @Test func `a server that does not send 100 Continue gets the body when the wait is over`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withSession { session in
                let request = try Self.request(server, .string(Self.text), wait: .milliseconds(20))
                let response = try await session.data(for: request)
                #expect(response.value == Data("ok".utf8))
                #expect(server.requests.first?.bodyText == Self.text)
            }
        }
    }

    @Test(arguments: [200, 401, 413]) func `a response before 100 Continue is delivered, and the body is never sent`(
        status: Int
    ) async throws {
        try await FaultServer.run([.readHead, .respond(status, body: "no need")]) { server in
            try await withEngine { session, engine in
                let asked = Counter()
                let response = try await session.data(for: Self.request(server, Self.body(asked)))
                #expect(response.status.code == status)
                #expect(response.value == Data("no need".utf8))
                try await server.waitUntilClientClosed(connection: 0)
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
                #expect(asked.value == 0 && server.requests.isEmpty)
            }
        }
    }

    @Test func `after a 417 the request is sent again without Expect, with its unsent body`() async throws {
        let script = FaultServer.Script.connections([
            [.readHead, .respond(417, body: "no expectations")], [.readRequest, .respond(body: "ok")],
        ])
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let response = try await session.data(for: Self.request(server, Self.body(Counter())))
                #expect(response.value == Data("ok".utf8) && response.retries == 1)
                let seen = try #require(server.requests.first)
                #expect(seen.bodyText == Self.text && seen.value(of: "expect") == nil)
                #expect(server.connections.count == 2)
            }
        }
    }

    @Test func `the request is sent again after a 417 whose body does not come`() async throws {
        let refusal = "HTTP/1.1 417 No\r\nContent-Length: 50000\r\n\r\n"
        let drip = FaultStep.drip(String(repeating: "x", count: 50_000), every: .milliseconds(20))
        for last in [FaultStep.stall, drip] {
            let script = FaultServer.Script.connections([
                [.readHead, .send(refusal), last], [.readRequest, .respond(body: "ok")],
            ])
            try await FaultServer.run(script) { server in
                try await withSession { session in
                    var request = try Self.request(server, Self.body(Counter()))
                    request.timeouts?.betweenBytes = nil
                    let response = try await session.data(for: request)
                    #expect(response.value == Data("ok".utf8) && response.retries == 1)
                }
            }
        }
    }

    @Test func `a 417 after the body fails a request whose body cannot be sent again`() async throws {
        try await FaultServer.run([.readHead, .informational(100), .readRequest, .respond(417)]) { server in
            try await withSession { session in
                let response = try await session.data(for: Self.request(server, Self.body(Counter())))
                #expect(response.status.code == 417 && response.retries == 0)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a 417 to a request without an expectation is an ordinary response`() async throws {
        try await FaultServer.run([.readRequest, .respond(417)]) { server in
            try await withSession { session in
                let request = try Request(.post, to: server.baseURL, body: .string(Self.text))
                let response = try await session.data(for: request)
                #expect(response.status.code == 417)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a redirect before 100 Continue keeps a body that can be read only once`() async throws {
        let script = FaultServer.Script.connections([
            [.readHead, .respond(307, headers: [("Location", "/there")])],
            [.readHead, .informational(100), .readRequest, .respond(body: "ok")],
        ])
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let response = try await session.data(for: Self.request(server, Self.body(Counter())))
                #expect(response.value == Data("ok".utf8))
                #expect(server.requests.map(\.target) == ["/there"])
                #expect(server.requests.first?.bodyText == Self.text)
            }
        }
    }

    @Test func `the request timeout holds during the wait for 100 Continue`() async throws {
        try await FaultServer.run([.readHead, .stall]) { server in
            try await withSession { session in
                let request = try Self.request(server, .string(Self.text), whole: .milliseconds(200))
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .requestTimeout, "\(error)")
            }
        }
    }

    @Test func `without a continue wait the first-byte timeout limits the wait for 100 Continue`() async throws {
        try await FaultServer.run([.readHead, .stall]) { server in
            try await withSession { session in
                var request = try Self.request(server, .string(Self.text))
                request.timeouts = Timeouts(firstByte: .milliseconds(200), continueWait: nil)
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .firstByteTimeout, "\(error)")
            }
        }
    }

    @Test func `a task suspended during the wait for 100 Continue goes on when it is resumed`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readHead, .hold(gate), .informational(100), .readRequest, .respond(body: "ok"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Self.request(server, .string(Self.text)))
                task.resume()
                try await server.wait("the head") { $0.connections.first?.bytesReceived ?? 0 > 0 }
                task.suspend()
                gate.open()
                try await server.wait("the 100 Continue") { $0.connections[0].bytesSent > 0 }
                task.resume()
                let value = try await task.value
                #expect(value == Data("ok".utf8))
            }
        }
    }

    @Test func `a close during the wait for 100 Continue fails the request with connectionLost`() async throws {
        try await FaultServer.run([.readHead, .close]) { server in
            try await withSession { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Self.request(server, .string(Self.text)))
                }
                #expect(error.code == .connectionLost, "\(error)")
            }
        }
    }

    @Test func `100 Continue is not awaited from a server that responded as HTTP/1.0`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"),
            .readRequest, .respond(body: "ok"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let response = try await session.data(for: Self.request(server, .string(Self.text)))
                #expect(response.value == Data("ok".utf8) && server.connections.count == 1)
            }
        }
    }

    @Test func `a suspended task does not send its body, even after the idle time of its connection`() async throws {
        try await patiently { idle in
            let gate = FaultGate()
            let script: FaultServer.Script = [
                .readRequest, .respond(body: "ok"), .readHead, .hold(gate), .informational(100), .readRequest,
                .respond(body: "ok"),
            ]
            try await FaultServer.run(script) { server in
                let configuration = SessionConfiguration { $0.idleConnectionTimeout = idle }
                try await withSession(configuration) { session in
                    _ = try await session.data(for: Request(to: server.baseURL))
                    let before = server.connections.first?.bytesReceived ?? 0
                    let asked = Counter()
                    let task = session.dataTask(for: try Self.request(server, Self.body(asked)))
                    task.resume()
                    try await server.wait("the second head") {
                        $0.connections.count > 1 || $0.connections.first?.bytesReceived ?? 0 > before
                    }
                    task.suspend()
                    gate.open()
                    // Time enough for the connection's idle time to be over, if it still counted.
                    try await Task.sleep(for: idle * 1.6)
                    guard server.connections.count == 1 else {
                        throw Unmet(description: "the connection was not used again")
                    }
                    #expect(asked.value == 0)
                    task.resume()
                    #expect(try await task.value == Data("ok".utf8))
                }
            }
        }
    }

    // MARK: When Expect is sent

    private struct ExpectCase: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var isSent: Bool
        var change: @Sendable (inout Request, inout SessionConfiguration) -> Void
    }

    private static let expectCases = [
        ExpectCase(testDescription: "by default", isSent: false) { _, _ in },
        ExpectCase(testDescription: "asked for", isSent: true) { request, _ in request.expectsContinue = true },
        ExpectCase(testDescription: "own field", isSent: true) { request, _ in
            request.headerFields[.expect] = "100-Continue"
        },
        ExpectCase(testDescription: "at the threshold", isSent: true) { $1.continueThreshold = 8 },
        ExpectCase(testDescription: "below the threshold", isSent: false) { $1.continueThreshold = 9 },
        ExpectCase(testDescription: "declined", isSent: false) { request, configuration in
            configuration.continueThreshold = 0
            request.expectsContinue = false
        },
        ExpectCase(testDescription: "of unknown length", isSent: true) { request, configuration in
            configuration.continueThreshold = 1 << 20
            request.body = Self.body(Counter())
        },
        ExpectCase(testDescription: "no body", isSent: false) { request, configuration in
            configuration.continueThreshold = 0
            request.expectsContinue = true
            request.headerFields[.expect] = "100-continue"
            request.body = nil
        },
        ExpectCase(testDescription: "an empty body", isSent: false) { request, configuration in
            configuration.continueThreshold = 0
            request.expectsContinue = true
            request.body = .string("")
        },
    ]

    @Test(arguments: expectCases) private func `Expect is sent where 100 Continue is asked for and there is a body`(
        expectCase: ExpectCase
    ) async throws {
        try await FaultServer.run([.readHead, .informational(100), .readRequest, .respond(body: "ok")]) { server in
            var request = try Request(.post, to: server.baseURL, body: .string(Self.text))
            var configuration = SessionConfiguration()
            expectCase.change(&request, &configuration)
            try await withSession(configuration) { session in
                _ = try await session.data(for: request)
                let seen = try #require(server.requests.first)
                #expect(seen.values(of: "expect").count == (expectCase.isSent ? 1 : 0))
            }
        }
    }
}
