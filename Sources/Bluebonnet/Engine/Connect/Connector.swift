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
        var openings: [ObjectIdentifier: TunnelOpening] = [:]
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
        let startedAt = NIODeadline.now()
        var eventLoop: any EventLoop
        let pool: ConnectionPool
        let handle: AttemptHandle
        let completion: Completion
        /// The tunnel over HTTP/2 to the server; nil where a socket is connected.
        var tunnel: OpenedTunnel?

        func run() {
            connector.begin(self)
        }

        func wasDropped() {
            completion(.failure(.eventLoopShutDown(route.origin)))
        }
    }

    /// The entry into the proxy of a route; nil without one, and in a tunnel.
    private func entry(for work: Connect) -> ProxyEntry? {
        guard let passage = work.route.passage, work.tunnel == nil else { return nil }
        let wantsHTTP1 = work.route.shared.map { work.pool.wantsHTTP1($0) } ?? false
        return ProxyEntry(
            passage,
            to: work.route.origin,
            proxies,
            tls: wantsHTTP1 ? proxies.tlsOfHTTP1 : proxies.tls,
            dialer: dialer,
            limits: HTTP1Limits(
                headerSection: configuration.limits.headerSection,
                headerLine: configuration.limits.headerLine
            ),
            eventLoop: work.eventLoop
        )
    }

    private func begin(_ work: Connect) {
        if work.tunnel == nil, case .tunnel = work.route.passage, let shared = work.route.shared,
            work.pool.isMultiplexed(shared)
        {
            return openTunnel(work, along: shared)
        }
        // Another attempt may have come this far already, to a proxy that has changed its mind.
        if work.tunnel == nil { work.handle.times.value = ConnectionTimes() }
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
            startedAt: work.startedAt,
            eventLoop: work.eventLoop,
            tls: tls,
            trust: trust,
            challengeHandler: configuration.callHooks?.sessionDidReceiveChallenge,
            dialer: dialer,
            entry: entry(for: work),
            tunnel: work.tunnel,
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
            switch result {
            case .success(.ready(let ready)): work.completion(.success(ready))
            case .success(.shared): self.goOn(work)
            case .failure(let error): work.completion(.failure(error))
            }
        }
        work.handle.whenCancelled { error in
            pending.eventLoop.execute { pending.attempt.value.cancel(with: error) }
        }
    }

    // MARK: Proxies with HTTP/2

    /// Goes on where the connection to the proxy is the pool's.
    private func goOn(_ work: Connect) {
        guard let shared = work.route.shared, work.pool.isMultiplexed(shared) else { return begin(work) }
        if case .tunnel = work.route.passage { return openTunnel(work, along: shared) }
        // What the proxy forwards is sent on that connection already.
        work.completion(.failure(NetworkingError(.cancelled, "The connection to the proxy is shared.")))
    }

    /// Opens a tunnel on a connection to the proxy, and connects through it.
    private func openTunnel(_ work: Connect, along shared: Route) {
        guard let proxy = shared.proxy else { return }
        let origin = work.route.origin
        let request = TunnelRequest(
            shared: shared,
            proxy: proxy,
            origin: Origin(isSecure: origin.isSecure, endpoint: dialer.endpoints.endpoint(for: origin.endpoint)),
            authentication: proxies.authentication,
            pool: work.pool,
            preferredLoop: ObjectIdentifier(work.eventLoop)
        )
        let opening = TunnelOpening(
            request,
            for: work.route,
            timeout: work.timeout,
            startedAt: work.startedAt,
            times: work.handle.times
        )
        let id = ObjectIdentifier(opening)
        let end = state.withLock { state in
            if state.end == nil { state.openings[id] = opening }
            return state.end
        }
        if let end { return work.completion(.failure(end)) }
        opening.run(by: work.handle) { result in
            self.state.withLock { $0.openings[id] = nil }
            switch result {
            case .success(let tunnel):
                var behind = work
                behind.tunnel = tunnel
                behind.eventLoop = tunnel.eventLoop
                behind.execute(on: tunnel.eventLoop)
            case .failure(let error) where error.isOfHTTP1Proxy: work.execute(on: work.eventLoop)
            case .failure(let error): work.completion(.failure(error))
            }
        }
    }

    /// Gives the pool a connection to a proxy that speaks HTTP/2.
    private func share(
        _ established: ConnectionAttempt.Established,
        _ work: Connect
    ) throws -> ConnectionAttempt.Outcome {
        guard let shared = work.route.shared, let proxy = shared.proxy else { return .shared }
        do {
            guard shared != work.route else { return .ready(try openHTTP2(established, work, along: shared)) }
            guard work.pool.needsConnection(along: shared) else {
                established.channel.close(promise: nil)
                return .shared
            }
            work.pool.adopt(try openHTTP2(established, work, along: shared), along: shared)
            return .shared
        } catch {
            throw NetworkingError.closed(by: proxy, error)
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
        let (attempts, openings) = state.withLock { state in
            state.end = state.end ?? error
            return (Array(state.attempts.values), Array(state.openings.values))
        }
        for opening in openings { opening.cancel(with: error) }
        for pending in attempts {
            pending.eventLoop.execute { pending.attempt.value.cancel(with: error) }
        }
        dialer.lookups.stopAll()
    }

    /// Puts the connection for the protocol that was agreed upon on the channel.
    private func open(
        _ established: ConnectionAttempt.Established,
        _ work: Connect,
        _ ready: (Result<ConnectionAttempt.Outcome, any Error>) -> Void
    ) {
        let requiresHTTP2 = work.route.versions.requiresHTTP2(to: work.route.origin)
        switch established.transport {
        case .plain where requiresHTTP2, .proxied where requiresHTTP2, .tls(.http2):
            ready(Result { .ready(try openHTTP2(established, work, along: work.route)) })
        case .shared: ready(Result { try share(established, work) })
        case .tls(.http1) where requiresHTTP2: ready(.failure(NetworkingError.withoutHTTP2(work.route.origin)))
        case .plain, .proxied, .tls(.http1): ready(Result { .ready(try openHTTP1(established, work)) })
        }
    }

    private func openHTTP2(
        _ established: ConnectionAttempt.Established,
        _ work: Connect,
        along route: Route
    ) throws -> ReadyConnection {
        let connection = HTTP2Connection(
            pool: work.pool,
            route: route,
            timer: timer(for: work.eventLoop),
            limits: configuration.limits,
            idleTimeout: CompactTime(configuration.idleConnectionTimeout),
            healthTimes: configuration.healthTimes,
            sparesMemory: configuration.sparesMemory,
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
