import NIOCore
import NIOSSL
import Synchronization

/// What the TLS connections of a session have in common.
struct TLSContext: Sendable {
    let ssl: NIOSSLContext
    /// What the context was made of.
    let configuration: TLSConfiguration
    /// The authorities that are trusted.
    let anchors: TrustAnchors
}

extension TLSContext {
    /// Reads a client certificate and its key, which must belong together. Blocks.
    static func identity(of identity: TLSSettings.Identity) throws -> NIOSSLContextConfigurationOverride {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        try configuration.use(identity)
        _ = try ssl(configuration, identity)
        var read = NIOSSLContextConfigurationOverride.noChanges
        (read.certificateChain, read.privateKey) = (configuration.certificateChain, configuration.privateKey)
        return read
    }

    fileprivate static func ssl(
        _ configuration: TLSConfiguration,
        _ identity: TLSSettings.Identity?
    ) throws -> NIOSSLContext {
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch NIOSSLError.failedToLoadPrivateKey {
            // Both files were read before, so the key does not fit the certificate.
            let files =
                switch identity?.source {
                case .pem(let certificate, let key): "“\(certificate)” and its key in “\(key)”"
                default: "the settings and its key"
                }
            throw NetworkingError(
                .invalidTrustConfiguration,
                "The client certificate in \(files) do not belong together.",
                underlying: TLSFailure(NIOSSLError.failedToLoadPrivateKey)
            )
        }
    }

    static func invalid(_ error: any Error) -> NetworkingError {
        error as? NetworkingError
            ?? NetworkingError(
                .invalidTrustConfiguration,
                "The trusted certificates of the system or the client certificate of the session cannot be used: "
                    + TLSFailure(error).sentence,
                underlying: TLSFailure.wrapping(error)
            )
    }
}

/// Makes the TLS context of a session, or of a host with a client certificate of its own, once,
/// when the first secure connection needs it.
final class TLSContextSource: Sendable {
    typealias Completion = @Sendable (Result<TLSContext, any Error>) -> Void

    private enum State {
        /// Then `making`.
        case unmade
        /// Then `made`, or `unmade` after an error.
        case making([Completion])
        /// The last state.
        case made(TLSContext)
    }

    /// The client certificate that is shown; nil for none.
    let identity: TLSSettings.Identity?
    private let settings: TLSSettings
    /// The protocols that are offered, the preferred one first.
    private let offer: [ApplicationProtocol]
    private let state = Mutex(State.unmade)

    init(
        settings: TLSSettings,
        identity: TLSSettings.Identity? = nil,
        offer: [ApplicationProtocol] = HTTPVersionPolicy.automatic.offer
    ) {
        self.settings = settings
        self.offer = offer
        self.identity = identity ?? settings.identity
    }

    /// The context, if it has been made.
    var context: TLSContext? {
        state.withLock { state in
            if case .made(let context) = state { context } else { nil }
        }
    }

    /// Calls back with the context, on any thread; the first call makes it, on a thread that may
    /// block, and calls that come meanwhile wait for the same one. After an error the next call
    /// tries again.
    func makeContext(_ completion: @escaping Completion) {
        let (made, begins) = state.withLock { state -> (TLSContext?, Bool) in
            switch state {
            case .made(let context): return (context, false)
            case .making(let waiters):
                state = .making(waiters + [completion])
                return (nil, false)
            case .unmade:
                state = .making([completion])
                return (nil, true)
            }
        }
        if let made { return completion(.success(made)) }
        guard begins else { return }
        BlockingThreads.certificates.submit { unavailable in
            let result: Result<TLSContext, any Error> = Result {
                if let unavailable { throw unavailable }
                return try Self.makeContext(self.settings, self.identity, self.offer)
            }
            let waiters = self.state.withLock { state -> [Completion] in
                guard case .making(let waiters) = state else { return [] }
                state = (try? result.get()).map { State.made($0) } ?? .unmade
                return waiters
            }
            for waiter in waiters { waiter(result) }
        }
    }

    private static func makeContext(
        _ settings: TLSSettings,
        _ identity: TLSSettings.Identity?,
        _ offer: [ApplicationProtocol]
    ) throws -> TLSContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // RFC 7301: the protocol is agreed upon in the handshake.
        configuration.applicationProtocols = offer.map(\.rawValue)
        let anchors = try TrustRootReader.anchors(
            settings.trustRoots,
            revocations: settings.revocationLists.map { lists throws(NetworkingError) in try RevocationIndex(lists) }
        )
        try configuration.use(settings)
        if let identity { try configuration.use(identity) }
        configuration.shutdownTimeout = settings.closingTime.timeAmount
        // `CertificateVerification` decides, in place of BoringSSL, which needs no authorities
        // then. NIOSSL calls it in every mode but `none`.
        configuration.trustRoots = .certificates([])
        configuration.certificateVerification = .noHostnameVerification
        let ssl = try TLSContext.ssl(configuration, identity)
        return TLSContext(ssl: ssl, configuration: configuration, anchors: anchors)
    }
}
