import HTTPTypes
import NIOCore

/// One HTTP/2 connection (RFC 9113): its streams, its windows and its life. Each stream carries one
/// exchange, whose decisions are in its ``ExchangeRun``.
///
/// Lives on one event loop and is only touched there. It hears of the peer through its
/// ``HTTP2FrameHandler``, and reads always: a stream whose reader is full, or whose task is
/// suspended, gives the server no more window, and holds up no other one.
final class HTTP2Connection {
    let pool: ConnectionPool
    let route: Route
    let timer: DeadlineTimer
    private let idleTimeout: CompactTime
    private let establishment: Establishment
    private(set) var pooled: PooledConnection?
    private(set) var frames: HTTP2FrameHandler?

    var machine = StateMachine()
    private(set) var streams: [Int: HTTP2Stream] = [:]
    /// The bytes that may still be sent on the connection (RFC 9113 §6.9).
    var sendWindow = HTTP2FrameHandler.initialWindow
    var receiveWindow = HTTP2ReceiveWindow(
        size: HTTP2FrameHandler.connectionWindow,
        available: HTTP2FrameHandler.connectionWindow
    )
    var windowBudget: HTTP2WindowBudget
    var probe: HTTP2BandwidthProbe
    var health: HTTP2Health
    var reader: HTTP2FieldReader
    /// The streams that the present read has touched.
    var touched: [HTTP2Stream] = []
    /// The time of the present read.
    private var readAt: NIODeadline?
    /// The order in which streams send their bodies.
    var turns = HTTP2SendTurns()
    var isSending = false
    /// What tunnels have sent outside of their turns since it was last handed to the socket.
    var unflushedByTunnels = 0
    /// The WINDOW_UPDATE frames that the server may send.
    var updates = HTTP2UpdateAllowance()
    /// The exchanges that wait for the settings of the server, and until when.
    var awaitingSettings: [(exchange: Exchange, end: NIODeadline?)] = []
    /// The PINGs that callers have asked for, and those who wait for them.
    var pings = HTTP2PingTimer()
    var pingCallers: [(caller: PingCaller, origin: Origin)] = []
    /// The end of the idle time, while no stream is open.
    private(set) var idleEnd: NIODeadline?
    var nextDeadline: NIODeadline?

    init(
        pool: ConnectionPool,
        route: Route,
        timer: DeadlineTimer,
        limits: Limits,
        idleTimeout: CompactTime,
        healthTimes: HealthTimes,
        sparesMemory: Bool,
        establishment: ExchangeTimings
    ) {
        self.pool = pool
        self.route = route
        self.timer = timer
        self.idleTimeout = idleTimeout
        self.establishment = Establishment(timings: establishment, readyAt: .now())
        windowBudget = sparesMemory ? HTTP2WindowBudget(largest: HTTP2WindowBudget.guaranteed) : HTTP2WindowBudget()
        probe = HTTP2BandwidthProbe(countsLinkOnly: sparesMemory)
        health = HTTP2Health(healthTimes, now: .now())
        reader = HTTP2FieldReader(
            limits: HTTP1Limits(headerSection: limits.headerSection, headerLine: limits.headerLine)
        )
    }

    /// Puts the connection on the channel, and sends the preface.
    func open(on channel: any Channel, limits: Limits, record: ConnectionRecord) throws -> ReadyConnection {
        let pooled = PooledConnection(self, eventLoop: channel.eventLoop, route: route, record: record)
        let frames = HTTP2FrameHandler(limits: limits, receiver: self)
        self.pooled = pooled
        self.frames = frames
        probe.sentSettings(now: .now())
        try frames.add(to: channel)
        guard channel.isActive, self.pooled != nil else { throw ChannelError.ioOnClosedChannel }
        timer.add(self)
        return ReadyConnection(connection: pooled, capacity: machine.capacity)
    }

    /// The time of the present read, or now.
    var now: NIODeadline {
        if let readAt { return readAt }
        let now = NIODeadline.now()
        readAt = now
        return now
    }

    // MARK: Streams

    /// The stream that carries an exchange.
    private func stream(of exchange: Exchange) -> HTTP2Stream? {
        guard let stream = streams[exchange.meter.stream.count], stream.run.exchange === exchange else { return nil }
        return stream
    }

    func isOpen(_ stream: HTTP2Stream) -> Bool { streams[stream.identifier] === stream }

    /// Forgets a stream, whose exchange has ended or is about to.
    private func remove(_ stream: HTTP2Stream) {
        streams[stream.identifier] = nil
        windowBudget.takeBack(stream.receiveWindow)
        turns.remove(stream.identifier)
        guard let sender = stream.sender else { return }
        sender.end()
        // It holds the stream.
        stream.sender = nil
    }

    /// The response is complete and may be handed over. The place is given back before that, so
    /// that the caller's next request finds it.
    func finish(_ stream: HTTP2Stream, trailers: HTTPFields) {
        let run = stream.run
        keepContent(of: stream)
        run.end(trailers: trailers, now: now)
        if !stream.isRequestComplete {
            // RFC 9113 §8.1: the rest of the request is not wanted.
            frames?.sendReset(.cancel, on: stream.identifier)
        }
        remove(stream)
        machine.served()
        release(at: now)
        run.deliver()
    }

    /// Fails the exchange of a stream, and resets it where the server does not know of its end.
    func fail(_ stream: HTTP2Stream, _ error: NetworkingError, reset code: HTTP2Code?) {
        guard isOpen(stream) else { return }
        if let code { frames?.sendReset(code, on: stream.identifier) }
        keepContent(of: stream)
        close(stream)
        guard let tunnel = stream.tunnel else { return stream.run.fail(error) }
        // It holds the stream.
        stream.tunnel = nil
        tunnel.failed(error)
    }

    /// Forgets a stream, and frees its place.
    func close(_ stream: HTTP2Stream) {
        remove(stream)
        release(at: .now())
    }

    /// Frees the place of an exchange.
    func release(at now: NIODeadline) {
        guard let pooled else { return }
        switch pool.release(pooled, at: now) {
        case .serve(let exchange): pooled.startSoon(exchange, from: pool)
        case .keep: becomeIdle(at: now)
        case .close: if streams.isEmpty { close() }
        }
    }

    // MARK: Requests

    private func write(_ exchange: Exchange, on stream: HTTP2Stream, isSentAtOnce: Bool) {
        let body = exchange.bodySentWithHead ?? ByteBuffer()
        let isEmpty = exchange.bodySentLater == nil && body.readableBytes == 0
        let head = exchange.head
        let fields = HTTP2RequestFields.encode(
            head,
            scheme: stream.origin.isSecure ? "https" : "http",
            upgrade: exchange.request.upgrade
        )
        let sent = isSentAtOnce ? body.readableBytes : 0
        // RFC 9113 §8.5, RFC 8441 §4: the stream goes on in both directions.
        let isWhole = isSentAtOnce && !exchange.opensTunnel
        frames?.send(fields: fields, on: stream.identifier, endsStream: isEmpty && isWhole)
        stream.isRequestComplete = isWhole
        updates.sent()
        if isSentAtOnce, !isEmpty {
            stream.sendWindow -= sent
            sendWindow -= sent
            frames?.send(body, on: stream.identifier, endsStream: true)
            updates.sent(content: sent)
        }
        let headLength = HTTP2RequestFields.byteCount(head) + HTTP2OutboundCount.frameHeader
        handOver(head: headLength, body: sent, of: stream)
    }

    private func beginUpload(of stream: HTTP2Stream) {
        guard let pooled, let frames else { return }
        let exchange = stream.run.exchange
        let sender = HTTP2BodySender(of: stream, over: self, frames: frames)
        stream.sender = sender
        // The clock of the wait for 100 Continue stops; the exchange's own runs.
        stream.run.startClock(now: .now())
        arm(for: stream)
        if let body = exchange.bodySentLater {
            sender.begin(body, on: pooled)
        } else if let body = exchange.bodySentWithHead {
            sender.begin(body)
        }
        send(on: stream)
        // The head waits behind what is unsent, also where the body has not had its turn.
        if isOpen(stream), frames.count.mayWait || !frames.isWritable { followBytes(of: stream) }
    }

    /// RFC 9110 §10.1.1: sends the body, because 100 Continue came, or did not come in time.
    func continueUpload(of stream: HTTP2Stream) {
        if stream.run.endContinueWait() { beginUpload(of: stream) }
    }

    // MARK: The end

    /// Makes room for another connection. What is under way goes on.
    func leavePool() {
        machine.doom()
        guard let pooled, machine.leavePool() else { return }
        pool.leave(pooled)
    }

    /// Ends the connection, and every exchange on it with its own error.
    func end(code: HTTP2Code?, _ error: (HTTP2Stream) -> NetworkingError) {
        leavePool()
        guard let frames else { return }
        // Its last stream would close it in order.
        self.frames = nil
        nextDeadline = nil
        for stream in streams.values.sorted(by: { $0.identifier < $1.identifier }) where isOpen(stream) {
            // Its response is complete, and waits for its task to be resumed.
            if let trailers = stream.ending {
                finish(stream, trailers: trailers)
            } else {
                fail(stream, error(stream), reset: nil)
            }
        }
        for (exchange, _) in awaitingSettings { pool.giveBack(exchange, refusedBy: nil, isNew: true) }
        awaitingSettings = []
        finishPings { .failure(.pingLost($0)) }
        if let code { frames.sendGoAway(code) }
        frames.close()
    }

    /// The channel is closed.
    func removed() {
        end(code: nil) { lost($0, nil) }
        if let pooled { pool.closed(pooled) }
        // It holds this connection, which holds it.
        pooled = nil
        timer.remove(self)
    }

    /// The error of an exchange whose connection is lost.
    func lost(_ stream: HTTP2Stream, _ reset: (any Error)?) -> NetworkingError {
        let origin = stream.origin
        if stream.tunnel != nil { return .tunnelLost(origin, reset ?? ChannelError.eof) }
        // RFC 9113 §6.8: the reason, where the server has said one.
        let code = machine.goneAway.flatMap { $0 == .noError ? nil : $0 }
        let (reason, cause) = (code.map { " with \($0)" } ?? "", code.map { HTTP2End(code: $0) } ?? reset)
        if stream.isSilent, machine.hasServed {
            let message = "\(origin.description) closed the connection\(reason) before the response began."
            return RepeatableError.marking(NetworkingError(.connectionLost, message, underlying: cause), .stale)
        }
        if let reset, code == nil {
            return .lost(origin, reset, hasResponse: !stream.isSilent, isSilent: stream.isSilent)
        }
        let (kind, moment) =
            stream.isSilent
            ? (NetworkingError.Code.connectionLost, "before the response began")
            : (.truncatedResponse, "in the middle of the response")
        let message = "\(origin.description) closed the connection\(reason) \(moment)."
        return NetworkingError(kind, message, underlying: cause)
    }

    /// What was noted for the present read is over.
    func readEnded() {
        readAt = nil
    }
}

extension HTTP2Connection: HTTPConnection {
    func start(_ exchange: Exchange) {
        let now = NIODeadline.now()
        // Where the event loop was busy, the idle time may be over before its timer fires.
        if let idleEnd, idleEnd <= now, streams.isEmpty { close() }
        guard let pooled, let frames, machine.mayBegin else {
            return pool.giveBack(exchange, refusedBy: pooled, isNew: !machine.hasServed)
        }
        // RFC 9113 §5.1.2: the limit may have become lower after the pool had chosen.
        guard streams.count < machine.capacity else {
            pool.giveBack(exchange, refusedBy: nil)
            return release(at: now)
        }
        guard exchange.request.upgrade == nil || machine.peer.allowsConnectProtocol else {
            // RFC 8441 §3: only the settings tell, which a new connection does not have yet.
            guard machine.hasSettings else { return awaitSettings(exchange, now: now) }
            // RFC 8441 §3: nothing was sent. Its next way is over HTTP/1.1, if that is allowed.
            pool.remember(tunnels: false, to: exchange.route.origin)
            exchange.fail(.withoutTunnels(exchange.route))
            return release(at: now)
        }
        // A suspended task takes no stream: it waits for one after `resume()`.
        if exchange.isSuspended { exchange.fail(.suspended(exchange.route.origin)) }
        let inlineLength = exchange.bodySentWithHead?.readableBytes ?? 0
        let isSentAtOnce =
            exchange.bodySentLater == nil && inlineLength <= min(sendWindow, machine.peer.initialWindow)
        // One of another origin has not waited for this connection, unless it is that to a proxy.
        let isFirst =
            !machine.hasServed && exchange.startedAt < establishment.readyAt
            && (exchange.route == route || route.isShared)
        guard
            let run = exchange.run(
                on: pooled,
                isFirst ? establishment : nil,
                knowsContinue: true,
                isSentAtOnce: isSentAtOnce,
                now: now
            ), let identifier = machine.begin()
        else { return release(at: now) }
        exchange.meter.stream.set(identifier)
        let stream = HTTP2Stream(
            identifier,
            run,
            sendWindow: machine.peer.initialWindow,
            mark: frames.count.handedOver
        )
        streams[identifier] = stream
        idleEnd = nil
        run.beganSending(now: now)
        write(exchange, on: stream, isSentAtOnce: isSentAtOnce)
        if health.isDue(now: now) { sendHealthPing(now: now) }
        armHealth()
        if machine.isUsedUp { leavePool() }
        switch run.sending {
        case .underWay: return beginUpload(of: stream)
        case .complete:
            run.sentWhole(now: now)
            // Behind much that is unsent, it is too early to wait for the response.
            if frames.count.mayWait { followBytes(of: stream) }
        case .awaitingContinue, .withheld: run.startClock(now: now)
        }
        // Its observers may have stopped it.
        if isOpen(stream) { arm(for: stream) }
    }

    func becomeIdle(at now: NIODeadline) {
        guard streams.isEmpty else { return }
        guard idleTimeout != .zero else { return close() }
        idleEnd = idleTimeout.deadline(after: now)
        if let idleEnd { arm(at: idleEnd) }
    }

    func abort(_ exchange: Exchange) {
        guard let stream = stream(of: exchange) else { return }
        if stream.ending == nil { frames?.sendReset(.cancel, on: stream.identifier) }
        close(stream)
    }

    func suspensionChanged(for exchange: Exchange) {
        guard let stream = stream(of: exchange) else { return }
        send(on: stream)
        if isOpen(stream) { continueReading(stream) }
    }

    func readerHasRoom(for exchange: Exchange) {
        guard let stream = stream(of: exchange) else { return }
        stream.run.readerHasRoom()
        continueReading(stream)
    }

    func uploadHasMore(for exchange: Exchange) {
        if let stream = stream(of: exchange) { send(on: stream) }
    }

    func priorityChanged(for exchange: Exchange) {
        guard let stream = stream(of: exchange), stream.ending == nil else { return }
        frames?.sendPriority(exchange.priority.description, of: stream.identifier)
    }

    func fail(_ error: NetworkingError) {
        end(code: .noError) { _ in error }
    }

    func close() {
        leavePool()
        // Otherwise its last stream closes it.
        if streams.values.allSatisfy({ $0.lingersUntil != nil }) { end(code: .noError) { lost($0, nil) } }
    }
}
