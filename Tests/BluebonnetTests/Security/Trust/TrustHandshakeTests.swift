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

    @Test(arguments: GoodTrustCases.all.filter(\.isLive), [ServerTLS.Version.tls12, .tls13])
    func `a server with a good chain receives the request`(good: TrustCase, version: ServerTLS.Version) async throws {
        let scene = try good.make(shop)
        let tls = try #require(scene.serverTLS(version, identity))
        try await FaultServer.run(Self.ok, options: .init(tls: tls)) { server in
            try await withSession(scene.configuration) { session in
                let response = try await session.data(for: Request(to: "https://\(scene.host):\(server.port)/"))
                #expect(response.value == Data("ok".utf8))
            }
        }
    }

    @Test(arguments: BadTrustCases.all.filter(\.isLive), [ServerTLS.Version.tls12, .tls13])
    func `a server with a bad chain receives no byte of the request`(
        bad: TrustCase,
        version: ServerTLS.Version
    ) async throws {
        let scene = try bad.make(shop)
        let tls = try #require(scene.serverTLS(version, identity))
        try await FaultServer.run(Self.ok, options: .init(tls: tls)) { server in
            try await withEngine(scene.configuration) { session, engine in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "https://\(scene.host):\(server.port)/secret"))
                }
                let refusal = try #require(error.trustRefusal, "\(error)")
                #expect(refusal.rule == bad.rule && error.code == refusal.rule.code, "\(error)")
                #expect(error.message == refusal.message && error.message.contains("\(scene.host):\(server.port)"))
                #expect(error.code.family == .trust)
                try await server.waitUntilClosed(connection: 0)
                // One attempt, and the client never ended the handshake.
                #expect(server.connections.count == 1 && server.connections[0].bytesReceived == 0)
                #expect(server.connections[0].tlsVersion == nil)
                #expect(engine.openConnections == 0)
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
