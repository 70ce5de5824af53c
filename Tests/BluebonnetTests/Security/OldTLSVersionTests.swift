import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Servers that have TLS 1.0 or 1.1 alone: refused by default, and verified like others where the
/// session allows them.
@Suite(.timeLimit(.minutes(5)))
struct OldTLSVersionTests {
    private static let ok: FaultServer.Script = [.readRequest, .respond(body: "ok"), .startOver]
    private static let versions: [(ServerTLS.Version, TLSVersion)] = [(.tls10, .tls1_0), (.tls11, .tls1_1)]

    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func options(_ version: ServerTLS.Version, _ identity: TestIdentity? = nil) -> FaultServer.Options {
        let identity = identity ?? certificates.localhost
        return FaultServer.Options(tls: ServerTLS(identity, minimumVersion: version, maximumVersion: version))
    }

    private func allowing(_ version: TLSVersion) -> SessionConfiguration {
        SessionConfiguration(trusting: certificates.authority) { $0.minimumVersion = version }
    }

    /// The error of a request, which the server must not have received.
    private func refusal(_ options: FaultServer.Options, _ configuration: SessionConfiguration) async throws
        -> NetworkingError
    {
        try await FaultServer.run(Self.ok, options: options) { server in
            let error = try await withSession(configuration) { session in
                try await networkingError { _ = try await session.data(for: Request(to: server.baseURL)) }
            }
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections.count == 1 && server.connections[0].bytesReceived == 0)
            #expect(server.connections[0].tlsVersion == nil)
            return error
        }
    }

    @Test(arguments: versions.map(\.0))
    func `a server with an old version of TLS alone is refused by default`(
        version: ServerTLS.Version
    ) async throws {
        let error = try await refusal(options(version), SessionConfiguration(trusting: certificates.authority))
        #expect(error.code == .tlsFailed && error.trustRefusal == nil)
        #expect(error.message.hasSuffix("no version of TLS that is accepted here."), "\(error)")
    }

    @Test func `a server with TLS 1.0 alone is refused where 1.1 is the lowest version`() async throws {
        let error = try await refusal(options(.tls10), allowing(.tls1_1))
        #expect(error.code == .tlsFailed, "\(error)")
    }

    @Test(arguments: versions)
    func `a server with an old version of TLS is reached where the session allows it`(
        version: ServerTLS.Version,
        allowed: TLSVersion
    ) async throws {
        try await FaultServer.run(Self.ok, options: options(version)) { server in
            try await withSession(allowing(allowed)) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("ok".utf8))
                #expect(response.metrics.transactions[0].tlsVersion == allowed)
                #expect(server.connections[0].tlsVersion == (version == .tls10 ? "TLSv1.0" : "TLSv1.1"))
            }
        }
    }

    @Test(arguments: versions)
    func `a server with an old version of TLS and a bad certificate gets no byte`(
        version: ServerTLS.Version,
        allowed: TLSVersion
    ) async throws {
        for (identity, rule) in [
            (certificates.untrusted, TrustRule.selfSigned), (certificates.selfSigned, .selfSigned),
            (certificates.expired, .notAfter), (certificates.wrongHost, .host),
        ] {
            let error = try await refusal(options(version, identity), allowing(allowed))
            #expect(error.trustRefusal?.rule == rule, "\(error)")
        }
        var pinning = allowing(allowed)
        pinning.securityPolicy = .pinning(keys: [try PublicKeyPin("sha256/" + certificates.client.publicKeyPin)])
        let error = try await refusal(options(version), pinning)
        #expect(error.code == .certificateNotPinned, "\(error)")
    }
}
