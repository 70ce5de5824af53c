import FoundationEssentials
import HTTPTypes
import NIOCore

/// The opening of a tunnel on a stream of an HTTP/2 connection to a proxy: CONNECT (RFC 9113 §8.5),
/// and again with a credential where the proxy asks for one.
///
/// It is an exchange of the pool like any other one, so that the limit of streams, GOAWAY, refused
/// streams and lost connections mean the same for it.
struct TunnelRequest: Sendable {
    /// A tunnel that is open.
    struct Opened: Sendable {
        let tunnel: OpenedTunnel
        /// The connection to the proxy.
        let connection: ConnectionRecord?
        /// Whether that was there before.
        let isConnectionReused: Bool
    }

    /// The route of the connections to the proxy.
    let shared: Route
    let proxy: Proxy
    /// The end of the tunnel.
    let origin: Origin
    let authentication: ProxyAuthentication
    let pool: ConnectionPool
    /// The event loop whose connections are preferred.
    let preferredLoop: ObjectIdentifier

    /// The observers and the limits of the session are for its own requests.
    private static let settings = SessionSettings(SessionConfiguration())
    /// Whoever opens a tunnel has the timeout.
    private static let timeouts = Timeouts(waiting: nil, connect: nil, firstByte: nil, betweenBytes: nil)

    /// Opens the tunnel.
    ///
    /// - Parameter willSend: Gets each exchange before it begins.
    /// - Returns: The tunnel.
    /// - Throws: The error of the proxy. Where ``NetworkingError/isOfHTTP1Proxy`` says so, the
    ///   proxy is to be connected to anew.
    func open(_ willSend: (Exchange) -> Void) async throws(NetworkingError) -> Opened {
        var dialogue = ProxyAuthentication.Dialogue()
        var retries = RepeatableError.Retries()
        while true {
            guard pool.isMultiplexed(shared) else { throw .speaksHTTP1(proxy) }
            let exchange = try exchange(&dialogue, needsFreshConnection: retries.wasStale)
            willSend(exchange)
            let response: TransportResponse
            do {
                response = try await exchange.run()
            } catch {
                let error = NetworkingError.wrapping(error)
                if showsNoConnect(error) {
                    pool.remember(http1: proxy.origin, on: shared)
                    throw .speaksHTTP1(proxy)
                }
                guard retries.allow(.connect, after: error) else { throw opening(error) }
                continue
            }
            let isAnswered = authentication.answer(response.head, of: proxy, &dialogue)
            if let tunnel = response.tunnel {
                pool.note(tunnelAlong: shared)
                let (connection, isReused) = exchange.usedConnection
                return Opened(tunnel: tunnel, connection: connection, isConnectionReused: isReused)
            }
            // What is left of the response is not wanted.
            if isAnswered { continue }
            // RFC 9110 §9.3.6: only a response with 2xx opens a tunnel; this one ended its stream.
            guard !(200..<300 ~= response.statusCode) else { throw .closed(by: proxy, ChannelError.eof) }
            let refusal = await refusal(response, of: exchange)
            throw .refused(by: proxy, origin, refusal, hasSent: dialogue.hasSent)
        }
    }

    private func exchange(
        _ dialogue: inout ProxyAuthentication.Dialogue,
        needsFreshConnection: Bool
    ) throws(NetworkingError) -> Exchange {
        let authority = ConnectRequestStateMachine.authority(of: origin)
        let authorization = try authentication.authorization(for: proxy, .connect, authority, &dialogue)
        // Nobody sees its URL.
        var request = Request(method: .connect, url: URL(filePath: "/"))
        request.timeouts = Self.timeouts
        let call = Call(request, identifier: 0, settings: Self.settings, owner: nil, isStarted: true)
        return try Exchange(
            request,
            target: RequestTarget(tunnelTo: authority, through: proxy),
            through: shared.passage,
            proxyAuthorization: authorization,
            context: ExchangeContext(call: call, end: nil, collectsBody: false),
            startedAt: .now(),
            deadline: nil,
            isFirst: true,
            needsFreshConnection: needsFreshConnection,
            preferredLoop: preferredLoop,
            pool: pool
        )
    }

    /// A refusal with what is kept of its body. One that does not end is no longer waited for after
    /// a moment.
    private func refusal(
        _ response: TransportResponse,
        of exchange: Exchange
    ) async -> ConnectRequestStateMachine.Refusal {
        var refusal = ConnectRequestStateMachine.Refusal(head: response.head)
        let timer = StoppableCall.schedule(at: .now() + ProxyNegotiator.refusalTime) {
            exchange.fail(NetworkingError(.cancelled, "The body of the refusal took too long."))
        }
        defer { timer.cancel() }
        do {
            for try await piece in response.body {
                let room = ConnectRequestStateMachine.mostBody - refusal.body.readableBytes
                refusal.body.writeBytes(piece.prefix(room))
                if piece.count >= room { break }
            }
        } catch {
            // The refusal counts, whatever came of its body.
        }
        return refusal
    }

    /// Whether the proxy has taken CONNECT for a broken request: mitmproxy 11 agrees to HTTP/2, and
    /// knows CONNECT over HTTP/1.1 alone. It closes so early that the end of the connection may be
    /// all that is seen of its GOAWAY; of a proxy that has opened tunnels, that means nothing.
    private func showsNoConnect(_ error: NetworkingError) -> Bool {
        let mark = error.underlying as? RepeatableError
        let cause = mark.map(\.cause) ?? error.underlying
        if let end = cause as? HTTP2End { return end.code == .protocolError }
        return error.code == .connectionLost && mark?.reason != .notProcessed && !pool.opensTunnels(shared)
    }

    /// The error of an exchange as one of the opening: it was the proxy that failed. Nothing of the
    /// user's request was sent.
    private func opening(_ error: NetworkingError) -> NetworkingError {
        let cause = (error.underlying as? RepeatableError).map(\.cause) ?? error.underlying
        switch error.code {
        case .streamReset:
            return NetworkingError(
                .proxyRefused,
                "The proxy \(proxy) refused to open a tunnel to \(origin.description). \(error.message)",
                underlying: cause
            )
        case .connectionLost: return .closed(by: proxy, error)
        default: break
        }
        guard error.code.family != .framing else {
            return NetworkingError(
                .proxyResponseInvalid,
                "The response of the proxy \(proxy) to the request for a tunnel cannot be read: \(error.message)",
                underlying: cause
            )
        }
        // Its request is not that of the user.
        var opening = NetworkingError(error.code, error.message, underlying: cause)
        opening.connection = error.connection
        return opening
    }
}
