import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The verdict about chains of certificates in real handshakes.
@Suite(.timeLimit(.minutes(10)))
struct TrustHandshakeTests {
    private static let ok: FaultServer.Script = [.readRequest, .respond(body: "ok"), .startOver]

    private let shop: TrustWorkshop
    private let identity: TestIdentity

    init() throws {
        shop = try TrustWorkshop.shared()
        identity = try TestCertificates.shared().localhost
    }

    private static func live(_ cases: [TrustCase]) -> [(TrustCase, ServerTLS.Version)] {
        cases.filter(\.isLive).flatMap { item in item.versions.map { (item, $0) } }
    }

    @Test(arguments: Self.live(GoodTrustCases.all))
    func `a server with a good chain receives the request`(good: TrustCase, version: ServerTLS.Version) async throws {
        let scene = try good.make(shop)
        let tls = try #require(scene.serverTLS(version, identity))
        try await FaultServer.run(Self.ok, options: scene.options(tls)) { server in
            try await scene.withConfiguration { configuration, _ in
                try await withSession(configuration) { session in
                    let url = "https://\(scene.urlHost):\(server.port)/"
                    let response = try await session.data(for: Request(to: url))
                    #expect(response.value == Data("ok".utf8))
                }
            }
        }
    }

    @Test(arguments: Self.live(BadTrustCases.all))
    func `a server with a bad chain receives no byte of the request`(
        bad: TrustCase,
        version: ServerTLS.Version
    ) async throws {
        let scene = try bad.make(shop)
        let tls = try #require(scene.serverTLS(version, identity))
        try await FaultServer.run(Self.ok, options: scene.options(tls)) { server in
            try await scene.withConfiguration { configuration, _ in
                try await withEngine(configuration) { session, engine in
                    let place = "\(scene.urlHost):\(server.port)"
                    let error = try await networkingError {
                        _ = try await session.data(for: Request(to: "https://\(place)/secret"))
                    }
                    let refusal = try #require(error.trustRefusal, "\(error)")
                    #expect(refusal.rule == bad.rule && error.code == refusal.rule.code, "\(error)")
                    #expect(error.message == refusal.message && error.message.contains(place))
                    #expect(error.code.family == .trust)
                    try await server.waitUntilClosed(connection: 0)
                    // One attempt, and the client never ended the handshake.
                    #expect(server.connections.count == 1 && server.connections[0].bytesReceived == 0)
                    #expect(server.connections[0].tlsVersion == nil)
                    #expect(engine.openConnections == 0)
                }
            }
        }
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `a server that is refused never sees the certificate of the client`(
        version: ServerTLS.Version
    ) async throws {
        // The server knows no authority of the client's certificate, and says so when it sees it.
        let certificates = try TestCertificates.shared()
        var tls = ServerTLS(certificates.localhost, minimumVersion: version, maximumVersion: version)
        tls.clientAuthorities = [certificates.untrusted]
        try await certificates.withFiles { files in
            for (authority, isRefused) in [(certificates.authority, false), (certificates.untrusted, true)] {
                let configuration = SessionConfiguration(trusting: authority) {
                    $0.identity = .init(
                        certificateFile: files.path("client.pem"),
                        privateKeyFile: files.path("client.key")
                    )
                }
                try await FaultServer.run(Self.ok, options: .init(tls: tls)) { server in
                    let error = try await withSession(configuration) { session in
                        try await networkingError { _ = try await session.data(for: Request(to: server.baseURL)) }
                    }
                    #expect((error.trustRefusal?.rule == .issuer) == isRefused, "\(error)")
                    try await server.waitUntilClosed(connection: 0)
                    let failure = try #require(server.connections[0].failure)
                    #expect(failure.contains("CERTIFICATE_VERIFY_FAILED") == !isRefused, "\(failure)")
                    #expect(server.connections[0].bytesReceived == 0)
                }
            }
        }
    }

    @Test func `authorities can be added to those of the system`() async throws {
        let scene = try shop.scene()
        let tls = try #require(scene.serverTLS(.tls13, identity))
        try await FaultServer.run(Self.ok, options: .init(tls: tls)) { server in
            var configuration = SessionConfiguration()
            configuration.tls.trustRoots = .system.adding(.pem(shop.root.pem))
            try await withSession(configuration) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("ok".utf8))
            }
            configuration.tls.trustRoots = .system
            try await withSession(configuration) { session in
                let error = try await networkingError { _ = try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.trustRefusal?.rule == .issuer, "\(error)")
            }
        }
    }
}
