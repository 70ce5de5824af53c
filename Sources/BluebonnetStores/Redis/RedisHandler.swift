#if Redis
    import NIOCore

    /// Sends the commands of a connection, and puts their replies together. On the event loop of
    /// its channel.
    final class RedisHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        /// Called once with the replies.
        typealias Completion = @Sendable (Result<[RedisReply], any Error>) -> Void

        /// Commands that were sent together.
        private struct Batch {
            let count: Int
            let completion: Completion
            var replies: [RedisReply] = []
        }

        private let reader: RedisReplyReader
        /// The longest time in which the server is silent.
        private let timeout: TimeAmount
        private var context: ChannelHandlerContext?
        private var batch: Batch?
        /// When the silence of the server began.
        private var silentSince = NIODeadline.uptimeNanoseconds(0)
        /// At most one timer. When it fires, it checks whether a reply is still awaited.
        private var timer: Scheduled<Void>?

        init(_ reader: RedisReplyReader, timeout: TimeAmount) {
            (self.reader, self.timeout) = (reader, timeout)
        }

        /// Sends commands. The connection has no others under way.
        func send(_ bytes: ByteBuffer, count: Int, _ completion: @escaping Completion) {
            guard let context, batch == nil else {
                return completion(.failure(RedisFailure(.connection, "The connection is closed.")))
            }
            batch = Batch(count: count, completion: completion)
            silentSince = .now()
            if timer == nil { startTimer(at: silentSince + timeout, context) }
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            self.context = context
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            end(with: RedisFailure(.connection, "The connection is lost."))
        }

        func channelInactive(context: ChannelHandlerContext) {
            end(with: RedisFailure(.connection, "Server closed the connection"))
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            end(with: RedisFailure(.connection, String(describing: error)))
            context.close(promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            silentSince = .now()
            do {
                try reader.feed(unwrapInboundIn(data))
                while let reply = try reader.next() { try take(reply) }
            } catch {
                end(with: error)
                context.close(promise: nil)
            }
        }

        private func take(_ reply: RedisReply) throws {
            if let error = reply.error, RedisFailure(reply: error).concernsServer { throw RedisFailure(reply: error) }
            guard batch != nil else { throw RedisFailure(.connection, "It sent a reply to nothing.") }
            batch?.replies.append(reply)
            guard let done = batch, done.replies.count == done.count else { return }
            batch = nil
            done.completion(.success(done.replies))
        }

        private func startTimer(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
            timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
                self?.timerHasFired()
            }
        }

        private func timerHasFired() {
            timer = nil
            guard batch != nil, let context else { return }
            let deadline = silentSince + timeout
            if NIODeadline.now() < deadline { return startTimer(at: deadline, context) }
            end(with: RedisFailure(.timeout, "It did not answer in time."))
            context.close(promise: nil)
        }

        /// Nothing is sent any more.
        private func end(with error: any Error) {
            context = nil
            timer?.cancel()
            timer = nil
            guard let batch else { return }
            self.batch = nil
            batch.completion(.failure(error))
        }
    }
#endif
