import NIOCore
import NIOSSL

/// The verification of a server's certificates on one connection.
///
/// It takes the place of BoringSSL's own, in the middle of the handshake: a server that is refused
/// never receives the end of it, and no byte of a request. The host of the URL counts and never the
/// address of the connection, which an attacker may choose who controls the name server (RFC 9110
/// §4.3.4).
///
/// NIOSSL's clients resume no TLS sessions, so that each handshake has certificates. A connection
/// without a verdict is refused in any case.
final class CertificateVerification {
    private let origin: Origin
    private let evaluator: TrustEvaluator
    /// The result; nil until there is one.
    private var verdict: Result<Void, NetworkingError>?
    private var ticket: TrustEvaluator.Ticket?
    private var isCancelled = false
    private let hello = ServerHelloReader()

    init(origin: Origin, evaluator: TrustEvaluator) {
        self.origin = origin
        self.evaluator = evaluator
    }

    /// The cipher suite that the server has chosen, once it has.
    var cipherSuite: TLSCipherSuite? { hello.cipherSuite }

    /// Begins the handshake. The completion is called once: with the protocol that was agreed upon,
    /// when the server is trusted, or with the error.
    func start(
        on channel: any Channel,
        context: TLSContext,
        completion: @escaping (Result<ApplicationProtocol, NetworkingError>) -> Void
    ) throws(NetworkingError) {
        let policy = try evaluator.policy(for: origin)
        let identity = ServerIdentity(host: origin.serverName)
        if identity == nil, evaluator.validatesDomainName(policy) { throw unverifiableHost }
        let eventLoop = channel.eventLoop
        do {
            let handler = try NIOSSLClientHandler(
                context: context.ssl,
                serverHostname: identity?.serverName,
                customVerificationCallback: { certificates, promise in
                    self.verify(certificates, identity, policy, context.anchors, on: eventLoop, promise)
                }
            )
            let observer = TLSHandshakeObserver { result in
                switch (result, self.verdict) {
                case (_, .failure(let refusal)?): completion(.failure(refusal))
                case (.success(let agreed), .success?): completion(.success(agreed))
                case (.success, nil): completion(.failure(self.unverified))
                case (.failure(let error), _): completion(.failure(.handshake(self.origin, error)))
                }
            }
            try channel.pipeline.syncOperations.addHandlers([hello, handler, observer])
        } catch {
            throw .handshake(origin, error)
        }
    }

    /// Ends a decision that is under way; nothing waits for it any more.
    func cancel() {
        isCancelled = true
        ticket?.cancel()
    }

    private func verify(
        _ certificates: [NIOSSLCertificate],
        _ identity: ServerIdentity?,
        _ policy: SecurityPolicy,
        _ anchors: TrustAnchors,
        on eventLoop: any EventLoop,
        _ promise: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        let presented: [[UInt8]]
        do {
            presented = try certificates.map { try $0.toDERBytes() }
        } catch {
            return promise.fail(error)
        }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        ticket = evaluator.evaluate(
            presented,
            of: origin,
            identity: identity,
            policy: policy,
            anchors: anchors
        ) { result in
            guard eventLoop.inEventLoop else {
                return VerdictDelivery(verification: bound, result: result, promise: promise).execute(on: eventLoop)
            }
            bound.value.end(result, promise)
        }
        if isCancelled { ticket?.cancel() }
    }

    fileprivate func end(
        _ result: Result<Void, NetworkingError>,
        _ promise: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        verdict = result
        switch result {
        case .success: promise.succeed(.certificateVerified)
        case .failure: promise.succeed(.failed)
        }
    }

    private var unverified: NetworkingError {
        NetworkingError(
            TrustRefusal(
                TrustFinding(.certificate, nil, "has ended the handshake without a certificate that was verified"),
                path: [],
                host: origin.description,
                serverName: origin.serverName
            )
        )
    }

    private var unverifiableHost: NetworkingError {
        NetworkingError(
            .invalidURL,
            "“\(ASCII.escaped(origin.serverName.utf8, limit: 80))” is neither a host name nor a whole IP address, so "
                + "no certificate can be for it. Write an address in full, as 127.0.0.1, and a name in another script in its "
                + "form with “xn--”."
        )
    }
}

/// A verdict that was made on another thread, on its way to the event loop of the connection.
private struct VerdictDelivery: LoopWork {
    let verification: NIOLoopBound<CertificateVerification>
    let result: Result<Void, NetworkingError>
    let promise: EventLoopPromise<NIOSSLVerificationResult>

    func run() { verification.value.end(result, promise) }

    func wasDropped() { promise.succeed(.failed) }
}
