import FoundationEssentials
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Makes the session's TLS context once, when the first secure connection needs it.
final class TLSContextSource: Sendable {
    private let settings: TLSSettings
    private let made = Mutex<NIOSSLContext?>(nil)

    init(settings: TLSSettings) {
        self.settings = settings
    }

    /// The context; made on a thread that may block, the first time.
    func context(on eventLoop: any EventLoop) -> EventLoopFuture<NIOSSLContext> {
        if let context = made.withLockIfAvailable({ $0 }) ?? nil {
            return eventLoop.makeSucceededFuture(context)
        }
        return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) {
            try self.made.withLock { made in
                if let context = made { return context }
                let context = try Self.makeContext(self.settings)
                made = context
                return context
            }
        }
    }

    func invalid(_ error: any Error) -> NetworkingError {
        NetworkingError(
            .invalidTrustConfiguration,
            "The trusted certificates or the client certificate of the session cannot be read: \(error)",
            underlying: error
        )
    }

    private static func makeContext(_ settings: TLSSettings) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // RFC 7301: the protocol is agreed upon in the handshake.
        configuration.applicationProtocols = ["http/1.1"]
        switch settings.trustRoots {
        case .file(let path): configuration.trustRoots = .file(path)
        case .pem(let text):
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)))
        case .system:
            let environment = ProcessInfo.processInfo.environment
            // As OpenSSL: either variable replaces the system's places.
            let paths = ["SSL_CERT_FILE", "SSL_CERT_DIR"].compactMap { environment[$0] }.filter { !$0.isEmpty }
            if let first = paths.first {
                configuration.trustRoots = .file(first)
                configuration.additionalTrustRoots = paths.dropFirst().map { .file($0) }
            }
        }
        if let identity = settings.identity {
            configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(identity.certificateFile)
                .map { .certificate($0) }
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: identity.privateKeyFile, format: .pem))
        }
        if !settings.verifiesCertificates { configuration.certificateVerification = .none }
        return try NIOSSLContext(configuration: configuration)
    }
}
