import HTTPTypes
import NIOCore
import NIOSSL

/// One HTTP/1.1 connection (RFC 9112): writes a request, reads its response, one exchange at a time.
///
/// Lives on one event loop and is only touched there. Stands last in the pipeline, behind TLS if there is any.
final class HTTP1Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let pool: ConnectionPool
    let origin: Origin
    let timer: DeadlineTimer
    let idleTimeout: CompactTime
    /// What is written goes to the socket as it is.
    let isUnencrypted: Bool
    /// How the connection came about, and when it was ready; reported by its first exchange.
    private var establishment: (timings: Timings, at: NIODeadline)?

    var machine = StateMachine()
    var parser: HTTP1ResponseParser
    var context: ChannelHandlerContext?
    var pooled: PooledConnection?
    /// The pool counts on it no longer.
    var hasLeftPool = false

    // The exchange under way.
    var exchange: Exchange?
    var upload: RequestUpload?
    var stream: BodyStream?
    var head: ResponseHead?
    var informational: [ResponseHead] = []
    var arrived = CircularBuffer<ByteBuffer>(initialCapacity: 4)
    var arrivedBytes = 0
    var uncountedBytes = 0
    /// The length of the body, where it is known and its call has not heard of it.
    var uncountedLength: Int?
    var timings = Timings()
    /// How far its bytes have got.
    var outbound = OutboundWatch()

    // Reading.
    var streamIsFull = false
    var hasPendingRead = false
    /// What a read under way brought after the task was suspended: looked at when it goes on.
    var held = CircularBuffer<ByteBuffer>()
    /// A response is complete; the connection serves on when the bytes that came with it have been looked at.
    var completion: Completion?

    // Deadlines.
    var nextDeadline: NIODeadline?
    /// The code is that of the timeout; nil when the exchange goes on then.
    var phaseDeadline: (at: NIODeadline, code: NetworkingError.Code?)?

    init(
        pool: ConnectionPool,
        origin: Origin,
        timer: DeadlineTimer,
        limits: Limits,
        idleTimeout: CompactTime,
        isUnencrypted: Bool,
        establishment: Timings
    ) {
        self.pool = pool
        self.origin = origin
        self.timer = timer
        self.idleTimeout = idleTimeout
        self.isUnencrypted = isUnencrypted
        self.establishment = (establishment, .now())
        parser = HTTP1ResponseParser(
            limits: HTTP1Limits(headerSection: limits.headerSection, headerLine: limits.headerLine)
        )
    }

    // MARK: Exchanges

    /// Sends the exchange's request. One that this connection cannot take goes back to the pool.
    func start(_ exchange: Exchange) {
        let sendsBodyLater = exchange.bodySentLater != nil
        let now = NIODeadline.now()
        // Where the event loop was busy, the idle time may be over before its timer could say so.
        if let idleEnd = phaseDeadline?.at, idleEnd <= now, !machine.isBusy { close() }
        guard let context, let pooled,
            machine.begin(sendsBodyLater: sendsBodyLater, expectsContinue: exchange.expectsContinue)
        else {
            pool.giveBack(exchange)
            return
        }
        guard exchange.assign(to: pooled) else {
            // Cancelled before a byte was sent: the connection is as good as before.
            machine.endedUnsent()
            becomeIdle(pooled, at: now)
            return
        }
        self.exchange = exchange
        parser.begin(exchange.kind)
        if let (establishment, readyAt) = establishment {
            timings = establishment.lastPart(of: readyAt.since(exchange.startedAt))
            timings.queue = now.since(exchange.startedAt) - timings.establishment
        } else {
            timings = Timings()
            timings.isConnectionReused = true
            timings.queueTime = CompactTime(from: exchange.startedAt, to: now)
        }
        establishment = nil
        outbound = OutboundWatch(handedOver: exchange.headBytes.readableBytes)
        context.writeAndFlush(wrapOutboundOut(exchange.headBytes), promise: nil)
        if machine.request == .awaitingContinue {
            startClock(now: now)
        } else if sendsBodyLater {
            beginUpload()
        } else {
            timings.requestSentTime = CompactTime(from: exchange.startedAt, to: now)
            if let length = exchange.request.body?.length { exchange.call.update { $0.sent = length } }
            setPhase(mayRead ? exchange.timeouts.firstByteTime : .none, .firstByteTimeout, now: now)
        }
    }

    /// The exchange ended from outside: cancelled, timed out, dropped.
    func abort(_ exchange: Exchange) {
        guard exchange === self.exchange else { return }
        forgetExchange()
        close()
    }
}

extension Timings {
    /// The time it took to make the connection.
    fileprivate var establishment: Duration { (dns ?? .zero) + (connect ?? .zero) + (tls ?? .zero) }

    /// What lies in the last part of the time it took to make the connection: who came later did not wait for the rest.
    func lastPart(of time: Duration) -> Timings {
        var part = Timings()
        var left = max(.zero, time)
        for phase in [\Timings.tls, \.connect, \.dns] {
            guard let whole = self[keyPath: phase], left > .zero else { continue }
            part[keyPath: phase] = min(whole, left)
            left -= min(whole, left)
        }
        return part
    }
}
