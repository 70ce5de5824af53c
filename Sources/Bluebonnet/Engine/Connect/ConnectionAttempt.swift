import NIOCore
import NIOSSL
import NIOTLS

/// One attempt to connect, on its event loop: every stage is timed, the whole has a timeout, and
/// the result comes once.
///
/// The stages, each of which begins the next: ``prepare()`` reads the trust roots,
/// ``dialEndpoint()`` finds addresses and opens the socket with a ``Dial``,
/// ``enter(_:on:)`` passes a proxy with a ``ProxyEntry``, ``secure(_:)`` does the TLS handshake, in
/// which the protocol is agreed upon, and ``Opener`` puts the connection for that protocol on the
/// channel, which may have to hear from the server before it is ready.
///
/// In a tunnel over HTTP/2, which is open already, socket and proxy are left out. A connection to a
/// proxy that agrees to HTTP/2 is left to the pool, and the attempt ends before the tunnel.
final class ConnectionAttempt {
    /// The layer between the socket and the protocol.
    enum Transport: Equatable {
        /// None: bytes are written to the socket as they are. The protocol is HTTP/1.1, or HTTP/2
        /// with prior knowledge.
        case plain
        /// TLS to a proxy, and none to the server. The protocols are those of `plain`.
        case proxied
        /// TLS to a proxy, which has agreed to HTTP/2. The connection is that of the proxy's own
        /// route.
        case shared
        case tls(ApplicationProtocol)
    }

    struct Established {
        var channel: any Channel
        var transport: Transport
        var timings: ExchangeTimings
        var record: ConnectionRecord
        /// What lets the connection serve other origins; nil where it must not.
        var proof: ServerProof?
    }

    /// Puts a connection on the channel, and calls back once: when it can take exchanges, or has
    /// failed. It must not succeed after its channel was closed.
    typealias Opener = (Established, _ ready: @escaping (Result<Outcome, any Error>) -> Void) -> Void

    /// The end of an attempt that has not failed.
    enum Outcome {
        case ready(ReadyConnection)
        /// The proxy speaks HTTP/2, and the pool has a connection to it: what was to be reached is
        /// reached on its streams.
        case shared
    }

    private let route: Route
    private let timeout: Duration?
    private let startedAt: NIODeadline
    private let eventLoop: any EventLoop
    private let tls: TLSContextSource
    private let trust: TrustEvaluator
    /// Chooses the client certificate; nil where the settings do.
    private let challengeHandler: ClientCertificateAnswer.Handler?
    private let dialer: Dialer
    /// The entry into the proxy, as long as it is not passed; nil without a proxy, and in a tunnel.
    private var entry: ProxyEntry?
    /// The tunnel that leads to the server; nil where a socket does.
    private var tunnel: OpenedTunnel?
    private var opener: Opener?
    /// The context of the handshake, for a secure origin.
    private var tlsContext: TLSContext?
    private var verification: CertificateVerification?
    private var times: ConnectionTimes {
        didSet { knownTimes.value = times }
    }
    private let knownTimes: AttemptTimes
    private let isServed: Dial.Sharing
    private var timer: Scheduled<Void>?
    /// Nil before it begins, and when the socket is open.
    private var dial: Dial?
    /// The channel that was connected.
    private var channel: (any Channel)?
    private var completion: ((Result<Outcome, NetworkingError>) -> Void)?

    init(
        route: Route,
        timeout: Duration?,
        startedAt: NIODeadline = .now(),
        eventLoop: any EventLoop,
        tls: TLSContextSource,
        trust: TrustEvaluator,
        challengeHandler: ClientCertificateAnswer.Handler? = nil,
        dialer: Dialer,
        entry: ProxyEntry? = nil,
        tunnel: OpenedTunnel? = nil,
        times: AttemptTimes,
        isServed: @escaping Dial.Sharing = { _ in false },
        open: @escaping Opener
    ) {
        self.route = route
        self.timeout = timeout
        self.startedAt = startedAt
        self.eventLoop = eventLoop
        self.tls = tls
        self.trust = trust
        self.challengeHandler = challengeHandler
        self.dialer = dialer
        self.times = times.value
        knownTimes = times
        self.isServed = isServed
        opener = open
        self.entry = entry
        self.tunnel = tunnel
    }

    func run(completion: @escaping (Result<Outcome, NetworkingError>) -> Void) {
        self.completion = completion
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let timer = eventLoop.scheduleTask(deadline: startedAt.advanced(by: time)) { bound.value.timedOut() }
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
        end(.failure(.connectTimedOut(route, timeout, times)), atOnce: true)
    }

    /// Ends the attempt; only the first end counts. With `atOnce`, TLS sends no closing alert, so
    /// that no socket is left when this returns.
    private func end(_ result: Result<Outcome, NetworkingError>, atOnce: Bool = false) {
        guard let completion else { return }
        self.completion = nil
        timer?.cancel()
        timer = nil
        dial?.cancel()
        dial = nil
        entry?.cancel()
        entry = nil
        verification?.cancel()
        verification = nil
        if case .failure = result {
            let tls = try? channel?.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
            if atOnce { tls?.close(promise: nil) }
            channel?.close(promise: nil)
        }
        channel = nil
        tunnel = nil
        opener = nil
        completion(
            result.mapError { error in
                var error = error
                error.connection = ConnectionRecord(failed: times, proxy: route.proxy)
                return error
            }
        )
    }

    // MARK: Preparation

    private func prepare() {
        // That of a proxy is read by its entry.
        guard route.origin.isSecure, !route.isShared else { return reachEndpoint() }
        tlsContext = tls.context
        guard tlsContext == nil else { return reachEndpoint() }
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
            reachEndpoint()
        case .failure(let error): end(.failure(TLSContext.invalid(error)))
        }
    }

    // MARK: The socket

    /// The most bytes of one read. NIOSSL collects what all reads of a turn decrypt to in one
    /// buffer that grows by copying, so that larger reads cost more there than they save.
    private var mostRead: Int { route.origin.isSecure || route.proxy?.kind == .https ? 65_536 : 262_144 }

    private func reachEndpoint() {
        guard let tunnel else { return dialEndpoint() }
        self.tunnel = nil
        let channel = TunnelChannel(over: tunnel.take())
        channel.begin()
        connected(channel)
    }

    private func dialEndpoint() {
        let dial = Dial(
            to: route.endpoint,
            mostRead: mostRead,
            eventLoop: eventLoop,
            dialer: dialer,
            isServed: isServed,
            record: { change in change(&self.times) }
        )
        self.dial = dial
        dial.start { result in
            self.dial = nil
            switch result {
            case .success(let channel): self.connected(channel)
            case .failure(let failure):
                let error = self.route.proxy.map { NetworkingError.dialing($0, failure) }
                let origin = Origin(isSecure: self.route.origin.isSecure, endpoint: self.route.endpoint)
                self.end(.failure(error ?? .dialing(origin, failure)))
            }
        }
    }

    private func connected(_ channel: any Channel) {
        self.channel = channel
        // Where it closes while the handlers of TLS are added, the last one does not hear of it.
        // The timer holds the attempt.
        channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in
            // A proxy may be connected to again.
            guard let self, self.channel === channel else { return }
            self.end(.failure(self.closed))
        }
        guard completion != nil else { return }
        if let entry { enter(entry, on: channel) } else { proceed(channel) }
    }

    // MARK: The proxy

    /// Passes the proxy. It may want another connection for that.
    private func enter(_ entry: ProxyEntry, on channel: any Channel) {
        if times.proxy == nil { times.proxy = .init(start: .now()) }
        entry.start(on: channel, record: { change in change(&self.times) }) { result in
            switch result {
            case .success(.open):
                self.entry = nil
                self.times.proxy?.end = .now()
                self.proceed(channel)
            case .success(.multiplexed):
                self.entry = nil
                self.times.proxy?.end = .now()
                // That of another route than the proxy's own is the pool's from now on.
                if !self.route.isShared { self.channel = nil }
                self.open(channel, .shared)
            case .success(.reconnect):
                self.channel = nil
                channel.close(promise: nil)
                self.dialEndpoint()
            case .failure(let error): self.end(.failure(error))
            }
        }
    }

    private func proceed(_ channel: any Channel) {
        if route.origin.isSecure { return secure(channel) }
        open(channel, route.proxy?.kind == .https ? .proxied : .plain)
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
                switch result {
                case .success(let applicationProtocol):
                    self.times.tls = .init(start: startedAt, end: .now())
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
            tls: verification.map { TLSAgreement(version: $0.version, cipherSuite: $0.cipherSuite) },
            proxy: route.proxy,
            proxyProtocol: proxyProtocol(of: channel, transport)
        )
        let established = Established(
            channel: channel,
            transport: transport,
            timings: times.timings,
            record: record,
            proof: transport == .tls(.http2) ? proof(of: channel) : nil
        )
        opener?(established) { result in
            self.end(result.mapError { $0 as? NetworkingError ?? self.closedAtOnce($0) })
        }
    }

    private func proxyProtocol(of channel: any Channel, _ transport: Transport) -> ApplicationProtocol? {
        guard let proxy = route.proxy, !proxy.kind.isSOCKS else { return nil }
        return transport == .shared || channel is TunnelChannel ? .http2 : .http1
    }

    /// What the server has shown. A certificate that was chosen for one host must not speak for the
    /// requests to another one, and a proxy may connect each name to another server.
    private func proof(of channel: any Channel) -> ServerProof? {
        guard route.passage == nil, let verification, !verification.hasChosenIdentity, let tlsContext,
            let remote = channel.remoteAddress, let address = IPAddress(remote), let port = remote.port,
            let bytes = verification.presented.first, let fields = try? CertificateFields(bytes),
            let leaf = try? ChainCertificate(fields)
        else { return nil }
        return ServerProof(
            endpoint: ServerProof.Endpoint(address: address, port: port),
            certificates: verification.presented,
            source: tls,
            anchors: tlsContext.anchors,
            names: PresentedIdentifiers(of: leaf)
        )
    }

    /// The error of a connection that has closed, where nothing else tells why.
    private var closed: NetworkingError {
        if let proxy = route.proxy, entry != nil { return .closed(by: proxy, ChannelError.eof) }
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
