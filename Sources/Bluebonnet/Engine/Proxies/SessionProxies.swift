import FoundationEssentials

/// The proxies of a session: which one a request gets, how they are trusted, and how the session
/// authenticates to them.
final class SessionProxies: Sendable {
    let authentication = ProxyAuthentication()
    /// The TLS of connections to proxies, which may agree to HTTP/2 unless the session speaks
    /// HTTP/1.1 alone.
    let tls: TLSContextSource
    /// That of connections to proxies that want HTTP/1.1.
    let tlsOfHTTP1: TLSContextSource
    let trust: TrustEvaluator
    private let source: ProxyConfiguration.Source
    /// Whether no request of the session has a proxy, unless it has one of its own.
    private let isDirect: Bool
    private let versions: HTTPVersionPolicy
    private let endpoints: EndpointOverrides

    init(_ configuration: SessionConfiguration) {
        let offer = (configuration.httpVersions == .http1_1 ? HTTPVersionPolicy.http1_1 : .automatic).offer
        tls = TLSContextSource(settings: configuration.proxyTLS, offer: offer)
        tlsOfHTTP1 = TLSContextSource(settings: configuration.proxyTLS, offer: HTTPVersionPolicy.http1_1.offer)
        // The policies and pins of the session are for its servers.
        var proxies = SessionConfiguration()
        proxies.securityPolicy = configuration.proxySecurityPolicy
        trust = TrustEvaluator(proxies)
        versions = configuration.httpVersions
        endpoints = configuration.endpointOverrides
        source = Self.read(configuration.proxies.source)
        if case .rules(let rules) = source { isDirect = rules.isEmpty } else { isDirect = false }
    }

    private static func read(_ source: ProxyConfiguration.Source) -> ProxyConfiguration.Source {
        guard case .environment = source else { return source }
        return .rules(ProxyRules(environment: ProcessInfo.processInfo.environment))
    }

    /// Whether a request may have a proxy.
    func concerns(_ request: Request) -> Bool { !isDirect || request.hasProxies }

    /// The use of a proxy for a request; nil for none.
    ///
    /// - Throws: ``NetworkingError/Code/invalidProxy``, and what the closure of the user throws or
    ///   what has stopped it.
    func passage(
        of request: Request,
        to origin: Origin,
        _ context: ExchangeContext
    ) async throws -> Route.Passage? {
        let proxy: Proxy?
        switch request.proxies.map({ Self.read($0.source) }) ?? source {
        case .rules(let rules): proxy = try rules.proxy(for: origin)
        // It was read above.
        case .environment: proxy = nil
        case .resolver(let resolve):
            guard case .host = origin.endpoint else { return nil }
            let url = request.url
            do {
                proxy = try await StoppableCall.run(for: request, context, .here) { try await resolve(url) }
            } catch {
                try context.checkStopped()
                if let error = error as? NetworkingError { throw error.completed(request: request) }
                throw NetworkingError(
                    .invalidProxy,
                    "No proxy could be chosen for \(request): \(error)",
                    request: request,
                    underlying: error
                )
            }
        }
        // A proxy that forwards requests chooses the version in which it speaks to the server,
        // knows of no other protocol, and sends them where the URL leads.
        let isElsewhere = endpoints.endpoint(for: origin.endpoint) != origin.endpoint
        let needsTunnel = request.upgrade != nil || versions.requiresHTTP2(to: origin) || isElsewhere
        return proxy.map { Route.Passage($0, to: origin, needsTunnel: needsTunnel) }
    }
}
