import NIOCore
package import NIOSSL

/// The TLS settings of a test server.
package struct ServerTLS: Sendable {
    /// A version of TLS.
    package enum Version: Sendable {
        /// TLS 1.0, which RFC 8996 forbids.
        case tls10
        /// TLS 1.1, which RFC 8996 forbids.
        case tls11
        /// TLS 1.2.
        case tls12
        /// TLS 1.3.
        case tls13
    }

    /// The certificate the server shows, with its intermediates, in PEM.
    package var chainPEM: String

    /// Its key in PEM.
    package var privateKeyPEM: String

    /// The authorities of client certificates; when there is one, a client must show a certificate
    /// that one of them has signed.
    package var clientAuthorities: [TestIdentity]

    /// The protocols offered by ALPN (RFC 7301), best first. Default: none, which means no ALPN.
    package var applicationProtocols: [String]

    /// The lowest version accepted, TLS 1.2 by default.
    package var minimumVersion: Version

    /// The highest version accepted, TLS 1.3 by default.
    package var maximumVersion: Version

    /// Creates settings; by default TLS 1.2 or 1.3 without ALPN and without client certificates.
    package init(
        _ identity: TestIdentity,
        clientAuthorities: [TestIdentity] = [],
        applicationProtocols: [String] = [],
        minimumVersion: Version = .tls12,
        maximumVersion: Version = .tls13
    ) {
        chainPEM = identity.chainPEM
        privateKeyPEM = identity.privateKeyPEM
        self.clientAuthorities = clientAuthorities
        self.applicationProtocols = applicationProtocols
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
    }

    /// The settings as a configuration of NIOSSL.
    package func configuration() throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(chainPEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(privateKeyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = minimumVersion.value
        configuration.maximumTLSVersion = maximumVersion.value
        configuration.applicationProtocols = applicationProtocols
        // A client that does not send its close_notify must not delay a test.
        configuration.shutdownTimeout = .milliseconds(500)
        if !clientAuthorities.isEmpty {
            let roots = try clientAuthorities.flatMap {
                try NIOSSLCertificate.fromPEMBytes(Array($0.certificatePEM.utf8))
            }
            configuration.trustRoots = .certificates(roots)
            configuration.certificateVerification = .noHostnameVerification
        }
        return configuration
    }
}

extension ServerTLS.Version {
    fileprivate var value: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}
