import FoundationEssentials
import HTTPTypes
import NIOCore
import NIOPosix

/// The transport of every session: HTTP/1.1 and HTTP/2 over pooled connections, TCP, TLS and
/// Unix-domain sockets, on SwiftNIO.
final class Engine: Transport {
    private let pool: ConnectionPool
    private let proxies: SessionProxies
    private let waitsForConnectivity: Bool

    /// - Parameters:
    ///   - configuration: The settings of the session.
    ///   - names: Its names. Default: nil, names of its own.
    init(configuration: SessionConfiguration, names: NameLookups? = nil) {
        waitsForConnectivity = configuration.waitsForConnectivity
        proxies = SessionProxies(configuration)
        pool = ConnectionPool(
            configuration: configuration,
            proxies: proxies,
            dialer: Dialer(configuration, names),
            group: configuration.eventLoopGroup ?? NIOSingletons.posixEventLoopGroup
        )
    }

    deinit {
        invalidate()
    }

    func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
        try await send(request, context: context, offersCodings: false)
    }

    /// Sends a request, also for a caller that can undo content codings: with `offersCodings`, a
    /// request without `Accept-Encoding` offers them. With `concernsNetwork`, it waits for a
    /// network where that is wanted. With `needsFreshConnection`, none is used that is there.
    func send(
        _ request: Request,
        context: ExchangeContext,
        offersCodings: Bool,
        concernsNetwork: Bool = true,
        choice: ProxyChoice = .open,
        needsFreshConnection: Bool = false
    ) async throws -> TransportResponse {
        try request.checkMethod()
        if concernsNetwork, waitsForConnectivity || request.refusesNetworks {
            let target = try request.target
            let passage =
                proxies.concerns(request) ? try await proxies.passage(of: request, to: target.origin, context) : nil
            return try await Connectivity.send(request, passage?.proxy, context) { needsFreshConnection in
                try await send(
                    request,
                    context: context,
                    offersCodings: offersCodings,
                    concernsNetwork: false,
                    choice: .made(passage),
                    needsFreshConnection: needsFreshConnection
                )
            }
        }
        let startedAt = NIODeadline.now()
        var request = request
        if context.call.hooks != nil, request.body?.use?.hasBegun == true, let body = try await context.newBody() {
            request.body = body
        }
        let target = try request.target
        let passage: Route.Passage? =
            switch choice {
            case .made(let passage): passage
            case .open where proxies.concerns(request):
                try await proxies.passage(of: request, to: target.origin, context)
            case .open: nil
            }
        // RFC 9110 §11.7.2: it is for a proxy, which this request may have been excepted from.
        if passage == nil, request.headerFields.contains(.proxyAuthorization), proxies.concerns(request) {
            request.headerFields[.proxyAuthorization] = nil
        }
        // A request with a credential of its own has no other one, and its 407 is not about that of
        // the proxy.
        let authenticated = request.headerFields.contains(.proxyAuthorization) ? nil : passage?.forwardingProxy
        var dialogue = ProxyAuthentication.Dialogue()
        let preferredLoop = MultiThreadedEventLoopGroup.currentEventLoop.map { ObjectIdentifier($0) }
        var retries = RepeatableError.Retries()
        var isExpectationRefused = false
        var isMisdirected = false
        var wasRefusedByHost = false
        var isFirst = true
        var unsent: ObservedTransaction?
        while true {
            if context.isSuspended { try await context.waitWhileSuspended() }
            let proxyAuthorization = try authenticated.flatMap { proxy in
                try proxies.authentication.authorization(
                    for: proxy,
                    request.method,
                    target.form(through: passage),
                    &dialogue
                )
            }
            let exchange = try Exchange(
                request,
                target: target,
                through: passage,
                proxyAuthorization: proxyAuthorization,
                context: context,
                startedAt: startedAt,
                deadline: context.endsAt,
                isFirst: isFirst,
                needsFreshConnection: needsFreshConnection || retries.wasStale,
                mayExpectContinue: !isExpectationRefused,
                offersCodings: offersCodings,
                preferredLoop: preferredLoop,
                continuing: unsent,
                pool: pool
            )
            isFirst = false
            unsent = nil
            do {
                var response = try await exchange.run()
                if exchange.expectsContinue, response.statusCode == 417,
                    let repeated = try await Self.repeated(request, after: exchange, context)
                {
                    // RFC 9110 §15.5.18: the expectation was refused, not the request.
                    await response.body.discard()
                    isExpectationRefused = true
                    request = repeated
                    continue
                }
                if let proxy = authenticated,
                    proxies.authentication.answer(response.head, of: proxy, &dialogue),
                    let repeated = try await Self.repeated(request, after: exchange, context)
                {
                    await response.body.discard()
                    request = repeated
                    continue
                }
                // RFC 9110 §15.5.20: it was not processed, whatever the method, and may be sent
                // again over another connection: one of its own origin, or else of another version.
                let isRefusedByHost = response.statusCode == 421 && exchange.isCoalesced
                if isRefusedByHost { pool.keepApart(target.origin) }
                if response.statusCode == 421, response.head.httpVersion == .http2,
                    isRefusedByHost || (!isMisdirected && exchange.route.versions == .automatic),
                    let repeated = try await Self.repeated(request, after: exchange, context)
                {
                    await response.body.discard()
                    if isRefusedByHost {
                        wasRefusedByHost = true
                    } else {
                        pool.remember(http1: target.origin)
                        isMisdirected = true
                    }
                    request = repeated
                    continue
                }
                let count =
                    retries.count + (isExpectationRefused ? 1 : 0) + (isMisdirected ? 1 : 0)
                    + (wasRefusedByHost ? 1 : 0)
                if count > 0 { response.retries = count }
                return response
            } catch let error as NetworkingError {
                guard context.call.hooks != nil || Self.hasBody(request, after: exchange),
                    retries.allow(request.method, after: error),
                    let repeated = try await Self.repeated(request, after: exchange, context)
                else { throw error }
                request = repeated
                // One that was suspended before it was sent will be.
                unsent = exchange.takeUnsent()
            }
        }
    }

    /// Whether it is known how a request uses a proxy.
    enum ProxyChoice {
        case open
        case made(Route.Passage?)
    }

    /// Whether the body can be sent after this exchange: it is replayable, or its source was not
    /// asked for it yet.
    private static func hasBody(_ request: Request, after exchange: Exchange) -> Bool {
        request.body?.isReplayable ?? true || !exchange.hasBegunBody
    }

    /// The request with a body that can be sent after this exchange; nil where there is none.
    private static func repeated(
        _ request: Request,
        after exchange: Exchange,
        _ context: ExchangeContext
    ) async throws -> Request? {
        if hasBody(request, after: exchange) { return request }
        guard let body = try await context.newBody() else { return nil }
        var request = request
        request.body = body
        return request
    }

    /// Sends a PING to an origin, and returns the time of its round trip.
    func ping(_ origin: Origin) async throws(NetworkingError) -> Duration {
        try await pool.ping(origin)
    }

    func invalidate() {
        pool.invalidate(with: NetworkingError(.sessionInvalidated, "The session was invalidated."))
    }

    func waitUntilClosed() async {
        await pool.waitUntilClosed()
    }

    var openConnections: Int { pool.openConnections }
    var waitingExchanges: Int { pool.waitingExchanges }
    var attempts: Int { pool.attempts }
}
