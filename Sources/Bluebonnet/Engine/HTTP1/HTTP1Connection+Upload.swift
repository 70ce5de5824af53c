import NIOCore

/// Request bodies that are sent piece by piece.
extension HTTP1Connection {
    /// Begins to send the body that follows the head.
    func beginUpload() {
        guard let exchange, let pooled, let body = exchange.bodySentLater else { return }
        let upload = RequestUpload(length: body.length, connection: pooled, exchange: exchange)
        self.upload = upload
        // The clock of the wait for leave to send stops; the exchange's own runs.
        setPhase(.none, nil, now: .now())
        exchange.began(upload)
        upload.start(body.producer)
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
                setPhase(.none, nil, now: .now())
                if mustFlush { context.flush() }
                return
            case .piece(let piece):
                write(piece, isChunked: isChunked, to: context)
                mustFlush = true
                exchange.control.update { $0.sent += piece.readableBytes }
            case .finished:
                finishUpload(of: exchange, isChunked: isChunked, context: context)
                return
            }
            guard !context.channel.isWritable else { continue }
            setPhase(exchange.timeouts.betweenBytesTime, .betweenBytesTimeout, now: .now())
            mustFlush = false
            context.flush()
        }
        if mustFlush { context.flush() }
    }

    private func finishUpload(of exchange: Exchange, isChunked: Bool, context: ChannelHandlerContext) {
        upload = nil
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
