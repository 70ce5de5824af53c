import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// Makes connections: name lookup, TCP by Happy Eyeballs (RFC 8305), the way through a proxy, TLS,
/// all within one connect timeout.
final class Connector: Sendable {
    private let configuration: SessionConfiguration
    private let tls: TLSContexts
    /// Those of connections that must speak HTTP/1.1, whatever the session prefers.
    private let tlsOfHTTP1: TLSContexts
    private let trust: TrustEvaluator
    private let dialer: Dialer
    private let proxies: SessionProxies
    private let timers = Mutex<[ObjectIdentifier: NIOLoopBound<DeadlineTimer>]>([:])
    private let state = Mutex(State())

    private struct State {
        var attempts: [ObjectIdentifier: PendingAttempt] = [:]
        /// The error of further attempts, after the end.
        var end: NetworkingError?
    }

    /// An attempt under way and the event loop it may be touched on.
    private struct PendingAttempt: Sendable {
        let eventLoop: any EventLoop
        let attempt: NIOLoopBound<ConnectionAttempt>
    }

    typealias Completion = @Sendable (Result<ReadyConnection, NetworkingError>) -> Void

    init(configuration: SessionConfiguration, proxies: SessionProxies, dialer: Dialer) {
        self.configuration = configuration
        tls = TLSContexts(configuration.tls, offer: configuration.httpVersions.offer)
        tlsOfHTTP1 = TLSContexts(configuration.tls, offer: HTTPVersionPolicy.http1_1.offer)
        self.proxies = proxies
        trust = TrustEvaluator(configuration)
        self.dialer = dialer
    }

    /// Makes one connection and reports once: on the event loop, or here when the loop was shut
    /// down. It fails when it is cancelled by the handle.
    func connect(
        along route: Route,
        timeout: Duration?,
        on eventLoop: any EventLoop,
        pool: ConnectionPool,
        handle: AttemptHandle,
        completion: @escaping Completion
    ) {
        Connect(
            connector: self,
            route: route,
            timeout: timeout,
            eventLoop: eventLoop,
            pool: pool,
            handle: handle,
            completion: completion
        ).execute(on: eventLoop)
    }

    private struct Connect: LoopWork {
        let connector: Connector
        let route: Route
        let timeout: Duration?
        let eventLoop: any EventLoop
        let pool: ConnectionPool
        let handle: AttemptHandle
        let completion: Completion

        func run() {
            connector.begin(self)
        }

        func wasDropped() {
            completion(.failure(.eventLoopShutDown(route.origin)))
        }
    }

    /// The entry into the proxy of a route; nil without one.
    private func entry(along route: Route, on eventLoop: any EventLoop) -> ProxyEntry? {
        guard let passage = route.passage else { return nil }
        return ProxyEntry(
            passage,
            to: route.origin,
            proxies,
            dialer: dialer,
            limits: HTTP1Limits(
                headerSection: configuration.limits.headerSection,
                headerLine: configuration.limits.headerLine
            ),
            eventLoop: eventLoop
        )
    }

    private func begin(_ work: Connect) {
        let tls: TLSContextSource
        do {
            let contexts = work.route.versions == .http1_1 ? tlsOfHTTP1 : self.tls
            tls = try contexts.source(for: work.route.origin)
        } catch {
            return work.completion(.failure(error))
        }
        let attempt = ConnectionAttempt(
            route: work.route,
            timeout: work.timeout,
            eventLoop: work.eventLoop,
            tls: tls,
            trust: trust,
            challengeHandler: configuration.callHooks?.sessionDidReceiveChallenge,
            dialer: dialer,
            entry: entry(along: work.route, on: work.eventLoop),
            times: work.handle.times,
            isServed: { [pool = work.pool, route = work.route] in pool.isServed(route, at: $0) },
            open: { established, ready in self.open(established, work, ready) }
        )
        let id = ObjectIdentifier(attempt)
        let pending = PendingAttempt(
            eventLoop: work.eventLoop,
            attempt: NIOLoopBound(attempt, eventLoop: work.eventLoop)
        )
        let end = state.withLock { state in
            if state.end == nil { state.attempts[id] = pending }
            return state.end
        }
        if let end { return work.completion(.failure(end)) }
        attempt.run { result in
            self.state.withLock { $0.attempts[id] = nil }
            work.completion(result)
        }
        work.handle.whenCancelled { error in
            pending.eventLoop.execute { pending.attempt.value.cancel(with: error) }
        }
    }

    /// Whether a server would be trusted as that of another origin, with the same client
    /// certificate.
    func isServer(of origin: Origin, _ proof: ServerProof) -> Bool {
        guard let identity = ServerIdentity(host: origin.serverName), proof.names.contain(identity),
            let source = try? tls.source(for: origin), source === proof.source
        else { return false }
        return trust.accepts(proof.certificates, of: origin, identity: identity, anchors: proof.anchors)
    }

    /// Ends all attempts and lookups under way, and the attempts that would begin from now on.
    func cancelAttempts(with error: NetworkingError) {
        let attempts = state.withLock { state in
            state.end = state.end ?? error
            return Array(state.attempts.values)
        }
        for pending in attempts {
            pending.eventLoop.execute { pending.attempt.value.cancel(with: error) }
        }
        dialer.lookups.stopAll()
    }

    /// Puts the connection for the protocol that was agreed upon on the channel.
    private func open(
        _ established: ConnectionAttempt.Established,
        _ work: Connect,
        _ ready: (Result<ReadyConnection, any Error>) -> Void
    ) {
        let requiresHTTP2 = work.route.versions.requiresHTTP2(to: work.route.origin)
        switch established.transport {
        case .plain where requiresHTTP2, .proxied where requiresHTTP2, .tls(.http2):
            ready(Result { try openHTTP2(established, work) })
        case .tls(.http1) where requiresHTTP2: ready(.failure(NetworkingError.withoutHTTP2(work.route.origin)))
        case .plain, .proxied, .tls(.http1): ready(Result { try openHTTP1(established, work) })
        }
    }

    private func openHTTP2(_ established: ConnectionAttempt.Established, _ work: Connect) throws -> ReadyConnection {
        let connection = HTTP2Connection(
            pool: work.pool,
            route: work.route,
            timer: timer(for: work.eventLoop),
            limits: configuration.limits,
            idleTimeout: CompactTime(configuration.idleConnectionTimeout),
            healthTimes: configuration.healthTimes,
            establishment: established.timings
        )
        var ready = try connection.open(
            on: established.channel,
            limits: configuration.limits,
            record: established.record
        )
        ready.proof = established.proof
        return ready
    }

    private func openHTTP1(_ established: ConnectionAttempt.Established, _ work: Connect) throws -> ReadyConnection {
        let connection = HTTP1Connection(
            pool: work.pool,
            route: work.route,
            timer: timer(for: work.eventLoop),
            limits: configuration.limits,
            idleTimeout: CompactTime(configuration.idleConnectionTimeout),
            isUnencrypted: established.transport == .plain,
            establishment: established.timings,
            record: established.record
        )
        try established.channel.pipeline.syncOperations.addHandler(connection)
        guard established.channel.isActive, let pooled = connection.pooled else {
            throw ChannelError.ioOnClosedChannel
        }
        return ReadyConnection(connection: pooled, capacity: 1)
    }

    /// The contexts of one offer of protocols.
    private struct TLSContexts: Sendable {
        private let source: TLSContextSource
        /// Those of hosts with a client certificate of their own.
        private let ofHosts: HostPatterns<TLSContextSource>

        init(_ settings: TLSSettings, offer: [ApplicationProtocol]) {
            source = TLSContextSource(settings: settings, offer: offer)
            ofHosts = HostPatterns(
                settings.hostIdentities.mapValues {
                    TLSContextSource(settings: settings, identity: $0, offer: offer)
                },
                in: "hostIdentities"
            )
        }

        func source(for origin: Origin) throws(NetworkingError) -> TLSContextSource {
            guard origin.isSecure else { return source }
            return try ofHosts.value(for: origin.serverName) ?? source
        }
    }

    private func timer(for eventLoop: any EventLoop) -> DeadlineTimer {
        let bound = timers.withLock { timers in
            if let timer = timers[ObjectIdentifier(eventLoop)] { return timer }
            let timer = NIOLoopBound(DeadlineTimer(eventLoop: eventLoop), eventLoop: eventLoop)
            timers[ObjectIdentifier(eventLoop)] = timer
            return timer
        }
        return bound.value
    }
}
