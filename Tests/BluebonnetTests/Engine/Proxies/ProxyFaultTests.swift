import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Proxies that fail, at each step.
@Suite(.timeLimit(.minutes(3)))
struct ProxyFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var kind = Proxy.Kind.http
        var script: [FaultStep]
        var code: NetworkingError.Code
        var text = ""

        var testDescription: String { name }
    }

    private static let greeting = [UInt8]([5, 0])

    static let cases = [
        Case(name: "closes at once", script: [.close], code: .proxyConnectFailed),
        Case(name: "resets", script: [.readRequest, .reset], code: .proxyConnectFailed),
        Case(name: "closes after the request", script: [.readRequest, .close], code: .proxyConnectFailed),
        Case(
            name: "closes inside the head",
            script: [.readRequest, .send("HTTP/1.1 200 O"), .close],
            code: .proxyResponseInvalid
        ),
        Case(name: "is no HTTP", script: [.readRequest, .send("SSH-2.0-x\r\n")], code: .proxyResponseInvalid),
        Case(
            name: "has a huge head",
            script: [.readRequest, .send("HTTP/1.1 200 OK\r\nA: "), .fill(0x61, count: 100_000)],
            code: .proxyResponseInvalid
        ),
        Case(
            name: "refuses",
            script: [.readRequest, .respond(403, body: "because")],
            code: .proxyRefused,
            text: "403"
        ),
        Case(
            name: "cannot reach the server",
            script: [.readRequest, .respond(502, body: "because"), .close],
            code: .proxyRefused,
            text: "502"
        ),
        Case(
            name: "redirects",
            script: [.readRequest, .respond(302, headers: [("Location", "http://a/")], body: "because")],
            code: .proxyRefused,
            text: "302"
        ),
        Case(
            name: "wants a credential",
            script: [.readRequest, .respond(407, body: "because")],
            code: .proxyAuthenticationFailed,
            text: "407"
        ),
        Case(
            name: "is no SOCKS",
            kind: .socks5h,
            script: [.readBytes(3), .send("HTTP/1.1")],
            code: .proxyResponseInvalid
        ),
        Case(
            name: "closes SOCKS",
            kind: .socks5h,
            script: [.readBytes(3), .send([5]), .close],
            code: .proxyConnectFailed
        ),
        Case(
            name: "wants a login of SOCKS",
            kind: .socks5h,
            script: [.readBytes(3), .send([5, 0xFF])],
            code: .proxyAuthenticationFailed
        ),
        Case(
            name: "refuses by SOCKS 5",
            kind: .socks5h,
            script: [.readBytes(3), .send(greeting), .readBytes(20), .send([5, 4, 0, 1, 0, 0, 0, 0, 0, 0])],
            code: .proxyRefused,
            text: "host is unreachable"
        ),
        Case(
            name: "refuses by SOCKS 4",
            kind: .socks4a,
            script: [.readBytes(20), .send([0, 0x5B, 0, 0, 0, 0, 0, 0])],
            code: .proxyRefused
        ),
        Case(
            name: "is no TLS",
            kind: .https,
            script: [.readBytes(3), .send("HTTP/1.1 400 No\r\n\r\n")],
            code: .proxyTLSFailed
        ),
        Case(name: "closes TLS", kind: .https, script: [.readBytes(3), .close], code: .proxyTLSFailed),
    ]

    @Test(arguments: cases)
    func `a proxy that fails is an error of its own that says so`(fault: Case) async throws {
        try await FaultServer.run(.steps(fault.script)) { proxy in
            try await withSession(ProxyScripts.configuration(fault.kind, port: proxy.port)) { session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: "https://one.example/"))
                }
                #expect(error.code == fault.code, "\(error)")
                #expect(error.message.contains("proxy \(fault.kind)://"), "\(error.message)")
                #expect(fault.text.isEmpty || error.message.contains(fault.text), "\(error.message)")
                if !fault.text.isEmpty, fault.kind == .http {
                    #expect(error.bodyString == "because")
                    #expect(error.response.map { "\($0.statusCode)" } == fault.text)
                }
                #expect(error.metrics?.transactions.last?.proxy != nil)
            }
            try await proxy.waitForClosed(proxy.connections.count)
        }
    }

    static let stalls: [(Proxy.Kind, [FaultStep])] = [
        (.http, [.stall]), (.http, [.readRequest, .send("HTTP/1.1 200 O"), .stall]),
        (.http, [.readRequest, .send("HTTP/1.1 407 No\r\nContent-Length: 5\r\n\r\nx"), .stall]),
        (.socks5h, [.stall]), (.socks5h, [.readBytes(3), .send([5]), .stall]),
        (.socks5h, [.readBytes(3), .send([5, 0]), .stall]),
        (.socks5h, [.readBytes(3), .send([5, 0]), .readBytes(20), .send([5, 0, 0, 1, 0]), .stall]),
        (.socks4a, [.stall]), (.https, [.stall]),
    ]

    @Test(arguments: stalls)
    func `a proxy that stops at any step is a timeout of its own`(kind: Proxy.Kind, script: [FaultStep]) async throws {
        // Within this time, the proxy must have accepted the connection.
        try await patiently(first: [.milliseconds(150), .seconds(1)], last: .seconds(5)) { timeout in
            try await FaultServer.run(.steps(script)) { proxy in
                let configuration = try ProxyScripts.configuration(kind, port: proxy.port) {
                    $0.timeouts.connect = timeout
                }
                try await withSession(configuration) { session in
                    let error = try await networkingError {
                        try await session.data(for: Request(to: "https://one.example/"))
                    }
                    #expect(error.code == .proxyTimeout, "\(error)")
                    #expect(error.message.contains("proxy \(kind)://"))
                    guard !proxy.connections.isEmpty else { throw Unmet(description: "no connection") }
                    try await proxy.waitUntilClientClosed()
                }
            }
        }
    }

    @Test func `a server that stops behind the proxy is a timeout of the connection`() async throws {
        // Within this time, the proxy must have opened its tunnel.
        try await patiently(first: [.milliseconds(150), .seconds(1)], last: .seconds(5)) { timeout in
            try await FaultServer.run([.stall]) { origin in
                try await FaultServer.run(ProxyScripts.connect(to: origin.port)) { proxy in
                    let configuration = try ProxyScripts.configuration(port: proxy.port) {
                        $0.timeouts.connect = timeout
                    }
                    try await withSession(configuration) { session in
                        let error = try await networkingError {
                            try await session.data(for: Request(to: "https://localhost/"))
                        }
                        guard error.code == .connectTimeout, error.message.contains("through the proxy") else {
                            throw Unmet(description: "another error: \(error)")
                        }
                    }
                }
            }
        }
    }

    /// A name server that sends nothing.
    private struct SilentResolver: NameResolver {
        func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses {
            try await Task.sleep(for: .seconds(3600))
            return FoundAddresses([])
        }
    }

    @Test func `a name that is not found in time is the fault of its name server, not of the proxy`() async throws {
        // Within this time, the proxy must be connected to.
        try await patiently(first: [.milliseconds(500), .seconds(2)], last: .seconds(5)) { timeout in
            try await FaultServer.run([.stall]) { proxy in
                let configuration = try ProxyScripts.configuration(.socks5, port: proxy.port) {
                    $0.nameResolver = SilentResolver()
                    $0.timeouts.connect = timeout
                }
                try await withSession(configuration) { session in
                    let error = try await networkingError {
                        try await session.data(for: Request(to: "https://server.example/"))
                    }
                    guard error.code == .dnsLookupTimeout, error.message.contains("“server.example”") else {
                        throw Unmet(description: "another error: \(error)")
                    }
                    var request = try Request(to: "https://server.example/")
                    request.proxies = .proxy(try Proxy("http://proxy.example:1"))
                    let fault = try await networkingError { try await session.data(for: request) }
                    guard fault.code == .proxyTimeout, fault.message.contains("was not resolved") else {
                        throw Unmet(description: "another error: \(fault)")
                    }
                }
            }
        }
    }

    @Test func `refusals are the error where the lookup of the other family does not end`() async throws {
        let script: [FaultStep] = [
            .readBytes(3), .send(Self.greeting), .readBytes(13), .send([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]),
        ]
        let resolver = HalfSilentResolver(["127.0.0.1", "127.0.0.2"])
        // Within this time, the proxy must have refused both addresses.
        try await patiently(first: [.milliseconds(500), .seconds(2)], last: .seconds(5)) { timeout in
            try await FaultServer.run(.steps(script)) { proxy in
                let configuration = try ProxyScripts.configuration(.socks5, port: proxy.port) {
                    $0.nameResolver = resolver
                    $0.timeouts.connect = timeout
                }
                let missing = "The addresses of IPv6 were not found"
                try await withSession(configuration) { session in
                    var request = try Request(to: "https://server.example/")
                    let refusal = try await networkingError { try await session.data(for: request) }
                    guard refusal.code == .proxyRefused, refusal.message.contains("to server.example:443: "),
                        refusal.message.contains(missing), proxy.connections.count > 2
                    else { throw Unmet(description: "another error: \(refusal)") }
                    request.proxies = .proxy(try Proxy(.http, host: "proxy.example", port: FaultServer.unusedPort))
                    let fault = try await networkingError { try await session.data(for: request) }
                    guard fault.code == .proxyConnectFailed, fault.message.contains("refused (127.0.0.1, 127.0.0.2)"),
                        fault.message.contains(missing)
                    else { throw Unmet(description: "another error: \(fault)") }
                }
            }
        }
    }

    @Test func `a proxy that is not there, or whose name is not found, is an error of its own`() async throws {
        try await withSession(ProxyScripts.configuration(port: FaultServer.unusedPort)) { session in
            for url in ["http://one.example/", "https://one.example/"] {
                let error = try await networkingError { try await session.data(for: Request(to: url)) }
                #expect(error.code == .proxyConnectFailed, "\(error)")
            }
        }
        let unknown = try Proxy("http://proxy.example:1")
        let configuration = SessionConfiguration {
            $0.proxies = .proxy(unknown)
            $0.nameResolver = StubResolver()
        }
        try await withSession(configuration) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://127.0.0.1:1/")) }
            #expect(error.code == .proxyConnectFailed, "\(error)")
            #expect(error.message.contains("proxy.example"))
        }
    }

    @Test func `the certificate of a proxy is judged by the policy for proxies alone`() async throws {
        let certificates = try TestCertificates.shared()
        let tls = ServerTLS(certificates.wrongHost)
        try await FaultServer.run([], options: .init(tls: tls)) { proxy in
            let configuration = try ProxyScripts.configuration(.https, port: proxy.port) {
                $0.securityPolicy = .acceptingAnyCertificate
            }
            try await withSession(configuration) { session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: "https://one.example/"))
                }
                #expect(error.code == .proxyUntrusted, "\(error)")
                #expect(error.trustRefusal?.rule == .host)
            }
            #expect(proxy.requests.isEmpty)
        }
    }

    @Test func `the policy for proxies does not count for servers`() async throws {
        let certificates = try TestCertificates.shared()
        try await FaultServer.run(ProxyScripts.ok, options: .init(tls: ServerTLS(certificates.wrongHost))) { origin in
            try await FaultServer.run(
                ProxyScripts.connect(to: origin.port),
                options: .init(tls: ServerTLS(certificates.wrongHost))
            ) {
                proxy in
                let configuration = try ProxyScripts.configuration(.https, port: proxy.port) {
                    $0.proxySecurityPolicy = .acceptingAnyCertificate
                }
                try await withSession(configuration) { session in
                    let error = try await networkingError { try await session.data(for: Request(to: origin.baseURL)) }
                    #expect(error.code == .certificateHostMismatch, "\(error)")
                }
                #expect(proxy.requests.count == 1)
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `a proxy that was sent no credential is not said to have refused it`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(407, headers: [("Proxy-Authenticate", "Negotiate")])]
        }
        try await FaultServer.run(script) { proxy in
            try await withSession(ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)) {
                session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: "https://one.example/"))
                }
                #expect(error.code == .proxyAuthenticationFailed, "\(error)")
                #expect(error.message.lowercased().contains("wants it by negotiate"), "\(error)")
                #expect(!error.message.contains("given"), "\(error)")
            }
            #expect(proxy.requests.count == 1)
        }
    }

    @Test func `no challenge makes a proxy be asked without end`() async throws {
        let field =
            #"Digest realm="p", qop="auth", nonce="n1", stale=true, Digest realm="p", qop="auth", nonce="n2", stale=true"#
        let script = FaultServer.Script.requests { _ in [.respond(407, headers: [("Proxy-Authenticate", field)])] }
        try await FaultServer.run(script) { proxy in
            try await withSession(ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)) {
                session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: "https://one.example/"))
                }
                #expect(error.code == .proxyAuthenticationFailed, "\(error)")
                #expect(error.response?.statusCode == 407)
            }
            #expect(proxy.requests.count <= 1 + ProxyAuthentication.mostAnswers)
        }
    }
}
