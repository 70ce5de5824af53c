import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Tunnels on the streams of one HTTP/2 connection to a proxy (RFC 9113 §8.5).
@Suite(.timeLimit(.minutes(3)))
struct HTTP2ProxyTests {
    /// Runs with an origin behind TLS, and a proxy that takes HTTP/2.
    private static func run(
        _ respond: @escaping @Sendable (HTTP2FaultServer.Request, _ port: Int) -> [HTTP2FaultStep] = {
            [.tunnel(to: $1)]
        },
        origin script: FaultServer.Script = ProxyScripts.ok,
        settings: [WireFrame.Setting: UInt32] = [:],
        protocols: [String] = ["h2", "http/1.1"],
        credential: Credential? = nil,
        change: (inout SessionConfiguration) -> Void = { _ in },
        _ work: (SessionManager, HTTP2FaultServer, FaultServer) async throws -> Void
    ) async throws {
        try await FaultServer.run(script, options: .init(tls: ProxyScripts.tls())) { origin in
            let port = origin.port
            let script = HTTP2FaultServer.Script.heads { respond($0, port) }
            let options = try HTTP2FaultServer.Options(tls: ProxyScripts.tls(protocols), settings: settings)
            try await HTTP2FaultServer.run(script, options: options) { proxy in
                let configuration = try ProxyScripts.configuration(
                    .https,
                    port: proxy.port,
                    credential: credential,
                    change
                )
                try await withSession(configuration) { try await work($0, proxy, origin) }
            }
        }
    }

    @Test func `tunnels to several servers share one connection to the proxy`() async throws {
        try await Self.run { session, proxy, origin in
            for host in ["localhost", "127.0.0.1", "localhost"] {
                let task = session.dataTask(for: try Request(to: "https://\(host):\(origin.port)/x"))
                task.resume()
                try await #expect(task.response.text == "origin")
                let transaction = try #require(task.metrics?.transactions.first)
                #expect(transaction.proxyProtocolName == "h2")
                #expect(transaction.protocolName == "http/1.1")
                #expect(transaction.tlsVersion == .tls1_3)
                #expect(transaction.remoteEndpoint?.port == proxy.port)
                #expect(transaction.proxy?.description == "https://localhost:\(proxy.port)")
            }
            #expect(proxy.connections.count == 1)
            #expect(proxy.connections[0].applicationProtocol == "h2")
            // RFC 9113 §8.5: no other pseudo-header field.
            let fields = proxy.requests.map { $0.fields.map { "\($0.name): \($0.value)" } }
            #expect(
                fields == [
                    [":method: CONNECT", ":authority: localhost:\(origin.port)"],
                    [":method: CONNECT", ":authority: 127.0.0.1:\(origin.port)"],
                ]
            )
            #expect(origin.connections.count == 2)
            #expect(origin.requests.allSatisfy { $0.target == "/x" })
        }
    }

    @Test func `the first tunnels of a session that come together share a connection, too`() async throws {
        try await Self.run { session, proxy, origin in
            let results = await bodies(of: 8, in: session) { try Request(to: "\(origin.baseURL)/\($0)") }
            for result in results { try #expect(result.get() == "origin") }
            // All but the first one have nothing on them.
            #expect(Set(proxy.requests.map(\.connection)).count == 1)
        }
    }

    @Test func `HTTP/2 is spoken in a tunnel over HTTP/2`() async throws {
        let options = try HTTP2FaultServer.Options(tls: ProxyScripts.tls())
        let body = String(repeating: "0123456789abcdef", count: 40_000)
        try await HTTP2FaultServer.run(.requests { _ in [.respond(body: body)] }, options: options) { origin in
            let port = origin.port
            try await HTTP2FaultServer.run(.heads { _ in [.tunnel(to: port)] }, options: options) { proxy in
                try await withSession(ProxyScripts.configuration(.https, port: proxy.port)) { session in
                    let sent = [UInt8](repeating: 7, count: 300_000)
                    let request = try Request(.post, to: origin.baseURL, body: .data(Data(sent)))
                    let response = try await session.data(for: request)
                    #expect(response.text == body)
                    #expect(response.head.httpVersion == .http2)
                    #expect(origin.requests.first?.body == sent)
                }
                #expect(proxy.connections.count == 1)
            }
            #expect(origin.connections.count == 1)
        }
    }

    @Test func `a proxy that does not agree to HTTP/2 is spoken to over HTTP/1.1`() async throws {
        try await Self.run(protocols: ["http/1.1"]) { session, proxy, origin in
            // It knows no CONNECT.
            _ = try await networkingError { try await session.data(for: Request(to: origin.baseURL)) }
            #expect(proxy.record.http1Requests == 1)
        }
    }

    @Test func `a session with HTTP/1.1 alone offers a proxy nothing else`() async throws {
        try await Self.run(change: { $0.httpVersions = .http1_1 }) { session, proxy, origin in
            _ = try await networkingError { try await session.data(for: Request(to: origin.baseURL)) }
            #expect(proxy.connections.map(\.applicationProtocol) == ["http/1.1"])
        }
    }

    @Test(
        arguments: [
            // RFC 9113 §7, HTTP_1_1_REQUIRED.
            [.resetStream(.http11Required)], [.resetStream(.protocolError)],
            [.goAway(lastStream: 0, .protocolError), .close], [.goAway(.protocolError), .close],
            // What may be left of such a GOAWAY.
            [.reset], [.close],
        ] as [[HTTP2FaultStep]]
    )
    func `a proxy that wants HTTP/1.1 behind HTTP/2, or knows no CONNECT there, gets it`(
        steps: [HTTP2FaultStep]
    ) async throws {
        try await Self.run({ _, _ in steps }) { session, proxy, origin in
            _ = try await networkingError { try await session.data(for: Request(to: origin.baseURL)) }
            #expect(proxy.connections.map(\.applicationProtocol) == ["h2", "http/1.1"])
            #expect(proxy.record.http1Requests == 1)
        }
    }

    @Test func `a WebSocket goes through a tunnel over HTTP/2, also for ws`() async throws {
        for isSecure in [false, true] {
            try await WebSocketServer.run(tls: isSecure ? ProxyScripts.tls() : nil, WebSocketServer.echo) { server in
                let port = server.port
                let options = try HTTP2FaultServer.Options(tls: ProxyScripts.tls())
                try await HTTP2FaultServer.run(.heads { _ in [.tunnel(to: port)] }, options: options) { proxy in
                    try await withSession(ProxyScripts.configuration(.https, port: proxy.port)) { session in
                        let socket = try session.webSocket(to: server)
                        try await socket.send("hello")
                        try await socket.expect(.text("hello"))
                        await socket.close()
                    }
                    #expect(proxy.connections.count == 1)
                    #expect(proxy.requests.map(\.method) == ["CONNECT"])
                }
            }
        }
    }

    // MARK: Credentials

    @Test func `a credential is sent at once where that is wanted`() async throws {
        try await Self.run(credential: ProxyScripts.eagerAda) { session, proxy, origin in
            try await #expect(session.data(for: Request(to: origin.baseURL)).text == "origin")
            #expect(proxy.requests.map { $0.value(of: "proxy-authorization") } == [ProxyScripts.basic])
            #expect(origin.requests.allSatisfy { $0.value(of: "Proxy-Authorization") == nil })
        }
    }

    @Test(arguments: ["Basic realm=x", #"Digest realm="p", qop="auth", nonce="n""#])
    func `a challenge is answered on another stream, and then known`(challenge: String) async throws {
        let respond: @Sendable (HTTP2FaultServer.Request, Int) -> [HTTP2FaultStep] = { request, port in
            guard request.value(of: "proxy-authorization") == nil else { return [.tunnel(to: port)] }
            return [.respond(407, [("proxy-authenticate", challenge)], body: "no")]
        }
        try await Self.run(respond, credential: ProxyScripts.ada) { session, proxy, origin in
            for host in ["localhost", "127.0.0.1"] {
                try await #expect(session.data(for: Request(to: "https://\(host):\(origin.port)/")).text == "origin")
            }
            #expect(proxy.connections.count == 1)
            let fields = proxy.requests.map { $0.value(of: "proxy-authorization") }
            #expect(fields.count == 3 && fields[0] == nil)
            if challenge.hasPrefix("Basic") {
                #expect(fields.dropFirst().allSatisfy { $0 == ProxyScripts.basic })
            } else {
                #expect(fields[1]?.contains(#"uri="localhost:\#(origin.port)""#) == true)
                #expect(fields[1]?.contains("nc=00000001") == true)
                #expect(fields[2]?.contains("nc=00000002") == true)
            }
        }
    }

    // MARK: Refusals and faults

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [HTTP2FaultStep]
        let code: NetworkingError.Code
        var status: Int?
    }

    static let refusals = [
        Refusal(
            testDescription: "refuses",
            steps: [.respond(403, body: "because")],
            code: .proxyRefused,
            status: 403
        ),
        Refusal(
            testDescription: "cannot reach the server",
            steps: [.head(502), .body("because", endStream: false)],
            code: .proxyRefused,
            status: 502
        ),
        Refusal(
            testDescription: "wants a credential",
            steps: [.respond(407, [("proxy-authenticate", "Basic realm=x")], body: "because")],
            code: .proxyAuthenticationFailed,
            status: 407
        ),
        Refusal(testDescription: "resets the stream", steps: [.resetStream(.connectError)], code: .proxyRefused),
        Refusal(
            testDescription: "opens a tunnel that has ended",
            steps: [.head(endStream: true)],
            code: .proxyConnectFailed
        ),
        Refusal(
            testDescription: "sends content before the response",
            steps: [.body("x", endStream: false)],
            code: .proxyResponseInvalid
        ),
        Refusal(
            testDescription: "switches protocols",
            steps: [.head(101)],
            code: .proxyResponseInvalid
        ),
        Refusal(testDescription: "says nothing", steps: [], code: .proxyTimeout),
    ]

    @Test(arguments: refusals)
    func `a proxy that opens no tunnel is an error of its own that says so`(refusal: Refusal) async throws {
        let steps = refusal.steps
        try await Self.run({ _, _ in steps }) { session, proxy, origin in
            var request = try Request(to: origin.baseURL)
            if steps.isEmpty { request.timeouts = Timeouts(connect: .milliseconds(400)) }
            let error = try await networkingError { [request] in try await session.data(for: request) }
            #expect(error.code == refusal.code, "\(error)")
            #expect(error.message.contains("proxy https://localhost:\(proxy.port)"), "\(error)")
            #expect(error.response?.statusCode == refusal.status)
            if refusal.status != nil { #expect(error.bodyString == "because") }
            #expect(error.request?.url.absoluteString == origin.baseURL)
            let transaction = try #require(error.metrics?.transactions.last)
            #expect(transaction.proxy != nil && transaction.connectionIdentifier == nil)
            #expect(origin.connections.isEmpty)
        }
    }

    @Test func `a tunnel that was refused for now is asked for again`() async throws {
        // RFC 9113 §8.7.
        let count = Counter()
        let respond: @Sendable (HTTP2FaultServer.Request, Int) -> [HTTP2FaultStep] = { _, port in
            count.increment() == 1 ? [.resetStream(.refusedStream)] : [.tunnel(to: port)]
        }
        try await Self.run(respond) { session, proxy, origin in
            try await #expect(session.data(for: Request(to: origin.baseURL)).text == "origin")
            #expect(proxy.requests.count == 2 && proxy.connections.count == 1)
        }
    }

    @Test func `tunnels go on behind a GOAWAY, and the next one is on a new connection`() async throws {
        let respond: @Sendable (HTTP2FaultServer.Request, Int) -> [HTTP2FaultStep] = { request, port in
            [.tunnel(to: port)] + (request.connection == 0 ? [.goAway()] : [])
        }
        try await Self.run(respond) { session, proxy, origin in
            for host in ["localhost", "localhost", "127.0.0.1"] {
                try await #expect(session.data(for: Request(to: "https://\(host):\(origin.port)/")).text == "origin")
            }
            #expect(proxy.requests.map(\.connection) == [0, 1])
            #expect(origin.connections.count == 2)
        }
    }

    @Test(arguments: [[HTTP2FaultStep.resetStream(.connectError)], [.cut]])
    func `a tunnel that is lost fails the request in it, and the next one gets another`(
        end: [HTTP2FaultStep]
    ) async throws {
        let gate = FaultGate()
        let respond: @Sendable (HTTP2FaultServer.Request, Int) -> [HTTP2FaultStep] = { request, port in
            let isFirst = request.connection + request.number == 0
            return [.tunnel(to: port)] + (isFirst ? [.hold(gate)] + end : [])
        }
        let count = Counter()
        let script = FaultServer.Script.requests { _ in
            count.increment() == 1 ? [.stall] : [.respond(body: "origin")]
        }
        try await Self.run(respond, origin: script) { session, proxy, origin in
            let request = try Request(.post, to: origin.baseURL, body: .string("x"))
            async let lost = networkingError { try await session.data(for: request) }
            try await until("the request has come") { origin.requests.count == 1 }
            gate.open()
            let error = try await lost
            #expect(error.code == .connectionLost, "\(error)")
            #expect(error.message.contains("proxy https://localhost:\(proxy.port)"), "\(error)")
            try await #expect(session.data(for: request).text == "origin")
            #expect(proxy.requests.count == 2)
        }
    }

    @Test func `a limit of streams is kept to, and further tunnels get another connection`() async throws {
        try await Self.run(settings: [.maxConcurrentStreams: 1]) { session, proxy, origin in
            // An idle connection in a tunnel keeps its stream.
            for host in ["localhost", "127.0.0.1", "localhost"] {
                try await #expect(session.data(for: Request(to: "https://\(host):\(origin.port)/")).text == "origin")
            }
            #expect(proxy.requests.map(\.connection) == [0, 1])
        }
    }

    @Test func `a request that is cancelled ends its tunnel alone`() async throws {
        let script = FaultServer.Script.requests { _ in [.stall] }
        try await Self.run(origin: script) { session, proxy, origin in
            let task = session.dataTask(for: try Request(to: origin.baseURL))
            task.resume()
            try await until("the request has come") { origin.requests.count == 1 }
            task.cancel()
            try await proxy.wait("the end of the stream") { $0.requests.first?.isWhole == true }
            #expect(!proxy.connections[0].isClosed)
        }
    }

    @Test func `the end of a session ends what is in tunnels with its own error`() async throws {
        let script = FaultServer.Script.requests { _ in [.stall] }
        try await Self.run(origin: script) { session, _, origin in
            async let error = networkingError { try await session.data(for: Request(to: origin.baseURL)) }
            try await until("the request has come") { origin.requests.count == 1 }
            session.invalidate()
            try await #expect(error.code == .sessionInvalidated)
        }
    }

    private static let large = 24 << 20

    @Test func `a response that is not read holds its tunnel up, and no other one`() async throws {
        let script = FaultServer.Script.requests { request in
            guard request.target == "/large" else { return [.respond(body: "origin")] }
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.large)\r\n\r\n"), .fill(0x61, count: Self.large)]
        }
        try await Self.run(origin: script) { session, proxy, origin in
            let large = session.dataTask(for: try Request(to: "\(origin.baseURL)/large"))
            large.resume()
            try await until("some has come") { proxy.connections.first?.bodyBytesSent ?? 0 > 1 << 20 }
            large.suspend()
            try await #expect(session.data(for: Request(to: "https://127.0.0.1:\(origin.port)/")).text == "origin")
            // The window of a stream, and what was on its way.
            let sent = try await settled { proxy.connections[0].bodyBytesSent }
            #expect(sent < Self.large - (4 << 20))
            large.resume()
            try await #expect(large.response.value.count == Self.large)
        }
    }
}
