import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// One attempt to connect, on its event loop: every stage is timed, the whole has a timeout, and
/// the result comes once.
///
/// The stages, each of which begins the next: ``prepare()`` reads the trust roots, ``lookUp()``
/// finds addresses, ``openSocket(since:_:)`` opens the socket, ``secure(_:)`` does the TLS
/// handshake, in which the protocol is agreed upon, and ``Opener`` puts the connection for that
/// protocol on the channel, which may have to hear from the server before it is ready.
final class ConnectionAttempt {
    /// The layer between the socket and the protocol.
    enum Transport: Equatable {
        /// None: bytes are written to the socket as they are. The protocol is HTTP/1.1.
        case plain
        case tls(ApplicationProtocol)
    }

    struct Established {
        var channel: any Channel
        var transport: Transport
        var timings: ExchangeTimings
        var record: ConnectionRecord
    }

    /// Puts a connection on the channel, and calls back once: when it can take exchanges, or has
    /// failed. It must not succeed after its channel was closed.
    typealias Opener = (Established, _ ready: @escaping (Result<ReadyConnection, any Error>) -> Void) -> Void

    private let route: Route
    private let timeout: Duration?
    private let eventLoop: any EventLoop
    private let tls: TLSContextSource
    private let trust: TrustEvaluator
    /// Chooses the client certificate; nil where the settings do.
    private let challengeHandler: ClientCertificateAnswer.Handler?
    private let lookups: NameLookups
    private var opener: Opener?
    /// The context of the handshake, for a secure origin.
    private var tlsContext: TLSContext?
    private var verification: CertificateVerification?
    private var timings = ExchangeTimings()
    private var times = ConnectionTimes() {
        didSet { knownTimes.value = times }
    }
    private let knownTimes: AttemptTimes
    private var timer: Scheduled<Void>?
    private var lookup: NameLookups.Ticket?
    /// The channels that are being connected: Happy Eyeballs tries several and takes one.
    private var connectingChannels: [any Channel] = []
    /// The channel that was connected.
    private var channel: (any Channel)?
    private var completion: ((Result<ReadyConnection, NetworkingError>) -> Void)?

    init(
        route: Route,
        timeout: Duration?,
        eventLoop: any EventLoop,
        tls: TLSContextSource,
        trust: TrustEvaluator,
        challengeHandler: ClientCertificateAnswer.Handler? = nil,
        lookups: NameLookups,
        times: AttemptTimes,
        open: @escaping Opener
    ) {
        self.route = route
        self.timeout = timeout
        self.eventLoop = eventLoop
        self.tls = tls
        self.trust = trust
        self.challengeHandler = challengeHandler
        self.lookups = lookups
        knownTimes = times
        opener = open
    }

    func run(completion: @escaping (Result<ReadyConnection, NetworkingError>) -> Void) {
        self.completion = completion
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let timer = eventLoop.scheduleTask(deadline: .now().advanced(by: time)) { bound.value.timedOut() }
        self.timer = timer
        // A loop that is shut down fails its timers, and drops all other work of the attempt.
        timer.futureResult.assumeIsolated().whenFailure { _ in self.end(.failure(.eventLoopShutDown(self.route.origin)))
        }
        prepare()
    }

    /// Without a timeout, a year: only a timer tells when the event loop is shut down.
    private var time: TimeAmount { min((timeout ?? .seconds(31_536_000)).timeAmount, .hours(24 * 365)) }

    func cancel(with error: NetworkingError) {
        end(.failure(error), atOnce: true)
    }

    private func timedOut() {
        end(.failure(.connectTimedOut(route.origin, timeout)), atOnce: true)
    }

    /// Ends the attempt; only the first end counts. With `atOnce`, TLS sends no closing alert, so
    /// that no socket is left when this returns.
    private func end(_ result: Result<ReadyConnection, NetworkingError>, atOnce: Bool = false) {
        guard let completion else { return }
        self.completion = nil
        timer?.cancel()
        timer = nil
        if let lookup { lookups.cancel(lookup) }
        lookup = nil
        verification?.cancel()
        verification = nil
        if case .failure = result {
            let tls = try? channel?.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
            if atOnce { tls?.close(promise: nil) }
            channel?.close(promise: nil)
            for channel in connectingChannels { channel.close(promise: nil) }
        }
        connectingChannels = []
        channel = nil
        opener = nil
        completion(
            result.mapError { error in
                var error = error
                error.connection = ConnectionRecord(failed: times)
                return error
            }
        )
    }

    // MARK: Preparation

    private func prepare() {
        guard route.origin.isSecure else { return lookUp() }
        tlsContext = tls.context
        guard tlsContext == nil else { return lookUp() }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        // Reading the trust roots blocks for milliseconds, the first time.
        tls.makeContext { [eventLoop] result in
            eventLoop.execute { bound.value.prepared(result) }
        }
    }

    private func prepared(_ result: Result<TLSContext, any Error>) {
        guard completion != nil else { return }
        switch result {
        case .success(let context):
            tlsContext = context
            lookUp()
        case .failure(let error): end(.failure(TLSContext.invalid(error)))
        }
    }

    // MARK: Names

    private func lookUp() {
        let startedAt = NIODeadline.now()
        switch route.endpoint {
        case .unixSocket(let path):
            openSocket(since: startedAt) { $0.connect(unixDomainSocketPath: path.text) }
        case .host(let host, let port):
            if let address = try? SocketAddress(ipAddress: host, port: port) {
                return openSocket(since: startedAt) { $0.connect(to: address) }
            }
            times.nameLookup = .init(start: startedAt)
            let bound = NIOLoopBound(self, eventLoop: eventLoop)
            lookup = lookups.addresses(of: host, at: startedAt) { [eventLoop] result in
                eventLoop.execute { bound.value.found(result, host: host, port: port, since: startedAt) }
            }
        }
    }

    private func found(
        _ result: Result<[SocketAddress], any Error>,
        host: String,
        port: Int,
        since startedAt: NIODeadline
    ) {
        guard completion != nil else { return }
        lookup = nil
        let now = NIODeadline.now()
        timings.dns = CompactTime(from: startedAt, to: now)
        switch result {
        case .success(let addresses):
            guard !addresses.isEmpty else { return end(.failure(.lookingUp(host, nil))) }
            times.nameLookup = .init(start: startedAt, end: now)
            let resolver = FoundAddresses(addresses, port: port, on: eventLoop)
            openSocket(since: now) { $0.resolver(resolver).connect(host: host, port: port) }
        case .failure(let error):
            end(.failure(.lookingUp(host, error)))
        }
    }

    // MARK: TCP

    /// The most bytes of one read. NIOSSL collects what all reads of a turn decrypt to in one
    /// buffer that grows by copying, so that larger reads cost more there than they save.
    private var mostRead: Int { route.origin.isSecure ? 65_536 : 262_144 }

    private func openSocket(
        since startedAt: NIODeadline,
        _ connect: (ClientBootstrap) -> EventLoopFuture<any Channel>
    ) {
        times.connect = .init(start: startedAt)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 8192, maximum: mostRead)
            )
            // NIO keeps as many receive buffers, and uses those again that are no longer held.
            .channelOption(.maxMessagesPerRead, value: 8)
            .channelOption(.writeBufferWaterMark, value: .init(low: 131_072, high: 524_288))
            .connectTimeout(time)
            .channelInitializer { bound.value.willConnect($0) }
        connect(bootstrap).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel):
                let now = NIODeadline.now()
                self.timings.connect = CompactTime(from: startedAt, to: now)
                self.times.connect = .init(start: startedAt, end: now)
                // NIO connects it at once, and would not tell its handlers that it closes in this
                // turn: its server may have gone before the first bytes are sent.
                guard case .unixSocket = self.route.endpoint else { return self.connected(channel) }
                self.eventLoop.execute { bound.value.connected(channel) }
            case .failure(let error):
                self.end(.failure(.connecting(self.route.origin, error)))
            }
        }
    }

    /// Called before a channel is connected; fails after the end of the attempt.
    private func willConnect(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard completion != nil else { return eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        connectingChannels.append(channel)
        return eventLoop.makeSucceededVoidFuture()
    }

    private func connected(_ channel: any Channel) {
        guard completion != nil else {
            channel.close(promise: nil)
            return
        }
        connectingChannels = []
        self.channel = channel
        // Where it closes while the handlers of TLS are added, the last one does not hear of it.
        // The timer holds the attempt.
        channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in
            guard let self else { return }
            self.end(.failure(self.closed))
        }
        guard completion != nil else { return }
        if route.origin.isSecure { secure(channel) } else { open(channel, .plain) }
    }

    // MARK: TLS

    private func secure(_ channel: any Channel) {
        guard let tlsContext else { return }
        let startedAt = NIODeadline.now()
        times.tls = .init(start: startedAt)
        let clientCertificate = challengeHandler.map { handler in
            let challenge = ClientCertificateChallenge(route.origin, tls.identity)
            return ClientCertificateAnswer(challenge, channel: channel, handler: handler)
        }
        let verification = CertificateVerification(
            origin: route.origin,
            evaluator: trust,
            clientCertificate: clientCertificate
        )
        self.verification = verification
        do throws(NetworkingError) {
            try verification.start(on: channel, context: tlsContext) { result in
                let now = NIODeadline.now()
                self.timings.tls = CompactTime(from: startedAt, to: now)
                switch result {
                case .success(let applicationProtocol):
                    self.times.tls = .init(start: startedAt, end: now)
                    self.open(channel, .tls(applicationProtocol))
                case .failure(let error): self.end(.failure(error))
                }
            }
        } catch {
            end(.failure(error))
        }
    }

    // MARK: The protocol

    private func open(_ channel: any Channel, _ transport: Transport) {
        let record = ConnectionRecord(
            times,
            local: channel.localAddress,
            remote: channel.remoteAddress,
            tls: verification.map { TLSAgreement(version: .init(of: channel), cipherSuite: $0.cipherSuite) }
        )
        let established = Established(channel: channel, transport: transport, timings: timings, record: record)
        opener?(established) { result in
            self.end(result.mapError { $0 as? NetworkingError ?? self.closedAtOnce($0) })
        }
    }

    /// The error of a connection that has closed, where nothing else tells why.
    private var closed: NetworkingError {
        if let handshake = times.tls, handshake.end == nil { return .handshake(route.origin, ChannelError.eof) }
        return closedAtOnce(ChannelError.eof)
    }

    private func closedAtOnce(_ error: any Error) -> NetworkingError {
        NetworkingError(
            .connectionLost,
            "\(route.origin.description) closed the connection before the request was sent.",
            underlying: error
        )
    }
}

extension Bluebonnet.TLSVersion {
    /// The version that the handshake has agreed upon.
    fileprivate init?(of channel: any Channel) {
        switch try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self).tlsVersion {
        case .tlsv1: self = .tls1_0
        case .tlsv11: self = .tls1_1
        case .tlsv12: self = .tls1_2
        case .tlsv13: self = .tls1_3
        case nil: return nil
        }
    }
}
