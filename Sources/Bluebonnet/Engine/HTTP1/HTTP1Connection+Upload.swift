import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Request bodies that are sent piece by piece.
extension HTTP1Connection {
    /// Begins to send the body that follows the head.
    func beginUpload() {
        guard let exchange, let pooled, let context, let body = exchange.bodySentLater else { return }
        let upload = RequestUpload(body, connection: pooled, exchange: exchange)
        self.upload = upload
        // The clock of the wait for 100 Continue stops; the exchange's own runs.
        startClock(now: .now())
        exchange.began(upload)
        upload.start(inFileParts: isUnencrypted && body.length != nil)
        if upload.isSent { bodyIsSent(of: exchange, isChunked: false, context: context) }
    }

    /// RFC 9110 §10.1.1: 100 Continue came, or did not come in the time there was for it.
    func continueUpload() {
        guard machine.continues() else { return }
        // What came was 100 Continue, not the response.
        timings.firstByteTime = .none
        beginUpload()
    }

    /// There is more to write, or the socket takes more again.
    func uploadHasMore(for exchange: Exchange) {
        guard exchange === self.exchange, let upload, let context else { return }
        let isChunked = exchange.request.body?.length == nil
        var unflushed = 0
        // A flush may make the channel writable and call this again from within: the inner call then goes on, and may finish.
        sending: while context.channel.isWritable, self.upload === upload {
            switch upload.next() {
            case .nothingYet:
                break sending
            case .piece(.bytes(let piece)):
                write(piece, isChunked: isChunked, to: context)
                unflushed += piece.readableBytes
                exchange.call.update { $0.sent += piece.readableBytes }
                if upload.isSent { bodyIsSent(of: exchange, isChunked: false, context: context) }
            case .piece(.file(let part)) where unflushed > 0:
                upload.putBack(part)
                unflushed = 0
                context.flush()
                continue
            case .piece(.file(let part)):
                return send(part, of: upload, for: exchange, to: context)
            case .finished:
                self.upload = nil
                return bodyIsSent(of: exchange, isChunked: isChunked, context: context)
            }
            // TLS counts nothing before it is flushed, so that the channel stays writable whatever is written.
            guard isSendingBody, !context.channel.isWritable || (!isUnencrypted && unflushed >= Self.mostUnflushed)
            else { continue }
            unflushed = 0
            context.flush()
        }
        if unflushed > 0 { context.flush() }
        followBytes(of: exchange)
    }

    private static let mostUnflushed = 1 << 18

    var isSendingBody: Bool { machine.request == .sending }

    /// The last of the body is written: as much as was declared, or what its source ended with. The source may say later that this
    /// was all, or that there is more than was declared, which then fails the exchange if it is still there.
    private func bodyIsSent(of exchange: Exchange, isChunked: Bool, context: ChannelHandlerContext) {
        guard isSendingBody else { return }
        machine.requestSent()
        let now = NIODeadline.now()
        timings.requestSentTime = CompactTime(from: exchange.startedAt, to: now)
        if isChunked {
            var last = ByteBuffer()
            HTTP1RequestEncoder.encodeLastChunk(into: &last)
            context.write(wrapOutboundOut(last), promise: nil)
        }
        context.flush()
        followBytes(of: exchange)
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
        outbound.handOver(count - part.count)
        exchange.call.update { $0.sent += count - part.count }
        upload.putBack(part)
        if upload.isSent {
            if let block { context.write(wrapOutboundOut(block), promise: nil) }
            return bodyIsSent(of: exchange, isChunked: false, context: context)
        }
        let eventLoop = context.eventLoop.assumeIsolated()
        if let block {
            let written = context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(wrapOutboundOut(block), promise: written)
            written.futureResult.assumeIsolated().whenSuccess {
                eventLoop.execute { self.uploadHasMore(for: exchange) }
            }
        } else {
            // The others on this event loop have their turn.
            eventLoop.execute { self.uploadHasMore(for: exchange) }
        }
        followBytes(of: exchange)
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

    // MARK: What has left

    /// Looks at what waits to leave after something was written, and starts the clock of what is waited for now.
    private func followBytes(of exchange: Exchange) {
        guard exchange === self.exchange else { return }
        let now = NIODeadline.now()
        lookAtOutbound(now: now)
        startClock(now: now)
    }

    /// Returns whether bytes have left since the last look.
    @discardableResult
    func lookAtOutbound(now: NIODeadline) -> Bool {
        outbound.look(context.map(unsentBytes) ?? 0, now: now)
    }

    /// What has been written and the peer's system has not acknowledged.
    private func unsentBytes(_ context: ChannelHandlerContext) -> Int {
        let inChannel = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        #if os(Linux)
            let inSystem = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { socket in
                // SIOCOUTQ (tcp(7), unix(7)), which has the number of TIOCOUTQ.
                var count: CInt = 0
                return unsafe ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
            }
            return inChannel + (inSystem ?? 0)
        #else
            return inChannel
        #endif
    }

    private func write(_ piece: ByteBuffer, isChunked: Bool, to context: ChannelHandlerContext) {
        outbound.handOver(piece.readableBytes)
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
