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
    /// Chooses the client certificate; nil where the settings do.
    private let clientCertificate: ClientCertificateAnswer?
    /// The result; nil until there is one.
    private var verdict: Result<Void, NetworkingError>?
    private var ticket: TrustEvaluator.Ticket?
    private var isCancelled = false
    /// Holds back the reading of the connection until there is a result.
    private var hold: ReadHold?
    private let hello = ServerHelloReader()
    private var handler: NIOSSLClientHandler?

    init(origin: Origin, evaluator: TrustEvaluator, clientCertificate: ClientCertificateAnswer? = nil) {
        self.origin = origin
        self.evaluator = evaluator
        self.clientCertificate = clientCertificate
    }

    /// The certificates that the server has shown in DER, its own first.
    private(set) var presented: [[UInt8]] = []

    /// Whether a closure has chosen the client certificate for this host.
    var hasChosenIdentity: Bool { clientCertificate?.isAsked ?? false }

    /// The cipher suite that the server has chosen, once it has.
    var cipherSuite: TLSCipherSuite? { hello.cipherSuite }

    /// The version of TLS that was agreed upon, once it was.
    var version: Bluebonnet.TLSVersion? { handler.flatMap { .init(of: $0) } }

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
        do {
            let handler = try NIOSSLClientHandler(
                context: clientCertificate?.context(like: context) ?? context.ssl,
                serverHostname: identity?.serverName,
                customVerificationCallback: { certificates, promise in
                    self.verify(certificates, identity, context.anchors, on: channel, promise)
                }
            )
            self.handler = handler
            let observer = TLSHandshakeObserver { result in
                switch (result, self.verdict) {
                case (_, .failure(let refusal)?): completion(.failure(refusal))
                case (.failure(let error), _):
                    completion(.failure(self.clientCertificate?.failure ?? .handshake(self.origin, error)))
                case (.success(let agreed), .success?): completion(.success(agreed))
                case (.success, nil): completion(.failure(self.unverified))
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
        clientCertificate?.cancel()
    }

    private func verify(
        _ certificates: [NIOSSLCertificate],
        _ identity: ServerIdentity?,
        _ anchors: TrustAnchors,
        on channel: any Channel,
        _ promise: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        do {
            presented = try certificates.map { try $0.toDERBytes() }
        } catch {
            return promise.fail(error)
        }
        let eventLoop = channel.eventLoop
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        ticket = evaluator.evaluate(
            presented,
            of: origin,
            identity: identity,
            anchors: anchors
        ) { result in
            guard eventLoop.inEventLoop else {
                return VerdictDelivery(verification: bound, result: result, promise: promise).execute(on: eventLoop)
            }
            bound.value.end(result, promise)
        }
        if isCancelled { ticket?.cancel() }
        guard verdict == nil else { return }
        // BoringSSL reads nothing until then, and NIOSSL keeps all that comes.
        let hold = ReadHold()
        self.hold = hold
        try? channel.pipeline.syncOperations.addHandler(hold, position: .first)
    }

    fileprivate func end(
        _ result: Result<Void, NetworkingError>,
        _ promise: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        verdict = result
        hold?.release()
        hold = nil
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

/// Holds back the reading of a channel, so that a server that sends without end while it is decided
/// upon fills only the buffers of the system. NIO sees the end of a connection nevertheless, and
/// then reads what came before it.
final class ReadHold: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = ByteBuffer

    private var context: ChannelHandlerContext?
    private var isReadWanted = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func read(context: ChannelHandlerContext) { isReadWanted = true }

    /// Lets the channel read again, and leaves the pipeline.
    func release() {
        guard let context else { return }
        if isReadWanted { context.read() }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
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

extension Bluebonnet.TLSVersion {
    /// The version that the handshake has agreed upon.
    fileprivate init?(of handler: NIOSSLClientHandler) {
        switch handler.tlsVersion {
        case .tlsv1: self = .tls1_0
        case .tlsv11: self = .tls1_1
        case .tlsv12: self = .tls1_2
        case .tlsv13: self = .tls1_3
        case nil: return nil
        }
    }
}
