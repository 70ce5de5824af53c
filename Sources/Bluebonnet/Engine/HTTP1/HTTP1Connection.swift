import HTTPTypes
import NIOCore
import NIOSSL

/// One HTTP/1.1 connection (RFC 9112): its framing and its life. One exchange at a time, whose
/// decisions are in its ``ExchangeRun``.
///
/// Lives on one event loop and is only touched there. It is the last handler of the pipeline,
/// behind TLS if there is any.
final class HTTP1Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    private let pool: ConnectionPool
    let route: Route
    private let timer: DeadlineTimer
    private let idleTimeout: CompactTime
    /// Whether bytes are written to the socket as they are.
    private let isUnencrypted: Bool
    private var establishment: Establishment?
    private let record: ConnectionRecord

    var machine: StateMachine
    private(set) var context: ChannelHandlerContext?
    private(set) var pooled: PooledConnection?
    /// The exchange under way.
    var run: ExchangeRun?
    private var sender: HTTP1BodySender?
    /// The head of a request, in memory that is used again.
    private var outgoing = ByteBuffer()
    private var parsesHeld = false
    var nextDeadline: NIODeadline?

    /// More memory than this is not kept for the next head.
    private static let mostOutgoing = 4096

    init(
        pool: ConnectionPool,
        route: Route,
        timer: DeadlineTimer,
        limits: Limits,
        idleTimeout: CompactTime,
        isUnencrypted: Bool,
        establishment: ExchangeTimings,
        record: ConnectionRecord
    ) {
        self.record = record
        self.pool = pool
        self.route = route
        self.timer = timer
        self.idleTimeout = idleTimeout
        self.isUnencrypted = isUnencrypted
        self.establishment = Establishment(timings: establishment, readyAt: .now())
        machine = StateMachine(
            limits: HTTP1Limits(headerSection: limits.headerSection, headerLine: limits.headerLine)
        )
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        pooled = PooledConnection(self, eventLoop: context.eventLoop, route: route, record: record)
        timer.add(self)
    }

    /// Called when the channel is closed. NIO calls nothing else for a channel that was closed
    /// while it was being connected.
    func handlerRemoved(context: ChannelHandlerContext) {
        inputEnded(reset: nil, isTruncatedTLS: false)
        leavePool()
        if let pooled { pool.closed(pooled) }
        self.context = nil
        // It holds this connection, which holds it.
        pooled = nil
        timer.remove(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let read = unwrapInboundIn(data)
        let bytes = isUnencrypted ? read : read.decryptedCopy
        switch machine.received(bytes, isSuspended: run?.exchange.isSuspended ?? false) {
        case .parse: if let run { parse(bytes, for: run) }
        case .hold, .ignore: break
        case .close: close()
        case .pass: context.fireChannelRead(NIOAny(bytes))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOver()
        settle()
        context.fireChannelReadComplete()
    }

    /// NIO asks for the next read here; it waits while the reader is full or the task suspended.
    func read(context: ChannelHandlerContext) {
        if machine.requestRead(mayRead: mayRead) { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { sender?.send() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .some(NIOSSLError.uncleanShutdown) = error as? NIOSSLError, machine.isBusy {
            // RFC 9112 §9.8: without the closing alert of TLS the response may have been cut off;
            // it is complete only if its framing says so.
            inputEnded(reset: nil, isTruncatedTLS: true)
            return
        }
        guard machine.stage != .tunnel else { return context.fireErrorCaught(error) }
        inputEnded(reset: error, isTruncatedTLS: false)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            inputEnded(reset: nil, isTruncatedTLS: false)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputEnded(reset: nil, isTruncatedTLS: false)
        context.fireChannelInactive()
    }

    // MARK: From bytes to a response

    /// The run of an exchange that this connection carries, unless its response is complete.
    private func run(of exchange: Exchange) -> ExchangeRun? {
        guard machine.isBusy, let run, run.exchange === exchange else { return nil }
        return run
    }

    private var mayRead: Bool {
        guard machine.isBusy, let run else { return true }
        return run.mayRead
    }

    private func parse(_ bytes: ByteBuffer, for run: ExchangeRun) {
        var buffer = bytes
        let now = NIODeadline.now()
        run.bytesCame(now: now)
        var counted = buffer.readableBytes
        do {
            while let event = try machine.next(&buffer) {
                counted = run.count(received: counted, of: buffer)
                if case .end = event, run.isSwitch { return switchProtocols(run, behind: buffer, now: now) }
                guard take(event, for: run, now: now, hasBytesLeft: buffer.readableBytes > 0) else { return }
            }
        } catch {
            return fail(NetworkingError(error, from: route.origin))
        }
        _ = run.count(received: counted, of: buffer)
        // RFC 9110 §15.2: an informational response other than 100 neither ends nor prolongs the
        // wait for 100 Continue.
        guard run.sending != .awaitingContinue else { return }
        run.restartClock(now: now)
        arm()
    }

    /// Returns whether to go on parsing.
    private func take(
        _ event: HTTP1ResponseParser.Event,
        for run: ExchangeRun,
        now: NIODeadline,
        hasBytesLeft: Bool
    ) -> Bool {
        switch event {
        case .informational(let head):
            run.received(informational: head)
            // An observer may have stopped it.
            guard self.run === run else { return false }
            if head.statusCode == 100 { continueUpload(of: run) }
            guard self.run === run else { return false }
            // What follows in the same read is the beginning of another response.
            if hasBytesLeft { run.bytesCame(now: now) }
        case .head(let head, let length):
            guard head.statusCode != 101 || run.mayOpenTunnel(head) else {
                // RFC 9110 §15.2.2: a switch of protocols follows an Upgrade field, and is to one
                // of the protocols in it.
                let server = route.origin.description
                let text = "\(server) switched to a protocol that was not asked for."
                var error = NetworkingError(.unexpectedResponse, text)
                error.response = head
                fail(error)
                return false
            }
            let expected: Int? = if case .exactly(let length) = length { Int(length) } else { nil }
            run.received(head, bodyLength: expected, now: now)
            return self.run === run
        case .body(let piece):
            run.received(piece)
        case .end(let trailers):
            finish(run, trailers: trailers ?? [:], now: now, hasBytesLeft: hasBytesLeft)
            return false
        }
        return true
    }

    /// Parses the bytes that came while the task was suspended.
    private func parseHeld() {
        // An observer of a head may suspend the task and resume it: the loop below parses what
        // follows.
        guard !parsesHeld else { return }
        parsesHeld = true
        defer { parsesHeld = false }
        while let run, let bytes = machine.takeHeld() { parse(bytes, for: run) }
        handOver()
        settle()
    }

    private func handOver() {
        guard machine.isBusy, let run, run.hasHead else { return }
        run.handOver()
        if self.run === run { arm() }
    }

    /// Reads on if it may; the clock between bytes starts anew.
    private func continueReading(_ run: ExchangeRun) {
        let now = NIODeadline.now()
        if run.mayRead { run.restartClock(now: now) } else { run.startClock(now: now) }
        arm()
        guard run.mayRead else { return }
        if machine.holdsBytes { parseHeld() }
        if mayRead, machine.takePendingRead() { context?.read() }
    }

    /// The response is complete. What is left to do waits until the whole read has been looked at:
    /// bytes that came behind the response must never be taken for the response to the next
    /// request.
    private func finish(_ run: ExchangeRun, trailers: HTTPFields, now: NIODeadline, hasBytesLeft: Bool) {
        run.end(trailers: trailers, now: now)
        endSending()
        // RFC 9112 §9.6: a request that asks for the end of the connection gets it.
        machine.end(
            hasBytesLeft: hasBytesLeft,
            isRequestSent: run.sending == .complete,
            asksForClose: run.exchange.head.asksForClose
        )
        nextDeadline = nil
        if machine.takePendingRead() { context?.read() }
    }

    /// Gives the connection back before it hands over the response, so that the caller's next
    /// request finds the connection.
    private func settle() {
        guard let next = machine.settle(), let run else { return }
        self.run = nil
        switch next {
        case .release: release(at: run.endedAt)
        case .close: close()
        }
        run.deliver()
    }

    // MARK: The body of the request

    private func beginUpload(of run: ExchangeRun) {
        guard let pooled, let context, let body = run.exchange.bodySentLater else { return }
        let sender = HTTP1BodySender(
            of: run,
            upload: RequestUpload(body, connection: pooled, exchange: run.exchange),
            over: self,
            context: context,
            isUnencrypted: isUnencrypted
        )
        self.sender = sender
        // The clock of the wait for 100 Continue stops; the exchange's own runs.
        run.startClock(now: .now())
        arm()
        sender.begin(body)
    }

    /// RFC 9110 §10.1.1: sends the body, because 100 Continue came, or did not come in time.
    private func continueUpload(of run: ExchangeRun) {
        if run.endContinueWait() { beginUpload(of: run) }
    }

    private func endSending() {
        sender?.end()
        sender = nil
    }

    /// Looks at the unsent bytes after something was written, and starts the clock of what is
    /// waited for now.
    func followBytes(of run: ExchangeRun) {
        guard self.run === run, machine.isBusy else { return }
        run.followBytes(unsent: context?.unsentBytes ?? 0, now: .now())
        arm()
    }

    // MARK: Ending

    /// Takes the next waiting exchange, or stays idle until the idle timeout.
    private func release(at now: NIODeadline) {
        guard let pooled else { return close() }
        switch pool.release(pooled, at: now) {
        case .serve(let exchange): pooled.startSoon(exchange, from: pool)
        case .keep: becomeIdle(at: now)
        case .close: close()
        }
    }

    /// Makes room for another connection.
    func leavePool() {
        guard let pooled, machine.leavePool() else { return }
        pool.leave(pooled)
    }

    /// Gives up the exchange under way, whose response is not complete.
    private func forget() -> ExchangeRun? {
        defer { run = nil }
        endSending()
        machine.doom()
        nextDeadline = nil
        if machine.takePendingRead() { context?.read() }
        return run
    }

    /// No more bytes will come. What that means depends on how far the response is.
    private func inputEnded(reset: (any Error)?, isTruncatedTLS: Bool) {
        machine.inputEnded()
        if machine.holdsBytes { parseHeld() } else { settle() }
        guard machine.isBusy, let run else { return close() }
        if machine.isStale {
            let message = "\(route.origin.description) closed the connection before the response began."
            let error = NetworkingError(.connectionLost, message, underlying: reset)
            return fail(RepeatableError.marking(error, .stale))
        }
        if let reset {
            return fail(.lost(route.origin, reset, hasResponse: run.hasHead, isSilent: machine.isSilent))
        }
        do {
            let event = try machine.finish()
            guard case .end(let trailers) = event, !isTruncatedTLS else {
                let message = "\(route.origin.description) cut the TLS connection off in the middle of the response."
                let request = run.exchange.sent.request
                return fail(NetworkingError(.truncatedResponse, message, request: request))
            }
            finish(run, trailers: trailers ?? [:], now: .now(), hasBytesLeft: false)
            settle()
        } catch {
            fail(NetworkingError(error, from: route.origin))
        }
    }
}

extension HTTP1Connection: HTTPConnection {
    func start(_ exchange: Exchange) {
        let now = NIODeadline.now()
        // Where the event loop was busy, the idle time may be over before its timer fires.
        if let nextDeadline, nextDeadline <= now, !machine.isBusy { close() }
        let kind: HTTP1ResponseParser.RequestKind = exchange.request.method == .head ? .head : .ordinary
        guard let context, let pooled, machine.begin(kind) else {
            return pool.giveBack(exchange, refusedBy: pooled, isNew: establishment != nil)
        }
        // A suspended task keeps no connection from others: it waits for one after `resume()`.
        if exchange.isSuspended { exchange.fail(.suspended(route.origin)) }
        let knowsContinue = !machine.servesHTTP10
        guard
            let run = exchange.run(
                on: pooled,
                establishment,
                knowsContinue: knowsContinue,
                isSentAtOnce: exchange.bodySentLater == nil,
                now: now
            )
        else {
            // It ended before a byte was sent: the connection is as good as before.
            machine.endUnsent()
            return release(at: now)
        }
        self.run = run
        establishment = nil
        run.beganSending(now: now)
        write(exchange, of: run, to: context)
        // The write may have ended the connection.
        guard self.run === run else { return }
        switch run.sending {
        case .underWay: return beginUpload(of: run)
        case .complete: run.sentWhole(now: now)
        case .awaitingContinue, .withheld: run.startClock(now: now)
        }
        // Its observers may have stopped it.
        if self.run === run { arm() }
    }

    /// Sends the head, and a small body with it.
    private func write(_ exchange: Exchange, of run: ExchangeRun, to context: ChannelHandlerContext) {
        outgoing.clear()
        HTTP1RequestEncoder.encode(exchange.head, into: &outgoing)
        let headLength = outgoing.readableBytes
        if let body = exchange.bodySentWithHead { outgoing.writeImmutableBuffer(body) }
        run.handOver(head: headLength, body: outgoing.readableBytes - headLength)
        context.writeAndFlush(wrapOutboundOut(outgoing), promise: nil)
        if outgoing.capacity > Self.mostOutgoing { outgoing = ByteBuffer() }
    }

    func becomeIdle(at now: NIODeadline) {
        let time = idleTimeout.shorter(machine.keepAliveTime)
        guard time != .zero else { return close() }
        nextDeadline = time.deadline(after: now)
        if let nextDeadline { timer.arm(for: nextDeadline) }
    }

    func abort(_ exchange: Exchange) {
        guard run(of: exchange) != nil else { return }
        _ = forget()
        close()
    }

    func suspensionChanged(for exchange: Exchange) {
        guard let run = run(of: exchange) else { return }
        sender?.send()
        // The writes may have ended the connection, and observers may have stopped the exchange.
        if self.run === run, machine.isBusy { continueReading(run) }
    }

    func readerHasRoom(for exchange: Exchange) {
        guard let run = run(of: exchange) else { return }
        run.readerHasRoom()
        continueReading(run)
    }

    func uploadHasMore(for exchange: Exchange) {
        if run(of: exchange) != nil { sender?.send() }
    }

    /// There is no way to tell the server.
    func priorityChanged(for exchange: Exchange) {}

    func fail(_ error: NetworkingError) {
        if machine.isBusy { forget()?.fail(error) }
        close()
    }

    func close() {
        assert(!machine.isBusy, "an exchange would be lost with its caller: it is failed or forgotten first")
        machine.doom()
        nextDeadline = nil
        leavePool()
        context?.close(promise: nil)
    }
}

extension HTTP1Connection: DeadlineHolder {
    /// Arms the timer for the exchange under way.
    private func arm() {
        guard machine.isBusy, let run else { return }
        nextDeadline = run.nextDeadline
        if let nextDeadline { timer.arm(for: nextDeadline) }
    }

    func deadlinePassed(now: NIODeadline) {
        guard machine.isBusy, let run else { return close() }
        switch run.expire(now: now, unsent: { context?.unsentBytes ?? 0 }) {
        case .goOn: arm()
        case .sendBody: continueUpload(of: run)
        case .fail(let code): fail(.timeout(code, run.exchange))
        }
    }
}
