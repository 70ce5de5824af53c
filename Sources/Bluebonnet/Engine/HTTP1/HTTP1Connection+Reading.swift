import HTTPTypes
import NIOCore

/// From bytes to responses.
extension HTTP1Connection {
    /// A body that nobody reads before its end is handed over with the head up to this size.
    private static let collectedBodySize = 1 << 20

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let exchange else {
            // RFC 9112 §9.2: nothing was asked on this connection, so whatever comes is not an answer.
            completion?.isReusable = false
            if completion == nil { close() }
            return
        }
        if exchange.isSuspended {
            held.append(unwrapInboundIn(data))
        } else {
            parse(unwrapInboundIn(data), for: exchange)
        }
    }

    /// Looks at what came while the task was suspended.
    func parseHeld() {
        while let exchange, let buffer = held.popFirst() { parse(buffer, for: exchange) }
        held.removeAll()
        handOver()
        completeExchange()
    }

    private func parse(_ bytes: ByteBuffer, for exchange: Exchange) {
        var buffer = bytes
        let now = NIODeadline.now()
        if timings.firstByteTime == .none { timings.firstByteTime = CompactTime(from: exchange.startedAt, to: now) }
        do {
            while let event = try parser.next(&buffer) {
                guard take(event, now: now, hasBytesLeft: buffer.readableBytes > 0) else { return }
            }
        } catch {
            fail(NetworkingError(error, from: origin))
            return
        }
        // RFC 9110 §15.2: an interim response other than 100 neither ends nor prolongs the wait for 100 Continue.
        guard machine.request != .awaitingContinue else { return }
        restartClock(now: now)
    }

    /// Returns whether to go on parsing.
    private func take(_ event: HTTP1ResponseParser.Event, now: NIODeadline, hasBytesLeft: Bool) -> Bool {
        switch event {
        case .informational(let head):
            informational.append(head)
            if head.statusCode == 100 {
                // It says that the body may be sent, also when it comes late: the response has not begun.
                timings.firstByteTime = .none
                continueUpload()
            }
        case .head(let head, let length):
            guard head.statusCode != 101 else {
                // RFC 9110 §15.2.2: a switch of protocols follows an Upgrade field, and none was sent.
                fail(
                    NetworkingError(.unexpectedResponse, "\(origin.description) switched to another protocol unasked.")
                )
                return false
            }
            machine.receivedHead(isHTTP10: head.httpVersion == .http1_0)
            self.head = head
            if timings.firstByteTime == .none, let startedAt = exchange?.startedAt {
                timings.firstByteTime = CompactTime(from: startedAt, to: now)
            }
            if case .exactly(let expected) = length {
                uncountedLength = Int(expected)
            }
        case .body(let piece):
            arrived.append(piece)
            arrivedBytes += piece.readableBytes
            uncountedBytes += piece.readableBytes
        case .end(let trailers):
            // What was held back, or not read, while the task was suspended lies behind the response as well.
            let isLast = !hasBytesLeft && held.isEmpty && !hasPendingRead
            finish(trailers: trailers ?? [:], now: now, hasBytesLeft: !isLast)
            return false
        }
        return true
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOver()
        completeExchange()
        context.fireChannelReadComplete()
    }

    /// NIO asks for the next read here; it waits while the reader is full or the task suspended.
    func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { hasPendingRead = true }
    }

    var mayRead: Bool {
        guard let exchange else { return true }
        return !streamIsFull && !exchange.isSuspended
    }

    func readerHasRoom(for exchange: Exchange) {
        guard exchange === self.exchange else { return }
        streamIsFull = false
        continueReading()
    }

    func suspensionChanged(for exchange: Exchange) {
        guard exchange === self.exchange else { return }
        continueReading()
    }

    /// Reads on if it may; the clock between bytes starts anew.
    private func continueReading() {
        guard exchange != nil else { return }
        guard mayRead else {
            setPhase(.none, nil, now: .now())
            return
        }
        restartClock(now: .now())
        if !held.isEmpty { parseHeld() }
        guard hasPendingRead, mayRead else { return }
        hasPendingRead = false
        context?.read()
    }

    /// Gives the reader what has arrived; the head first, unless the whole body is likely to follow at once.
    private func handOver() {
        guard let exchange, let head else { return }
        countReceived()
        if let stream {
            push(to: stream)
        } else if !exchange.collectsBody || Self.isFollowed(head) || arrivedBytes > Self.collectedBodySize {
            let stream = BodyStream(source: exchange)
            self.stream = stream
            exchange.deliver(response(to: exchange, head, ResponseBody(.stream(.init(stream)))), stream: stream)
            push(to: stream)
        }
    }

    /// Whether another request may follow, which does not wait for a body that does not come: redirects and 417.
    private static func isFollowed(_ head: ResponseHead) -> Bool {
        300..<400 ~= head.statusCode || head.statusCode == 417
    }

    private func push(to stream: BodyStream) {
        guard arrivedBytes > 0 else { return }
        let pushed = stream.push(&arrived)
        arrivedBytes = 0
        streamIsFull = !pushed.goesOn
        if streamIsFull { setPhase(.none, nil, now: .now()) }
        pushed.reader?.resume()
    }

    private func countReceived() {
        guard uncountedBytes > 0 || uncountedLength != nil else { return }
        let (count, length) = (uncountedBytes, uncountedLength)
        (uncountedBytes, uncountedLength) = (0, nil)
        exchange?.call.update { counts in
            counts.received += count
            if let length { counts.expectedToReceive = length }
        }
    }

    private func takeArrived() -> CircularBuffer<ByteBuffer> {
        defer {
            arrived.removeAll(keepingCapacity: true)
            arrivedBytes = 0
        }
        return arrived
    }

    private func response(to exchange: Exchange, _ head: ResponseHead, _ body: ResponseBody) -> TransportResponse {
        TransportResponse(
            head: head,
            body: body,
            sent: exchange.sent,
            informational: informational,
            timings: timings,
            startedAt: exchange.startedAt,
            isRequestBodyUntouched: machine.request == .withheld
        )
    }

    /// The response is complete. What is left to do waits until the whole read has been looked at: bytes that came behind the
    /// response must never be taken for the response to the next request.
    func finish(trailers: HTTPFields, now: NIODeadline, hasBytesLeft: Bool) {
        guard let exchange, let head else { return }
        timings.lastByteTime = CompactTime(from: exchange.startedAt, to: now)
        countReceived()
        let delivery: Completion.Delivery =
            if let stream {
                .end(of: stream, last: takeArrived(), trailers: trailers)
            } else {
                .whole(response(to: exchange, head, .whole(Self.joined(arrived), trailers: trailers)))
            }
        // RFC 9112 §9.6: whoever asks for the end of the connection gets it.
        let isKeepAlive = parser.isKeepAlive && !exchange.asksForClose
        completion = Completion(
            exchange: exchange,
            delivery: delivery,
            at: now,
            isReusable: machine.receivedEnd(isKeepAlive: isKeepAlive, hasBytesLeft: hasBytesLeft) == .release
        )
        forgetExchange()
    }

    /// A response that is complete and has not been handed over.
    struct Completion {
        enum Delivery {
            case whole(TransportResponse)
            case end(of: BodyStream, last: CircularBuffer<ByteBuffer>, trailers: HTTPFields)
        }

        let exchange: Exchange
        let delivery: Delivery
        /// When the last byte came.
        let at: NIODeadline
        var isReusable: Bool
    }

    /// Gives the connection back, then the response over: the caller's next request finds the connection.
    func completeExchange() {
        guard let completion else { return }
        self.completion = nil
        if completion.isReusable, let pooled { becomeIdle(pooled, at: completion.at) } else { close() }
        switch completion.delivery {
        case .whole(let response):
            completion.exchange.deliver(response, stream: nil)
        case .end(let stream, var last, let trailers):
            stream.push(&last).reader?.resume()
            completion.exchange.finishStream(trailers: trailers, at: completion.at)
        }
    }

    static func joined(_ pieces: CircularBuffer<ByteBuffer>) -> ByteBuffer {
        guard var whole = pieces.first else { return ByteBuffer() }
        guard pieces.count > 1 else { return whole }
        whole.reserveCapacity(pieces.reduce(0) { $0 + $1.readableBytes })
        for var piece in pieces.dropFirst() { whole.writeBuffer(&piece) }
        return whole
    }
}
