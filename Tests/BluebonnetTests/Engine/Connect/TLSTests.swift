import HTTPTypes
import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The servers that a session trusts, the errors for all others, and the end of TLS.
@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var name: String
        var code: NetworkingError.Code
        var identity: @Sendable (TestCertificates) -> TestIdentity

        var testDescription: String { name }
    }

    static let refusals = [
        Refusal(name: "an unknown authority", code: .certificateUntrusted) { $0.untrusted },
        Refusal(name: "a self-signed certificate", code: .certificateUntrusted) { $0.selfSigned },
        Refusal(name: "an expired certificate", code: .certificateExpired) { $0.expired },
        Refusal(name: "a certificate that is not valid yet", code: .certificateNotYetValid) { $0.notYetValid },
        Refusal(name: "a certificate for another host", code: .certificateHostMismatch) { $0.wrongHost },
    ]

    private static let ok: FaultServer.Script = [.readRequest, .respond(body: "ok"), .startOver]

    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func trusting(_ change: (inout TLSSettings) -> Void = { _ in }) -> SessionConfiguration {
        SessionConfiguration(trusting: certificates.authority, change)
    }

    private var insecure: SessionConfiguration {
        var configuration = trusting()
        configuration.securityPolicy = .acceptingAnyCertificate
        return configuration
    }

    private func options(_ identity: TestIdentity) -> FaultServer.Options {
        FaultServer.Options(tls: ServerTLS(identity))
    }

    // MARK: Trust

    @Test func `requests to a server of a trusted authority share one TLS connection`() async throws {
        try await FaultServer.run(Self.ok, options: options(certificates.localhost)) { server in
            try await withSession(trusting()) { session in
                let first = try await session.data(for: Request(to: server.baseURL))
                #expect(first.value == Data("ok".utf8))
                #expect(first.timings.tls != nil)
                let second = try await session.data(for: Request(to: server.baseURL))
                #expect(second.timings.tls == nil && second.timings.isConnectionReused)
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `a trusted authority can be read from a file`() async throws {
        try await certificates.withFiles { files in
            try await FaultServer.run(Self.ok, options: options(certificates.localhost)) { server in
                try await withSession(trusting { $0.trustRoots = .file(files.authority) }) { session in
                    let response = try await session.data(for: Request(to: server.baseURL))
                    #expect(response.status.code == 200)
                }
            }
        }
    }

    @Test func `a certificate for an IP address is accepted for it`() async throws {
        try await FaultServer.run(Self.ok, options: options(certificates.localhost)) { server in
            try await withSession(trusting()) { session in
                let response = try await session.data(for: Request(to: "https://127.0.0.1:\(server.port)/"))
                #expect(response.status.code == 200)
                #expect(server.record.serverNames.isEmpty)
            }
        }
    }

    @Test(arguments: refusals, ResponseReading.allCases)
    func `an invalid certificate is refused at once, in one attempt, with the reason`(
        refusal: Refusal,
        reading: ResponseReading
    ) async throws {
        try await FaultServer.run(Self.ok, options: options(refusal.identity(certificates))) { server in
            try await withEngine(trusting()) { session, engine in
                let start = ContinuousClock.now
                let error = try await networkingError {
                    _ = try await reading.body(of: Request(to: server.baseURL), in: session)
                }
                #expect(error.code == refusal.code, "\(error)")
                #expect(ContinuousClock.now - start < .seconds(20))
                #expect(error.message.contains("localhost:\(server.port)"))
                try await server.waitUntilClosed(connection: 0)
                #expect(server.connections.count == 1 && server.requests.isEmpty)
                #expect(session.tasks.isEmpty && engine.openConnections == 0)
            }
        }
    }

    @Test(arguments: refusals) func `with verification off no certificate is refused`(refusal: Refusal) async throws {
        try await FaultServer.run(Self.ok, options: options(refusal.identity(certificates))) { server in
            try await withSession(insecure) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("ok".utf8))
            }
        }
    }

    @Test func `an authority that cannot be read has its own error code`() async throws {
        for roots in [TLSSettings.TrustRoots.file("/nonexistent/authority.pem"), .pem("not a certificate")] {
            try await withSession(trusting { $0.trustRoots = roots }) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "https://127.0.0.1:1/"))
                }
                #expect(error.code == .invalidTrustConfiguration, "\(error)")
            }
        }
    }

    @Test func `an https request to a server without TLS fails with tlsFailed`() async throws {
        try await FaultServer.run([.send("HTTP/1.1 400 Bad Request\r\n\r\n"), .close]) { server in
            try await withSession(trusting()) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "https://127.0.0.1:\(server.port)/"))
                }
                #expect(error.code == .tlsFailed, "\(error)")
            }
        }
    }

    /// Most servers that speak TLS end the connection without a byte; for some methods, that of
    /// BoringSSL sends an alert.
    @Test(arguments: [HTTPRequest.Method.get, .head, .post, .put, .delete, .options, .patch])
    func `the error about a request by http to a server that speaks TLS says so`(
        method: HTTPRequest.Method
    ) async throws {
        try await FaultServer.run(Self.ok, options: options(certificates.localhost)) { server in
            try await withSession(SessionConfiguration()) { session in
                let request = try Request(method, to: "http://127.0.0.1:\(server.port)/")
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .connectionLost || error.code == .malformedStatusLine, "\(error)")
                #expect(error.message.contains("https://"), "\(error)")
            }
        }
    }

    @Test func `the error about a connection that ends without a byte says that it may need TLS`() async throws {
        let early = FaultStep.informational(103)
        let ends: [([FaultStep], Bool)] = [([.close], true), ([.reset], true), ([early, .close], false)]
        for (end, isHinted) in ends {
            try await FaultServer.run(.steps([.readRequest] + end)) { server in
                try await withSession(SessionConfiguration()) { session in
                    let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                    let hint = " If the server speaks TLS, its URLs begin with https://."
                    #expect(error.message.hasSuffix(hint) == isHinted, "\(error)")
                }
            }
        }
        try await FaultServer.run([.readRequest, .close], options: options(certificates.localhost)) { server in
            try await withSession(trusting()) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .connectionLost && !error.message.contains("https://"), "\(error)")
            }
        }
    }

    @Test func `an alert in response to a request by http says that the server speaks TLS`() async throws {
        // “Protocol version”.
        let script: FaultServer.Script = [.readRequest, .send([0x15, 3, 1, 0, 2, 2, 70]), .close]
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration()) { session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == .malformedStatusLine && error.message.contains("https://"), "\(error)")
            }
        }
    }

    // MARK: Client certificates

    private func serverAsking(_ version: ServerTLS.Version) -> FaultServer.Options {
        FaultServer.Options(
            tls: ServerTLS(
                certificates.localhost,
                clientAuthorities: [certificates.authority],
                minimumVersion: version,
                maximumVersion: version
            )
        )
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `a client certificate is sent to a server that requires one`(version: ServerTLS.Version) async throws {
        try await certificates.withFiles { files in
            let identity = TLSSettings.Identity(
                certificateFile: files.path("client.pem"),
                privateKeyFile: files.path("client.key")
            )
            try await FaultServer.run(Self.ok, options: serverAsking(version)) { server in
                try await withSession(trusting { $0.identity = identity }) { session in
                    let response = try await session.data(for: Request(to: server.baseURL))
                    #expect(response.value == Data("ok".utf8))
                }
            }
        }
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `a missing client certificate fails the request`(version: ServerTLS.Version) async throws {
        try await FaultServer.run(Self.ok, options: serverAsking(version)) { server in
            try await withSession(trusting()) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                // In TLS 1.3 the server refuses after the client has finished its handshake; its
                // alert may be lost in the reset that follows.
                #expect(
                    error.code == .tlsFailed || version == .tls13 && error.code == .connectionLost,
                    "\(error)"
                )
                #expect(server.requests.isEmpty)
            }
        }
    }

    // MARK: Names and ends

    @Test func `the handshake names the server and the protocol`() async throws {
        let tls = ServerTLS(certificates.localhost, applicationProtocols: ["h2", "http/1.1"])
        try await FaultServer.run(Self.ok, options: .init(tls: tls)) { server in
            var configuration = trusting()
            configuration.httpVersions = .http1_1
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                #expect(server.record.serverNames == ["localhost"])
                #expect(server.connections[0].applicationProtocol == "http/1.1")
            }
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `a body that ends with the connection must end with the closing alert of TLS`(reading: ResponseReading)
        async throws
    {
        let response = FaultStep.send("HTTP/1.1 200 OK\r\n\r\nhalf")
        let script = FaultServer.Script.connections([
            [.readRequest, response, .cut], [.readRequest, response, .close],
        ])
        try await FaultServer.run(script, options: options(certificates.localhost)) { server in
            try await withSession(trusting()) { session in
                let request = try Request(to: server.baseURL)
                let error = try await networkingError { _ = try await reading.body(of: request, in: session) }
                #expect(error.code == .truncatedResponse, "\(error)")
                let body = try await reading.body(of: request, in: session)
                #expect(body == Data("half".utf8))
            }
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `a body that is complete by its length does not need the closing alert of TLS`(reading: ResponseReading)
        async throws
    {
        try await FaultServer.run(
            [.readRequest, .respond(body: "whole"), .cut],
            options: options(certificates.localhost)
        ) {
            server in
            try await withSession(trusting()) { session in
                let body = try await reading.body(of: Request(to: server.baseURL), in: session)
                #expect(body == Data("whole".utf8))
            }
        }
    }
}
