import LocalServer
import NIOSSL

/// TLS configurations of clients.
enum TLSClient {
    static func trusting(_ authority: TestIdentity) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(authority.certificatePEM.utf8))
        )
        return configuration
    }

    static func add(_ identity: TestIdentity, to configuration: inout TLSConfiguration) throws {
        configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(identity.chainPEM.utf8))
            .map { .certificate($0) }
        let key = try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.utf8), format: .pem)
        configuration.privateKey = .privateKey(key)
    }
}
