import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Requests through tunnels: CONNECT and SOCKS.
@Suite(.timeLimit(.minutes(3)))
struct TunnelTests {
    private static func withOrigin(
        _ script: FaultServer.Script = ProxyScripts.ok,
        _ body: (FaultServer) async throws -> Void
    ) async throws {
        try await FaultServer.run(script, options: .init(tls: ProxyScripts.tls()), body)
    }

    @Test(arguments: [false, true])
    func `https goes through a tunnel, also over TLS to the proxy`(isSecure: Bool) async throws {
        try await Self.withOrigin { origin in
            let options = FaultServer.Options(tls: isSecure ? try ProxyScripts.tls() : nil)
            try await FaultServer.run(ProxyScripts.connect(to: origin.port), options: options) { proxy in
                let kind = isSecure ? Proxy.Kind.https : .http
                let configuration = try ProxyScripts.configuration(
                    kind,
                    port: proxy.port,
                    credential: ProxyScripts.eagerAda
                )
                try await withSession(configuration) { session in
                    for _ in 0..<3 {
                        let task = session.dataTask(for: try Request(to: origin.baseURL))
                        task.resume()
                        try await #expect(task.response.text == "origin")
                        let transaction = try #require(task.metrics?.transactions.first)
                        #expect(transaction.tlsVersion == .tls1_3)
                        #expect(
                            transaction.proxy?.description
                                == "\(kind)://\(isSecure ? "localhost" : "127.0.0.1"):\(proxy.port)"
                        )
                    }
                }
                let request = try #require(proxy.requests.first)
                #expect(proxy.connections.count == 1)
                #expect(request.requestLine == "CONNECT localhost:\(origin.port) HTTP/1.1")
                #expect(request.value(of: "Host") == "localhost:\(origin.port)")
                #expect(request.value(of: "Proxy-Authorization") == ProxyScripts.basic)
            }
            #expect(origin.connections.count == 1)
            #expect(origin.requests.allSatisfy { $0.value(of: "Proxy-Authorization") == nil })
            #expect(origin.requests.allSatisfy { $0.target == "/" })
        }
    }

    @Test func `a field Proxy-Authorization of the user does not pass a tunnel`() async throws {
        try await Self.withOrigin { origin in
            try await FaultServer.run(ProxyScripts.connect(to: origin.port)) { proxy in
                try await withSession(ProxyScripts.configuration(port: proxy.port)) { session in
                    var request = try Request(to: origin.baseURL)
                    request.headerFields[.proxyAuthorization] = ProxyScripts.basic
                    try await #expect(session.data(for: request).text == "origin")
                }
            }
            #expect(origin.requests.map { $0.value(of: "Proxy-Authorization") } == [nil])
        }
    }

    @Test(arguments: ["", "Connection: close\r\n"])
    func `a challenge is answered, on the same connection where it stays open`(field: String) async throws {
        try await Self.withOrigin { origin in
            let refusal =
                "HTTP/1.1 407 No\r\n\(field)Proxy-Authenticate: Basic realm=x\r\nContent-Length: 2\r\n\r\nno"
            let accepted: [FaultStep] = [.readRequest, .tunnel(to: origin.port)]
            let first: [FaultStep] = [.readRequest, .send(refusal)]
            let script: FaultServer.Script =
                field.isEmpty ? .steps(first + accepted) : .connections([first + [.close], accepted])
            try await FaultServer.run(script) { proxy in
                let configuration = try ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)
                try await withSession(configuration) { session in
                    try await #expect(session.data(for: Request(to: origin.baseURL)).text == "origin")
                }
                #expect(proxy.connections.count == (field.isEmpty ? 1 : 2))
                #expect(
                    proxy.requests.map { $0.value(of: "Proxy-Authorization") } == [nil, ProxyScripts.basic]
                )
            }
        }
    }

    @Test func `the nonce of Digest is counted over the tunnels of a proxy`() async throws {
        try await Self.withOrigin { origin in
            let script = FaultServer.Script.requests { request in
                guard let field = request.value(of: "Proxy-Authorization"), field.contains(#"nonce="n""#) else {
                    return [
                        .respond(407, headers: [("Proxy-Authenticate", #"Digest realm="p", qop="auth", nonce="n""#)])
                    ]
                }
                return [.tunnel(to: origin.port)]
            }
            try await FaultServer.run(script) { proxy in
                let configuration = try ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)
                try await withSession(configuration) { session in
                    for host in ["localhost", "127.0.0.1"] {
                        let url = "https://\(host):\(origin.port)"
                        try await #expect(session.data(for: Request(to: url)).text == "origin")
                    }
                }
                let fields = proxy.requests.compactMap { $0.value(of: "Proxy-Authorization") }
                #expect(proxy.requests.count == 3)
                #expect(fields.first?.contains("nc=00000001") == true)
                #expect(fields.first?.contains(#"uri="localhost:\#(origin.port)""#) == true)
                #expect(fields.last?.contains("nc=00000002") == true)
            }
        }
    }

    @Test func `SOCKS 5h sends the name, and SOCKS 5 the address that the session finds`() async throws {
        try await Self.withOrigin { origin in
            let named = ProxyScripts.socks5(to: origin.port, request: 5 + "localhost".utf8.count + 2)
            try await FaultServer.run(.steps(named)) { proxy in
                try await withSession(ProxyScripts.configuration(.socks5h, port: proxy.port)) { session in
                    try await #expect(session.data(for: Request(to: origin.baseURL)).text == "origin")
                }
            }
            let addressed = ProxyScripts.socks5(to: origin.port, request: 10)
            try await FaultServer.run(.steps(addressed)) { proxy in
                let configuration = try ProxyScripts.configuration(.socks5, port: proxy.port) {
                    $0.nameResolver = StubResolver(["localhost": ["127.0.0.1"]])
                }
                try await withSession(configuration) { session in
                    try await #expect(session.data(for: Request(to: origin.baseURL)).text == "origin")
                }
            }
        }
    }

    @Test func `an address that a SOCKS proxy cannot reach is followed by the next one`() async throws {
        try await Self.withOrigin { origin in
            let refusal: [FaultStep] = [
                .readBytes(3), .send([5, 0]), .readBytes(13), .send([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]),
            ]
            let script = FaultServer.Script.connections([
                refusal, ProxyScripts.socks5(to: origin.port, request: 10), refusal,
            ])
            try await FaultServer.run(script) { proxy in
                let resolver = StubResolver(["localhost": ["127.0.0.9", "127.0.0.1"]])
                let configuration = try ProxyScripts.configuration(.socks5, port: proxy.port) {
                    $0.nameResolver = resolver
                }
                try await withSession(configuration) { session in
                    try await #expect(session.data(for: Request(to: origin.baseURL)).text == "origin")
                    let error = try await networkingError {
                        try await session.data(for: Request(to: "https://127.0.0.3/"))
                    }
                    #expect(error.code == .proxyRefused, "\(error)")
                }
                #expect(proxy.connections.count == 3)
            }
        }
    }

    /// Finds an address of IPv4 at once, and one of IPv6 when the gate is open.
    private struct LateResolver: NameResolver {
        let gate: Gate

        func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses {
            if family == .ipv6 { await gate.wait() }
            return FoundAddresses([IPAddress(family == .ipv6 ? "::1" : "127.0.0.9")].compactMap(\.self))
        }
    }

    @Test func `an address of the other family that is found later is tried, too`() async throws {
        try await Self.withOrigin { origin in
            let refusal: [FaultStep] = [
                .readBytes(3), .send([5, 0]), .readBytes(10), .send([5, 4, 0, 1, 0, 0, 0, 0, 0, 0]),
            ]
            let script = FaultServer.Script.connections([refusal, ProxyScripts.socks5(to: origin.port, request: 22)])
            try await FaultServer.run(script) { proxy in
                let gate = Gate()
                let configuration = try ProxyScripts.configuration(.socks5, port: proxy.port) {
                    $0.nameResolver = LateResolver(gate: gate)
                }
                try await withSession(configuration) { session in
                    async let response = session.data(for: Request(to: origin.baseURL))
                    try await until("the first address was refused") { proxy.connections.count == 2 }
                    gate.open()
                    try await #expect(response.text == "origin")
                }
            }
        }
    }

    // MARK: Other endpoints than those of the URL

    @Test func `a tunnel leads to the host and port that are to be connected to, also for http`() async throws {
        try await FaultServer.run(ProxyScripts.ok) { origin in
            try await FaultServer.run(ProxyScripts.connect(to: origin.port)) { proxy in
                let overrides = try EndpointOverrides(["one.example:80:two.example:8080"])
                let configuration = try ProxyScripts.configuration(port: proxy.port) {
                    $0.endpointOverrides = overrides
                }
                try await withSession(configuration) { session in
                    try await #expect(session.data(for: Request(to: "http://one.example/x")).text == "origin")
                }
                #expect(proxy.requests.first?.requestLine == "CONNECT two.example:8080 HTTP/1.1")
            }
            #expect(origin.requests.map(\.target) == ["/x"])
            #expect(origin.requests.first?.value(of: "Host") == "one.example")
            let named: [FaultStep] = [
                .readBytes(3), .send([5, 0]), .readBytes(5 + "two.example".utf8.count + 2),
                .tunnel(to: origin.port, answering: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
            ]
            try await FaultServer.run(.steps(named)) { proxy in
                let overrides = try EndpointOverrides(["::two.example:"])
                let configuration = try ProxyScripts.configuration(.socks5h, port: proxy.port) {
                    $0.endpointOverrides = overrides
                }
                try await withSession(configuration) { session in
                    try await #expect(session.data(for: Request(to: "http://one.example/x")).text == "origin")
                }
            }
        }
    }

    @Test func `SOCKS carries http too, and a proxy over TLS a tunnel for other protocols`() async throws {
        try await FaultServer.run(ProxyScripts.ok) { origin in
            let script: [FaultStep] = [
                .readBytes(9 + "one.example".utf8.count + 1),
                .tunnel(to: origin.port, answering: [0, 0x5A, 0, 0, 0, 0, 0, 0]),
            ]
            try await FaultServer.run(.steps(script)) { proxy in
                try await withSession(ProxyScripts.configuration(.socks4a, port: proxy.port)) { session in
                    try await #expect(session.data(for: Request(to: "http://one.example/x")).text == "origin")
                }
            }
            #expect(origin.requests.map(\.target) == ["/x"])
        }
    }

    @Test func `a request for another protocol gets a tunnel for http, too`() throws {
        let origin = Origin(isSecure: false, endpoint: .host("one.example", port: 80))
        let proxy = try Proxy("http://proxy:1")
        #expect(Route.Passage(proxy, to: origin, needsTunnel: false) == .forwarding(proxy))
        #expect(Route.Passage(proxy, to: origin, needsTunnel: true) == .tunnel(proxy))
        let socks = try Proxy("socks5h://proxy:1")
        #expect(Route.Passage(socks, to: origin, needsTunnel: false) == .tunnel(socks))
    }

    @Test func `bytes behind the response are the server's`() async throws {
        // They are not TLS here, and it is the handshake with the server that fails.
        let script: FaultServer.Script = [.readRequest, .send("HTTP/1.1 200 OK\r\n\r\nthis is no TLS at all")]
        try await FaultServer.run(script) { proxy in
            try await withSession(ProxyScripts.configuration(port: proxy.port)) { session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: "https://one.example/"))
                }
                #expect(error.code == .tlsFailed)
                #expect(error.message.contains("proxy http://127.0.0.1"), "\(error.message)")
            }
        }
    }

    @Test func `a server that sends bytes before each request is not connected to without end`() async throws {
        let early = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        let steps: [FaultStep] = [
            .readBytes(3), .send([5, 0]), .readBytes(21), .send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0] + early), .stall,
        ]
        try await FaultServer.run(.steps(steps)) { proxy in
            let configuration = try ProxyScripts.configuration(.socks5h, port: proxy.port)
            try await withSession(configuration) { session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: "http://one.example/"))
                }
                #expect(error.code == .connectionLost && error.message.contains("Each new connection"), "\(error)")
                #expect(proxy.connections.count == 3)
            }
        }
    }
}
