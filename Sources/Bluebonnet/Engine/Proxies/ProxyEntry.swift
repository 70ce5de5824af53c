import NIOCore

/// The part of a connection attempt between the socket to a proxy and the server: TLS to the proxy,
/// then the tunnel by CONNECT or SOCKS. On the event loop of the attempt, which has the timeout.
final class ProxyEntry {
    enum Outcome {
        /// What is written to the channel goes to the server, or to the proxy that forwards
        /// requests.
        case open
        /// Another connection to the proxy is needed; the entry goes on with it.
        case reconnect
    }

    typealias Completion = (Result<Outcome, NetworkingError>) -> Void

    private let passage: Route.Passage
    private let origin: Origin
    private let proxies: SessionProxies
    private let dialer: Dialer
    private let limits: HTTP1Limits
    private let eventLoop: any EventLoop
    private var completion: Completion?
    private var verification: CertificateVerification?
    private var lookup: HostLookup?
    private var dialogue = ProxyAuthentication.Dialogue()
    /// The addresses of the server that are left to be tried, where the session looks them up.
    private var addresses: [IPAddress]?

    init(
        _ passage: Route.Passage,
        to origin: Origin,
        _ proxies: SessionProxies,
        dialer: Dialer,
        limits: HTTP1Limits,
        eventLoop: any EventLoop
    ) {
        self.passage = passage
        self.origin = origin
        self.proxies = proxies
        self.dialer = dialer
        self.limits = limits
        self.eventLoop = eventLoop
    }

    private var proxy: Proxy { passage.proxy }

    /// Begins on a connected channel. The completion is called once, unless the entry is cancelled
    /// before.
    func start(on channel: any Channel, completion: @escaping Completion) {
        self.completion = completion
        guard proxy.kind == .https else { return openTunnel(channel) }
        if let context = proxies.tls.context { return secure(channel, context) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        proxies.tls.makeContext { [eventLoop] result in
            eventLoop.execute { bound.value.prepared(result, channel) }
        }
    }

    /// Ends it; the channel is left to its owner.
    func cancel() {
        completion = nil
        verification?.cancel()
        verification = nil
        lookup?.cancel()
        lookup = nil
    }

    private func end(_ result: Result<Outcome, NetworkingError>) {
        guard let completion else { return }
        self.completion = nil
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
                case .success: self.openTunnel(channel)
                case .failure(let error): self.end(.failure(.securing(self.proxy, error)))
                }
            }
        } catch {
            end(.failure(.securing(proxy, error)))
        }
    }

    // MARK: The tunnel

    private func openTunnel(_ channel: any Channel) {
        guard case .tunnel = passage, case .host(let host, let port) = origin.endpoint else {
            return end(.success(.open))
        }
        guard proxy.kind.isSOCKS else {
            return negotiate(.connect(ConnectRequestStateMachine(to: origin, limits: limits)), channel)
        }
        if let address = addresses?.first ?? IPAddress(String(host.prefix { $0 != "%" })) {
            return negotiate(.address(address), port, channel)
        }
        guard proxy.kind.looksUpNames else { return negotiate(.name(host), port, channel) }
        let lookup = HostLookup(dialer, on: eventLoop, usable: proxy.kind == .socks4 ? [.ipv4] : IPAddress.Family.all)
        self.lookup = lookup
        lookup.start(host, port) { self.found($0, port, channel) }
    }

    private func found(_ result: Result<[IPAddress], Dial.Failure>, _ port: Int, _ channel: any Channel) {
        lookup = nil
        switch result {
        case .success(let found):
            let usable = found.filter { proxy.kind != .socks4 || $0.isIPv4 }
            guard let first = usable.first else {
                return end(.failure(.dialing(origin, .lookup(host: origin.serverName, cause: nil))))
            }
            addresses = usable
            negotiate(.address(first), port, channel)
        case .failure(let failure): end(.failure(.dialing(origin, failure)))
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
        // A proxy that could not reach one address may reach another (RFC 8305 §5).
        if case .socks(.refused) = fault, addresses.map({ $0.count > 1 }) ?? false {
            addresses?.removeFirst()
            return end(.success(.reconnect))
        }
        end(.failure(.negotiating(proxy, origin, fault)))
    }
}
