import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The system's trust roots can be replaced by the environment, as with OpenSSL and curl.
@Suite(.timeLimit(.minutes(5)))
struct TrustEnvironmentTests {
    /// Requests a page from a server whose authority no system trusts, with the default trust.
    private static func request(from server: FaultServer) async throws {
        try await withSession { session in
            _ = try await session.data(for: Request(to: "https://127.0.0.1:\(server.port)/"))
        }
    }

    @Test func `the certificates of SSL_CERT_FILE are trusted in place of the system's`() async {
        // In another process, because a change of the environment is for the whole process.
        await #expect(processExitsWith: .success) {
            let certificates = try TestCertificates.shared()
            let script = FaultServer.Script.requests { _ in [.respond(body: "ok")] }
            try await certificates.withFiles { files in
                try await FaultServer.run(script, options: .init(tls: ServerTLS(certificates.localhost))) { server in
                    let error = try await networkingError { try await TrustEnvironmentTests.request(from: server) }
                    #expect(error.code == .certificateUntrusted, "\(error)")
                    unsafe setenv("SSL_CERT_FILE", files.authority, 1)
                    try await TrustEnvironmentTests.request(from: server)
                    unsafe setenv("SSL_CERT_FILE", "/nonexistent", 1)
                    let other = try await networkingError { try await TrustEnvironmentTests.request(from: server) }
                    #expect(other.code == .certificateUntrusted, "\(other)")
                }
            }
        }
    }

    @Test func `the certificates in each directory of SSL_CERT_DIR are trusted`() async {
        await #expect(processExitsWith: .success) {
            let certificates = try TestCertificates.shared()
            let script = FaultServer.Script.requests { _ in [.respond(body: "ok")] }
            try await withDirectory { directory in
                let (empty, full) = (directory.appending(path: "empty"), directory.appending(path: "full"))
                for folder in [empty, full] {
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                }
                try Data(certificates.authority.certificatePEM.utf8).write(to: full.appending(path: "authority.pem"))
                try await FaultServer.run(script, options: .init(tls: ServerTLS(certificates.localhost))) { server in
                    unsafe setenv("SSL_CERT_DIR", empty.path, 1)
                    let error = try await networkingError { try await TrustEnvironmentTests.request(from: server) }
                    #expect(error.code == .certificateUntrusted, "\(error)")
                    unsafe setenv("SSL_CERT_DIR", "\(empty.path):\(full.path)", 1)
                    try await TrustEnvironmentTests.request(from: server)
                }
            }
        }
    }
}
