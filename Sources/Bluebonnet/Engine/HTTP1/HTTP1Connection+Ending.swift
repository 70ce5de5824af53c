import FoundationEssentials
import HTTPTypes
import NIOCore
import NIOSSL

/// Deadlines, idleness, and every way a connection ends.
extension HTTP1Connection: DeadlineHolder {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        pooled = PooledConnection(self, eventLoop: context.eventLoop)
        timer.add(self)
    }

    /// The channel is gone. NIO tells a channel that was closed while it was being connected nothing else than this.
    func handlerRemoved(context: ChannelHandlerContext) {
        inputEnded(reset: nil, isTruncatedTLS: false)
        leavePool()
        if let pooled { pool.closed(pooled) }
        self.context = nil
        // It holds this connection.
        pooled = nil
        timer.remove(self)
    }

    // MARK: Deadlines

    /// Sets the deadline of the present phase; the exchange's own deadline holds beside it.
    func setPhase(_ time: CompactTime, _ code: NetworkingError.Code?, now: NIODeadline) {
        phaseDeadline = time.deadline(after: now).map { ($0, code) }
        updateDeadline()
    }

    /// Starts the clock of what is waited for now: that the peer takes bytes, that it sends 100 Continue, or its response.
    ///
    /// None runs while nobody reads. While the source of the body is slow, the pause inside a response that has begun is limited as
    /// ever; before that the peer has nothing to say.
    func startClock(now: NIODeadline) {
        guard let timeouts = exchange?.timeouts else { return }
        if !mayRead {
            setPhase(.none, nil, now: now)
        } else if machine.request == .awaitingContinue, timeouts.continueWaitTime != .none {
            setPhase(timeouts.continueWaitTime, nil, now: now)
        } else if outbound.waiting > 0 {
            let (time, code) = stallTimeout(timeouts)
            let look = outbound.nextLook(stall: time, firstByte: timeouts.firstByteTime, now: now)
            phaseDeadline = look.map { ($0, code) }
            updateDeadline()
        } else if isSendingBody, head == nil {
            setPhase(.none, nil, now: now)
        } else if head == nil, timings.firstByteTime == .none {
            setPhase(timeouts.firstByteTime, .firstByteTimeout, now: now)
        } else {
            setPhase(timeouts.betweenBytesTime, .betweenBytesTimeout, now: now)
        }
    }

    /// Starts the clock anew: bytes came, or a task goes on that was suspended.
    func restartClock(now: NIODeadline) {
        outbound.restart(now: now)
        startClock(now: now)
    }

    /// How long the peer may take nothing. What is out of our hands must leave some time, also where pauses are not limited.
    private func stallTimeout(_ timeouts: Timeouts) -> (CompactTime, NetworkingError.Code) {
        isSendingBody || timeouts.betweenBytesTime != .none
            ? (timeouts.betweenBytesTime, .betweenBytesTimeout) : (timeouts.firstByteTime, .firstByteTimeout)
    }

    /// The clock of the present phase has run down.
    private func phaseEnded(_ code: NetworkingError.Code?, of exchange: Exchange, now: NIODeadline) {
        guard let code else { return continueUpload() }
        let goesOn: Bool
        if outbound.waiting > 0 {
            lookAtOutbound(now: now)
            goesOn = !outbound.isStalled(after: stallTimeout(exchange.timeouts).0, now: now)
        } else {
            // A request that went out in one piece is looked at for the first time: while it is still on its way, it is too early to
            // wait for a response.
            goesOn = code == .firstByteTimeout && lookAtOutbound(now: now) && outbound.waiting > 0
        }
        if goesOn { startClock(now: now) } else { fail(.timeout(code, exchange)) }
    }

    func updateDeadline() {
        nextDeadline =
            switch (phaseDeadline?.at, exchange?.deadline) {
            case (let phase?, let whole?): min(phase, whole)
            case (let phase?, nil): phase
            case (nil, let whole): whole
            }
        if let nextDeadline { timer.arm(for: nextDeadline) }
    }

    func deadlinePassed(now: NIODeadline) {
        guard let exchange else {
            close()
            return
        }
        if let deadline = exchange.deadline, deadline <= now {
            fail(.timeout(.requestTimeout, exchange))
        } else if let phaseDeadline, phaseDeadline.at <= now {
            phaseEnded(phaseDeadline.code, of: exchange, now: now)
        } else {
            updateDeadline()
        }
    }

    // MARK: Between exchanges

    func forgetExchange() {
        upload?.stop()
        exchange = nil
        upload = nil
        stream = nil
        head = nil
        informational = []
        arrived.removeAll(keepingCapacity: true)
        arrivedBytes = 0
        uncountedBytes = 0
        uncountedLength = nil
        streamIsFull = false
        if !held.isEmpty { held.removeAll() }
        phaseDeadline = nil
        nextDeadline = nil
        if hasPendingRead {
            hasPendingRead = false
            context?.read()
        }
    }

    /// Takes the next waiting exchange, or stands idle until the idle timeout.
    func becomeIdle(_ pooled: PooledConnection, at now: NIODeadline) {
        begin(pool.release(pooled, origin: origin, at: now), at: now)
    }

    /// Does what the pool decided.
    func begin(_ decision: ConnectionPool.Released, at now: NIODeadline) {
        switch decision {
        case .serve(let exchange): pooled?.startSoon(exchange, from: pool)
        case .idle:
            let time = idleTimeout.shorter(parser.keepAliveTime)
            if time == .zero { close() } else { setPhase(time, nil, now: now) }
        case .close: close()
        }
    }

    // MARK: Ending

    /// Ends the exchange under way with the error, and the connection with it.
    func fail(_ error: NetworkingError) {
        guard let exchange else {
            close()
            return
        }
        let head = head
        // What had arrived, unless a content coding lies over it.
        let isPlain = stream == nil && arrivedBytes > 0 && head?.contains(.contentEncoding) == false
        let body = isPlain ? Data(taking: Self.joined(arrived)) : nil
        forgetExchange()
        machine.doom()
        exchange.fail(error.completed(request: exchange.sent.request, response: head, body: body))
        close()
    }

    func close() {
        machine.doom()
        leavePool()
        context?.close(promise: nil)
    }

    /// Makes room for another connection.
    private func leavePool() {
        guard !hasLeftPool, let pooled else { return }
        hasLeftPool = true
        pool.leaves(pooled, origin: origin)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .some(NIOSSLError.uncleanShutdown) = error as? NIOSSLError, exchange != nil {
            // RFC 9112 §9.8: without the closing alert of TLS the response may have been cut off; it is complete only if its
            // framing says so.
            inputEnded(reset: nil, isTruncatedTLS: true)
            return
        }
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

    /// No more bytes will come. What that means depends on how far the response is.
    private func inputEnded(reset: (any Error)?, isTruncatedTLS: Bool) {
        machine.endIsNear()
        completion?.isReusable = false
        if held.isEmpty { completeExchange() } else { parseHeld() }
        guard let exchange else {
            close()
            return
        }
        if machine.isStale(hasReceivedBytes: parser.hasReceivedBytes) {
            fail(
                StaleConnectionError.marking(
                    NetworkingError(
                        .connectionLost,
                        "\(origin.description) closed the connection before it answered.",
                        underlying: reset
                    )
                )
            )
            return
        }
        if let reset {
            fail(.lost(origin, reset, hasResponse: head != nil))
            return
        }
        do {
            let event = try parser.finish()
            guard case .end(let trailers) = event, !isTruncatedTLS else {
                fail(
                    NetworkingError(
                        .truncatedResponse,
                        "\(origin.description) cut the TLS stream off inside the response.",
                        request: exchange.sent.request
                    )
                )
                return
            }
            finish(trailers: trailers ?? [:], now: .now(), hasBytesLeft: false)
            completeExchange()
        } catch {
            fail(NetworkingError(error, from: origin))
        }
    }
}
