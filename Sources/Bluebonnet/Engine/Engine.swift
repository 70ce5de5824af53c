import FoundationEssentials
import HTTPTypes
import NIOCore
import NIOPosix

/// The transport of every session: HTTP/1.1 over pooled connections, TCP, TLS and Unix-domain
/// sockets, on SwiftNIO.
final class Engine: Transport {
    private let pool: ConnectionPool

    init(configuration: SessionConfiguration) {
        pool = ConnectionPool(
            configuration: configuration,
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
    /// request without `Accept-Encoding` offers them.
    func send(
        _ request: Request,
        context: ExchangeContext,
        offersCodings: Bool
    ) async throws -> TransportResponse {
        let startedAt = NIODeadline.now()
        let target = try request.target
        let preferredLoop = MultiThreadedEventLoopGroup.currentEventLoop.map { ObjectIdentifier($0) }
        var retries = RepeatableError.Retries()
        var isExpectationRefused = false
        var isFirst = true
        var unsent: ObservedTransaction?
        while true {
            if context.isSuspended { try await context.waitWhileSuspended() }
            let exchange = try Exchange(
                request,
                target: target,
                context: context,
                startedAt: startedAt,
                deadline: context.endsAt,
                isFirst: isFirst,
                needsFreshConnection: retries.wasStale,
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
                if exchange.expectsContinue, response.statusCode == 417, Self.hasBody(request, after: exchange) {
                    // RFC 9110 §15.5.18: the expectation was refused, not the request.
                    await response.body.discard()
                    isExpectationRefused = true
                    continue
                }
                let count = retries.count + (isExpectationRefused ? 1 : 0)
                if count > 0 { response.retries = count }
                return response
            } catch let error as NetworkingError {
                guard Self.hasBody(request, after: exchange), retries.allow(request.method, after: error) else {
                    throw error
                }
                // One that was suspended before it was sent will be.
                unsent = exchange.takeUnsent()
            }
        }
    }

    /// Whether the body can be sent after this exchange: it is replayable, or its source was not
    /// asked for it yet.
    private static func hasBody(_ request: Request, after exchange: Exchange) -> Bool {
        request.body?.isReplayable ?? true || !exchange.hasBegunBody
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
