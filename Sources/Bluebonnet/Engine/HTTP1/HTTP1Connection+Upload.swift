import NIOCore

/// Request bodies that are sent piece by piece.
extension HTTP1Connection {
    /// Begins to send the body that follows the head.
    func beginUpload() {
        guard let exchange, let pooled, let context, let body = exchange.bodySentLater else { return }
        let upload = RequestUpload(body, connection: pooled, exchange: exchange)
        self.upload = upload
        // The clock of the wait for leave to send stops; the exchange's own runs.
        setPhase(.none, nil, now: .now())
        exchange.began(upload)
        upload.start(inFileParts: isUnencrypted && body.length != nil)
        if upload.isSent { bodyIsSent(of: exchange, isChunked: false, context: context) }
    }

    /// RFC 9110 §10.1.1: 100 Continue came, or did not come in the time there was for it.
    func continueUpload() {
        guard machine.continues() else { return }
        // What came was the leave to send, not the answer.
        timings.firstByteTime = .none
        beginUpload()
    }

    /// There is more to write, or the socket takes more again.
    func uploadHasMore(for exchange: Exchange) {
        guard exchange === self.exchange, let upload, let context else { return }
        let isChunked = exchange.request.body?.length == nil
        var mustFlush = false
        // A flush may make the channel writable and call this again from within: the inner call then goes on, and may finish.
        while context.channel.isWritable, self.upload === upload {
            switch upload.next() {
            case .nothingYet:
                // The producer is slow, not the connection: no clock runs.
                if isSendingBody { setPhase(.none, nil, now: .now()) }
                if mustFlush { context.flush() }
                return
            case .piece(.bytes(let piece)):
                write(piece, isChunked: isChunked, to: context)
                mustFlush = true
                exchange.control.update { $0.sent += piece.readableBytes }
                if upload.isSent { bodyIsSent(of: exchange, isChunked: false, context: context) }
            case .piece(.file(let part)) where mustFlush:
                upload.putBack(part)
                mustFlush = false
                context.flush()
                continue
            case .piece(.file(let part)):
                return send(part, of: upload, for: exchange, to: context)
            case .finished:
                self.upload = nil
                bodyIsSent(of: exchange, isChunked: isChunked, context: context)
                return
            }
            guard isSendingBody, !context.channel.isWritable else { continue }
            setPhase(exchange.timeouts.betweenBytesTime, .betweenBytesTimeout, now: .now())
            mustFlush = false
            context.flush()
        }
        if mustFlush { context.flush() }
    }

    var isSendingBody: Bool { machine.request == .sending }

    /// The last of the body is written: as much as was declared, or what its source ended with. The source may say later that this
    /// was all, or that there is more than was declared, which then fails the exchange if it is still there.
    private func bodyIsSent(of exchange: Exchange, isChunked: Bool, context: ChannelHandlerContext) {
        guard isSendingBody else { return }
        machine.requestSent()
        let now = NIODeadline.now()
        timings.requestSentTime = CompactTime(from: exchange.startedAt, to: now)
        if mayRead {
            if head == nil {
                setPhase(exchange.timeouts.firstByteTime, .firstByteTimeout, now: now)
            } else {
                setPhase(exchange.timeouts.betweenBytesTime, .betweenBytesTimeout, now: now)
            }
        }
        if isChunked {
            var last = ByteBuffer()
            HTTP1RequestEncoder.encodeLastChunk(into: &last)
            context.write(wrapOutboundOut(last), promise: nil)
        }
        context.flush()
    }

    /// Has the system send from a file what the socket takes.
    ///
    /// A full socket gets a small block by way of the channel, which knows when there is room again.
    private func send(
        _ part: FilePart,
        of upload: RequestUpload,
        for exchange: Exchange,
        to context: ChannelHandlerContext
    ) {
        let count = part.count
        var part = part
        let block: ByteBuffer?
        do {
            let isSent = try !holdsBytes(context) && sendDirectly(&part, to: context)
            block = isSent ? nil : try part.readBlock(upTo: Self.blockForFullSocket)
        } catch {
            return fail(RequestUpload.failure(error))
        }
        exchange.control.update { $0.sent += count - part.count }
        upload.putBack(part)
        if upload.isSent {
            if let block { context.write(wrapOutboundOut(block), promise: nil) }
            return bodyIsSent(of: exchange, isChunked: false, context: context)
        }
        let eventLoop = context.eventLoop.assumeIsolated()
        if let block {
            setPhase(exchange.timeouts.betweenBytesTime, .betweenBytesTimeout, now: .now())
            let written = context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(wrapOutboundOut(block), promise: written)
            written.futureResult.assumeIsolated().whenSuccess {
                eventLoop.execute { self.uploadHasMore(for: exchange) }
            }
        } else {
            setPhase(.none, nil, now: .now())
            // The others on this event loop have their turn.
            eventLoop.execute { self.uploadHasMore(for: exchange) }
        }
    }

    private static let blockForFullSocket = 1 << 16

    private func sendDirectly(_ part: inout FilePart, to context: ChannelHandlerContext) throws -> Bool {
        try context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            try part.send(to: socket)
        } ?? false
    }

    /// Whether the channel still has something to write, which goes first.
    private func holdsBytes(_ context: ChannelHandlerContext) -> Bool {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)).map { $0 > 0 } ?? true
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
        context.fireChannelWritabilityChanged()
    }
}
