import NIOCore

/// The part of a connection attempt between the socket to a proxy and the server: TLS to the proxy,
/// then the tunnel by CONNECT or SOCKS. On the event loop of the attempt, which has the timeout.
final class ProxyEntry {
    enum Outcome {
        /// What is written to the channel goes to the server, or to the proxy that forwards
        /// requests.
        case open
        /// The proxy has agreed to HTTP/2: the connection to it carries many tunnels and forwarded
        /// requests, each on a stream. None was opened yet.
        case multiplexed
        /// Another connection to the proxy is needed; the entry goes on with it.
        case reconnect
    }

    typealias Completion = (Result<Outcome, NetworkingError>) -> Void

    private let passage: Route.Passage
    /// The end of the tunnel.
    private let origin: Origin
    private let proxies: SessionProxies
    private let tls: TLSContextSource
    private let dialer: Dialer
    private let limits: HTTP1Limits
    private let eventLoop: any EventLoop
    private var record: Dial.Recorder?
    private var completion: Completion?
    private var verification: CertificateVerification?
    /// The addresses of the server, where the session looks them up.
    private var lookup: HostLookup?
    /// The error of a proxy that could not reach the last of them.
    private var lastRefusal: NetworkingError?
    private var dialogue = ProxyAuthentication.Dialogue()

    init(
        _ passage: Route.Passage,
        to origin: Origin,
        _ proxies: SessionProxies,
        tls: TLSContextSource,
        dialer: Dialer,
        limits: HTTP1Limits,
        eventLoop: any EventLoop
    ) {
        self.passage = passage
        self.origin = Origin(isSecure: origin.isSecure, endpoint: dialer.endpoints.endpoint(for: origin.endpoint))
        self.proxies = proxies
        self.tls = tls
        self.dialer = dialer
        self.limits = limits
        self.eventLoop = eventLoop
    }

    private var proxy: Proxy { passage.proxy }

    /// Begins on a connected channel.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - record: Notes which name is being looked up.
    ///   - completion: Called once, unless the entry is cancelled before.
    func start(on channel: any Channel, record: @escaping Dial.Recorder, completion: @escaping Completion) {
        self.record = record
        self.completion = completion
        guard proxy.kind == .https else { return openTunnel(channel) }
        if let context = tls.context { return secure(channel, context) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        tls.makeContext { [eventLoop] result in
            eventLoop.execute { bound.value.prepared(result, channel) }
        }
    }

    /// Ends it; the channel is left to its owner.
    func cancel() {
        completion = nil
        record = nil
        verification?.cancel()
        verification = nil
        lookup?.cancel()
        lookup = nil
    }

    private func end(_ result: Result<Outcome, NetworkingError>) {
        guard let completion else { return }
        self.completion = nil
        record = nil
        if case .success(.reconnect) = result {} else { lookup?.cancel() }
        completion(result)
    }

    // MARK: TLS to the proxy

    private func prepared(_ result: Result<TLSContext, any Error>, _ channel: any Channel) {
        guard completion != nil else { return }
        switch result {
        case .success(let context): secure(channel, context)
        case .failure(let error): end(.failure(.securing(proxy, TLSContext.invalid(error))))
        }
    }

    private func secure(_ channel: any Channel, _ context: TLSContext) {
        let verification = CertificateVerification(origin: proxy.origin, evaluator: proxies.trust)
        self.verification = verification
        do throws(NetworkingError) {
            try verification.start(on: channel, context: context) { result in
                self.verification = nil
                switch result {
                case .success(.http2): self.end(.success(.multiplexed))
                case .success(.http1): self.openTunnel(channel)
                case .failure(let error): self.end(.failure(.securing(self.proxy, error)))
                }
            }
        } catch {
            end(.failure(.securing(proxy, error)))
        }
    }

    // MARK: The tunnel

    private func openTunnel(_ channel: any Channel) {
        if case .shared = passage { return end(.failure(.speaksHTTP1(proxy))) }
        guard case .tunnel = passage, case .host(let host, let port) = origin.endpoint else {
            return end(.success(.open))
        }
        guard proxy.kind.isSOCKS else {
            return negotiate(.connect(ConnectRequestStateMachine(to: origin, limits: limits)), channel)
        }
        if let address = IPAddress(String(host.prefix { $0 != "%" })) {
            return negotiate(.address(address), port, channel)
        }
        guard proxy.kind.looksUpNames else { return negotiate(.name(host), port, channel) }
        let families: Set<IPAddress.Family> = proxy.kind == .socks4 ? [.ipv4] : IPAddress.Family.all
        let lookup = self.lookup ?? HostLookup(of: host, port: port, dialer, on: eventLoop, usable: families)
        self.lookup = lookup
        record? { $0.awaitedName = .init(name: host, families: lookup.awaitedFamilies, isForProxy: true) }
        lookup.next { self.found($0, port, channel) }
    }

    private func found(_ result: Result<IPAddress, Dial.Failure>, _ port: Int, _ channel: any Channel) {
        record? { $0.awaitedName = nil }
        switch result {
        case .success(let address): negotiate(.address(address), port, channel)
        case .failure(let failure): end(.failure(lastRefusal ?? .dialing(origin, failure)))
        }
    }

    private func negotiate(_ host: SOCKSStateMachine.Destination.Host, _ port: Int, _ channel: any Channel) {
        let destination = SOCKSStateMachine.Destination(host: host, port: port)
        negotiate(.socks(SOCKSStateMachine(proxy.kind, to: destination, credential: proxy.credential)), channel)
    }

    private func negotiate(_ machine: ProxyNegotiator.Machine, _ channel: any Channel) {
        let negotiator = ProxyNegotiator(machine, of: proxy, proxies.authentication, dialogue) { outcome, dialogue in
            self.dialogue = dialogue
            switch outcome {
            case .open: self.end(.success(.open))
            case .reconnect: self.end(.success(.reconnect))
            case .refused(let refusal):
                self.end(.failure(.refused(by: self.proxy, self.origin, refusal, hasSent: dialogue.hasSent)))
            case .failed(let fault): self.failed(fault)
            }
        }
        do {
            try channel.pipeline.syncOperations.addHandler(negotiator)
        } catch {
            end(.failure(.negotiating(proxy, origin, .lost(error))))
        }
    }

    private func failed(_ fault: ProxyFault) {
        let error = NetworkingError.negotiating(proxy, origin, fault)
        // A proxy that could not reach one address may reach another (RFC 8305 §5).
        if case .socks(.refused) = fault, lookup?.mayContinue == true {
            lastRefusal = error
            record? { $0.proxyRefusal = error.message }
            return end(.success(.reconnect))
        }
        end(.failure(error))
    }
}
