import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Hosts of one server that share its HTTP/2 connection (RFC 9113 §9.1.1).
@Suite(.timeLimit(.minutes(5)))
struct CoalescingTests: CoalescingTesting {
    let certificates: TestCertificates
    /// A certificate for `a.test` and every name below `b.test`.
    private let shared: TestIdentity

    init() throws {
        certificates = try TestCertificates.shared()
        shared = try certificates.issue(for: [.dns("a.test"), .dns("*.b.test")])
    }

    private func options(_ protocols: [String] = ["h2", "http/1.1"]) -> HTTP2FaultServer.Options {
        .init(tls: ServerTLS(shared, applicationProtocols: protocols))
    }

    private static let echo = HTTP2FaultServer.Script.requests { [.respond(body: $0.authority)] }

    // MARK: What is shared

    @Test func `hosts of one certificate and one address share a connection, and metrics tell it`() async throws {
        try await HTTP2FaultServer.run(Self.echo, options: options()) { server in
            try await withEngine(configuration(server)) { session, engine in
                let first = try await session.data(for: Request(to: url("a.test", server)))
                let second = try await session.data(for: Request(to: url("x.b.test", server)))
                #expect(String(decoding: second.value, as: UTF8.self) == "x.b.test:\(server.port)")
                #expect(!first.timings.isConnectionReused && second.timings.isConnectionReused)
                #expect(second.timings.connect == nil && second.timings.tls == nil && second.retries == 0)
                let (one, other) = (first.metrics.transactions[0], second.metrics.transactions[0])
                #expect(one.connectionIdentifier == other.connectionIdentifier && other.isConnectionReused)
                #expect(other.remoteEndpoint == NetworkEndpoint(address: "127.0.0.1", port: server.port))
                #expect(other.streamIdentifier == 3 && other.tlsVersion == one.tlsVersion)
                #expect(engine.openConnections == 1)
                try await until("no attempt is left") { engine.attempts == 0 }
            }
            #expect(server.connections.count == 1)
            #expect(server.record.serverNames == ["a.test"])
            #expect(server.requests.map(\.authority) == ["a.test", "x.b.test"].map { "\($0):\(server.port)" })
        }
    }

    @Test func `the name is looked up before, as usual`() async throws {
        try await HTTP2FaultServer.run(Self.echo, options: options()) { server in
            let resolver = StubResolver(["a.test": ["127.0.0.1"], "x.b.test": ["127.0.0.2", "127.0.0.1"]])
            var configuration = SessionConfiguration(trusting: certificates.authority)
            configuration.nameResolver = resolver
            try await withSession(configuration) { session in
                for host in ["a.test", "x.b.test", "x.b.test"] { _ = try await text(url(host, server), in: session) }
                #expect(resolver.lookups(of: "x.b.test") == 1)
                let error = try await networkingError { _ = try await text(url("y.b.test", server), in: session) }
                #expect(error.code == .dnsLookupFailed, "\(error)")
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `requests wait for a stream of the shared connection and are moved with it`() async throws {
        var options = options()
        options.settings = [.maxConcurrentStreams: 2]
        try await HTTP2FaultServer.run(Self.echo, options: options) { server in
            var configuration = try configuration(server)
            configuration.maximumConnectionsPerHost = 1
            try await withSession(configuration) { session in
                _ = try await text(url("a.test", server), in: session)
                let results = await bodies(of: 60, in: session) {
                    try Request(to: url("\($0 % 20).b.test", server))
                }
                for (index, result) in results.enumerated() {
                    #expect(try result.get() == "\(index % 20).b.test:\(server.port)")
                }
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a host that is just being connected to uses a connection that is ready before`() async throws {
        try await HTTP2FaultServer.run(Self.echo, options: options()) { server in
            // Accepts connections, and is silent in the handshake.
            let silent = FaultServer.Options(host: "127.0.0.2", port: server.port)
            try await FaultServer.run([.stall], options: silent) { silent in
                var configuration = try configuration(server)
                let texts = ["*:\(server.port):127.0.0.1", "x.b.test:\(server.port):127.0.0.2,127.0.0.1"]
                configuration.addressOverrides = try AddressOverrides(texts)
                configuration.timeouts.connect = nil
                try await withEngine(configuration) { session, engine in
                    async let waiting = text(url("x.b.test", server), in: session)
                    try await until("the handshake has begun") { silent.connections.first?.bytesReceived ?? 0 > 0 }
                    _ = try await text(url("a.test", server), in: session)
                    let served = try await waiting
                    #expect(served == "x.b.test:\(server.port)")
                    try await until("the attempt is given up") { engine.attempts == 0 }
                    #expect(engine.openConnections == 1)
                }
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `credentials, cookies and fields of one host do not go to the other one`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            [.respond(200, [("set-cookie", "\(request.authority.prefix(1))=1; Secure")], body: "x")]
        }
        try await HTTP2FaultServer.run(script, options: options()) { server in
            var configuration = try configuration(server)
            configuration.cookieJar = CookieJar()
            try await withSession(configuration) { session in
                for host in ["a.test", "x.b.test", "a.test", "x.b.test"] {
                    var request = try Request(to: url(host, server))
                    if host == "a.test" {
                        request.headerFields[.authorization] = "Bearer of-a"
                        request.headerFields[.init("X-Only")!] = "a"
                    }
                    _ = try await session.data(for: request)
                }
            }
            #expect(server.connections.count == 1)
            let requests = server.requests
            #expect(requests.map { $0.value(of: "authorization") } == ["Bearer of-a", nil, "Bearer of-a", nil])
            #expect(requests.map { $0.value(of: "x-only") } == ["a", nil, "a", nil])
            #expect(requests.map { $0.value(of: "cookie") } == [nil, nil, "a=1", "x=1"])
        }
    }

    // MARK: What is not shared

    @Test func `a host that the certificate is not for is refused on a connection of its own`() async throws {
        try await HTTP2FaultServer.run(Self.echo, options: options()) { server in
            try await withSession(configuration(server)) { session in
                _ = try await text(url("a.test", server), in: session)
                for host in ["c.test", "b.test", "x.y.b.test"] {
                    let error = try await networkingError { _ = try await text(url(host, server), in: session) }
                    #expect(error.code == .certificateHostMismatch, "\(host): \(error)")
                }
            }
            #expect(server.requests.count == 1 && server.connections.count == 4)
        }
    }

    @Test func `a host with another address is connected to there`() async throws {
        try await HTTP2FaultServer.run(Self.echo, options: options()) { server in
            var configuration = try configuration(server)
            let texts = ["*:\(server.port):127.0.0.1", "x.b.test:\(server.port):127.0.0.2"]
            configuration.addressOverrides = try AddressOverrides(texts)
            try await withSession(configuration) { session in
                _ = try await text(url("a.test", server), in: session)
                let error = try await networkingError { _ = try await text(url("x.b.test", server), in: session) }
                #expect(error.code == .connectFailed, "\(error)")
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `another port is another server`() async throws {
        try await HTTP2FaultServer.run(Self.echo, options: options()) { server in
            try await HTTP2FaultServer.run(Self.echo, options: options()) { other in
                var configuration = try configuration(server)
                let texts = ["*:\(server.port):127.0.0.1", "*:\(other.port):127.0.0.1"]
                configuration.addressOverrides = try AddressOverrides(texts)
                try await withSession(configuration) { session in
                    for server in [server, other] { _ = try await text(url("a.test", server), in: session) }
                    _ = try await text(url("x.b.test", other), in: session)
                }
                #expect(server.connections.count == 1 && other.connections.count == 1)
                #expect(server.requests.count == 1 && other.requests.count == 2)
            }
        }
    }

    @Test(arguments: ["pins", "decision", "anyName", "identity", "http1"])
    func `a host whose settings want more than this connection has one of its own`(setting: String) async throws {
        try await HTTP2FaultServer.run(Self.echo, options: options()) { server in
            try await certificates.withFiles { files in
                var configuration = try configuration(server)
                var policy = SecurityPolicy()
                switch setting {
                case "pins": policy = .pinning(keys: [try PublicKeyPin("sha256/" + certificates.client.publicKeyPin)])
                case "decision": policy.decision = { _ in .byPolicy }
                case "anyName": policy.validatesDomainName = false
                case "identity":
                    configuration.tls.hostIdentities["*.b.test"] = TLSSettings.Identity(
                        certificateFile: files.path("client.pem"),
                        privateKeyFile: files.path("client.key")
                    )
                default: configuration.httpVersions = .http1_1
                }
                configuration.hostSecurityPolicies = ["*.b.test": policy]
                try await withSession(configuration) { session in
                    _ = try await text(url("a.test", server), in: session)
                    do {
                        _ = try await text(url("x.b.test", server), in: session)
                        #expect(setting != "pins")
                    } catch {
                        #expect((error as? NetworkingError)?.code == .certificateNotPinned && setting == "pins")
                    }
                }
                #expect(server.connections.count == 2)
                #expect(server.record.serverNames == ["a.test", "x.b.test"])
            }
        }
    }

    @Test func `pins of a host that the certificates have let it share the connection`() async throws {
        try await HTTP2FaultServer.run(Self.echo, options: options()) { server in
            var configuration = try configuration(server)
            let pin = try PublicKeyPin("sha256/" + shared.publicKeyPin)
            configuration.hostSecurityPolicies = ["*.b.test": .pinning(keys: [pin])]
            try await withSession(configuration) { session in
                for host in ["a.test", "x.b.test"] { _ = try await text(url(host, server), in: session) }
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a client certificate that a hook has chosen speaks for its own host`() async throws {
        var options = options()
        options.tls?.clientAuthorities = [certificates.authority]
        try await HTTP2FaultServer.run(Self.echo, options: options) { server in
            try await certificates.withFiles { files in
                let identity = TLSSettings.Identity(
                    certificateFile: files.path("client.pem"),
                    privateKeyFile: files.path("client.key")
                )
                let asked = Counter()
                var configuration = try configuration(server)
                configuration.hooks.sessionDidReceiveChallenge = { _ in
                    asked.increment()
                    return .use(Credential(identity: identity))
                }
                try await withSession(configuration) { session in
                    for host in ["a.test", "x.b.test"] { _ = try await text(url(host, server), in: session) }
                }
                #expect(asked.value == 2 && server.connections.count == 2)
            }
        }
    }
}
