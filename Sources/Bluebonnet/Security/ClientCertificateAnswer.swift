import NIOCore
import NIOSSL

/// The answer to a server that asks for a client certificate, on one connection: asks
/// ``SessionHooks/sessionDidReceiveChallenge`` in the middle of the handshake, which waits.
///
/// BoringSSL asks after the server's certificates are verified (RFC 8446 §4.4.2, RFC 5246 §7.4.6),
/// so that nobody learns of an identity who is not trusted. Not Sendable: it lives on the event
/// loop of its connection.
final class ClientCertificateAnswer {
    typealias Handler = @Sendable (ClientCertificateChallenge) async -> ChallengeDisposition
    typealias Identity = NIOSSLContextConfigurationOverride

    private let challenge: ClientCertificateChallenge
    private let handler: Handler
    private let channel: any Channel
    /// What the default handling shows.
    private var proposed = Identity.noChanges
    /// Waits for the answer: NIOSSL goes on with the handshake when it is fulfilled.
    private var waiter: EventLoopPromise<Identity>?
    /// What NIOSSL has asked for again, since more bytes came meanwhile. With each of them it would
    /// go on once more, also after the handshake is over: they are fulfilled when the channel has
    /// closed.
    private var repeated: [EventLoopPromise<Identity>] = []
    private var answer: Result<Identity, NetworkingError>?
    private var decision: Task<Void, Never>?
    /// Holds back the reading of the connection until there is an answer.
    private var hold: ReadHold?

    init(_ challenge: ClientCertificateChallenge, channel: any Channel, handler: @escaping Handler) {
        self.challenge = challenge
        self.channel = channel
        self.handler = handler
    }

    /// Whether the server has asked for a certificate.
    var isAsked: Bool { decision != nil }

    /// The reason why the handler has ended the handshake; nil where it did not.
    var failure: NetworkingError? {
        if case .failure(let error) = answer { error } else { nil }
    }

    /// A context for the one connection, with the settings of another one.
    func context(like context: TLSContext) throws -> NIOSSLContext {
        var configuration = context.configuration
        if !configuration.certificateChain.isEmpty {
            proposed.certificateChain = configuration.certificateChain
            proposed.privateKey = configuration.privateKey
        }
        configuration.certificateChain = []
        configuration.privateKey = nil
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        configuration.sslContextCallback = { _, promise in bound.value.ask(promise) }
        return try NIOSSLContext(configuration: configuration)
    }

    /// Ends the decision; nothing waits for it any more.
    func cancel() {
        guard answer == nil else { return }
        decision?.cancel()
        end(.failure(NetworkingError(.cancelled, "The connection to \(challenge.host) is not wanted any more.")))
    }

    /// Fulfils the promise with the answer; called by BoringSSL, on the event loop.
    func ask(_ promise: EventLoopPromise<Identity>) {
        guard decision == nil else { return repeated.append(promise) }
        // The connection is not wanted any more.
        if let answer { return promise.completeWith(answer.mapError { $0 }) }
        waiter = promise
        let hold = ReadHold()
        self.hold = hold
        try? channel.pipeline.syncOperations.addHandler(hold, position: .first)
        let (question, eventLoop) = (Question(challenge, handler, proposed), channel.eventLoop)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.closed() }
        decision = Task {
            let answer = await question.answer()
            AnswerDelivery(receiver: bound, answer: answer).execute(on: eventLoop)
        }
    }

    fileprivate func end(_ answer: Result<Identity, NetworkingError>) {
        guard self.answer == nil else { return }
        self.answer = answer
        hold?.release()
        hold = nil
        waiter?.completeWith(answer.mapError { $0 })
        waiter = nil
    }

    private func closed() {
        cancel()
        for promise in repeated { promise.fail(ChannelError.ioOnClosedChannel) }
        repeated = []
    }
}

/// What the handler is asked, and what its decision means.
private struct Question: Sendable {
    let challenge: ClientCertificateChallenge
    let handler: ClientCertificateAnswer.Handler
    /// What the default handling shows.
    let proposed: ClientCertificateAnswer.Identity

    init(
        _ challenge: ClientCertificateChallenge,
        _ handler: @escaping ClientCertificateAnswer.Handler,
        _ proposed: ClientCertificateAnswer.Identity
    ) {
        self.challenge = challenge
        self.handler = handler
        self.proposed = proposed
    }

    func answer() async -> Result<ClientCertificateAnswer.Identity, NetworkingError> {
        switch await handler(challenge).kind {
        case .performDefaultHandling: return .success(proposed)
        case .reject: return .success(.noChanges)
        case .use(let credential):
            guard let identity = credential.identity else { return .success(.noChanges) }
            return await Self.read(identity)
        case .cancel:
            return .failure(
                NetworkingError(
                    .authenticationCancelled,
                    "The answer to \(challenge.host), which asks for a client certificate, was cancelled."
                )
            )
        case .fail(let error):
            return .failure(
                error as? NetworkingError
                    ?? NetworkingError(
                        .authenticationFailed,
                        "There is no client certificate for \(challenge.host): \(error)",
                        underlying: error
                    )
            )
        }
    }

    private static func read(
        _ identity: TLSSettings.Identity
    ) async -> Result<ClientCertificateAnswer.Identity, NetworkingError> {
        do {
            return .success(try await BlockingThreads.certificates.run { try TLSContext.identity(of: identity) })
        } catch {
            return .failure(TLSContext.invalid(error))
        }
    }
}

/// An answer on its way to the event loop of the connection.
private struct AnswerDelivery: LoopWork {
    let receiver: NIOLoopBound<ClientCertificateAnswer>
    let answer: Result<ClientCertificateAnswer.Identity, NetworkingError>

    func run() { receiver.value.end(answer) }

    /// The loop has ended, and its connections with it.
    func wasDropped() {}
}
