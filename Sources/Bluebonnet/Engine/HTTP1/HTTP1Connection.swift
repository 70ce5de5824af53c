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
    let idleTimeout: Duration
    /// How the connection came about; reported by its first exchange.
    private var establishment: Timings?

    var machine = StateMachine()
    var parser: HTTP1ResponseParser
    var context: ChannelHandlerContext?
    var pooled: PooledConnection?

    // The exchange under way.
    var exchange: Exchange?
    var upload: RequestUpload?
    var stream: BodyStream?
    var head: ResponseHead?
    var informational: [ResponseHead] = []
    var arrived = CircularBuffer<ByteBuffer>(initialCapacity: 4)
    var arrivedBytes = 0
    var uncountedBytes = 0
    var timings = Timings()

    // Reading.
    var streamIsFull = false
    var hasPendingRead = false

    // Deadlines.
    var nextDeadline: NIODeadline?
    var phaseDeadline: (at: NIODeadline, code: NetworkingError.Code)?

    init(pool: ConnectionPool, origin: Origin, timer: DeadlineTimer, limits: Limits, idleTimeout: Duration, establishment: Timings) {
        self.pool = pool
        self.origin = origin
        self.timer = timer
        self.idleTimeout = idleTimeout
        self.establishment = establishment
        parser = HTTP1ResponseParser(
            limits: HTTP1Limits(headerSection: limits.headerSection, headerLine: limits.headerLine)
        )
    }

    // MARK: Exchanges

    /// Sends the exchange's request. One that this connection cannot take goes back to the pool.
    func start(_ exchange: Exchange) {
        guard let context, let pooled, machine.begin(sendsBodyLater: exchange.sendsBodyLater) else {
            pool.resubmit(exchange)
            return
        }
        guard exchange.assign(to: pooled) else {
            // Cancelled before a byte was sent: the connection is as good as before.
            if machine.receivedEnd(isKeepAlive: true, hasBytesLeft: exchange.sendsBodyLater) == .release {
                becomeIdle(pooled)
            } else {
                close()
            }
            return
        }
        self.exchange = exchange
        parser.begin(exchange.kind)
        let now = NIODeadline.now()
        timings = establishment ?? Timings()
        timings.isConnectionReused = establishment == nil
        timings.queue = max(.zero, now.since(exchange.startedAt) - (establishment.map(Self.total) ?? .zero))
        establishment = nil
        setPhase(exchange.timeouts.firstByte, .firstByteTimeout, now: now)
        context.write(wrapOutboundOut(exchange.headBytes), promise: nil)
        if let body = exchange.bodyBytes { context.write(wrapOutboundOut(body), promise: nil) }
        context.flush()
        if case .produced(let length, _, let produce)? = exchange.request.body?.storage {
            // The clock for the first byte starts when the request has been sent.
            phaseDeadline = nil
            updateDeadline()
            let upload = RequestUpload(length: length, connection: pooled, exchange: exchange)
            self.upload = upload
            exchange.began(upload)
            upload.start(produce)
        } else {
            sent(now)
        }
    }

    private static func total(_ timings: Timings) -> Duration {
        (timings.dns ?? .zero) + (timings.connect ?? .zero) + (timings.tls ?? .zero)
    }

    private func sent(_ now: NIODeadline) {
        guard let exchange else { return }
        timings.requestSent = now.since(exchange.startedAt)
        if let length = exchange.request.body?.data?.count { exchange.control.update { $0.sent = length } }
    }

    /// There is more to write, or the socket takes more again.
    func uploadHasMore(for exchange: Exchange) {
        guard exchange === self.exchange, let upload, let context else { return }
        var hasWritten = false
        defer { if hasWritten { context.flush() } }
        let isChunked = exchange.request.body?.length == nil
        while context.channel.isWritable {
            switch upload.next() {
            case .nothingYet:
                return
            case .piece(let piece):
                hasWritten = true
                write(piece, isChunked: isChunked, to: context)
                let count = piece.readableBytes
                exchange.control.update { $0.sent += count }
                setPhase(exchange.timeouts.betweenBytes, .betweenBytesTimeout, now: .now())
            case .finished:
                if isChunked {
                    var last = ByteBuffer()
                    // Without trailers there is nothing to refuse.
                    try? HTTP1RequestEncoder.encodeLastChunk(into: &last)
                    context.write(wrapOutboundOut(last), promise: nil)
                }
                context.flush()
                self.upload = nil
                machine.requestSent()
                let now = NIODeadline.now()
                timings.requestSent = now.since(exchange.startedAt)
                if head == nil { setPhase(exchange.timeouts.firstByte, .firstByteTimeout, now: now) }
                return
            }
            if !context.channel.isWritable {
                context.flush()
                hasWritten = false
            }
        }
    }

    private func write(_ piece: ByteBuffer, isChunked: Bool, to context: ChannelHandlerContext) {
        guard isChunked else {
            context.write(wrapOutboundOut(piece), promise: nil)
            return
        }
        var before = ByteBuffer()
        HTTP1RequestEncoder.encodeChunkHeader(piece.readableBytes, into: &before)
        var after = ByteBuffer()
        HTTP1RequestEncoder.encodeChunkEnd(into: &after)
        context.write(wrapOutboundOut(before), promise: nil)
        context.write(wrapOutboundOut(piece), promise: nil)
        context.write(wrapOutboundOut(after), promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let exchange { uploadHasMore(for: exchange) }
    }

    /// The exchange ended from outside: cancelled, timed out, dropped.
    func abort(_ exchange: Exchange) {
        guard exchange === self.exchange else { return }
        forgetExchange()
        close()
    }
}
