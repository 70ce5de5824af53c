import HTTPTypes
import NIOCore

/// Sends the body of one request over its connection, piece by piece, as the socket takes it (RFC
/// 9112 §6, §7.1).
///
/// Lives on the event loop of the connection, which ends it.
final class HTTP1BodySender {
    private let run: ExchangeRun
    private let upload: RequestUpload
    // Unowned, and safe: `context` holds its handler, which is this connection.
    private unowned let connection: HTTP1Connection
    private let context: ChannelHandlerContext
    private let isUnencrypted: Bool
    private let isChunked: Bool
    private var isOver = false
    /// Whether ``send()`` follows when the channel has taken a part of a file, or on the next turn
    /// of the event loop.
    private var isScheduled = false

    /// The most bytes written at once. TLS encrypts them in one step, on the event loop.
    private static let mostAtOnce = 1 << 18
    private static let mostUnflushed = 1 << 18
    private static let blockForFullSocket = 1 << 16

    init(
        of run: ExchangeRun,
        upload: RequestUpload,
        over connection: HTTP1Connection,
        context: ChannelHandlerContext,
        isUnencrypted: Bool
    ) {
        self.run = run
        self.upload = upload
        self.connection = connection
        self.context = context
        self.isUnencrypted = isUnencrypted
        isChunked = run.exchange.request.body?.declaredLength == nil
    }

    /// Starts to read the source of the body.
    func begin(_ body: RequestBody) {
        run.upload = upload
        run.exchange.began(upload)
        upload.start(inFileParts: isUnencrypted && !isChunked)
        if upload.isSent { endRequest() }
    }

    /// Ends the sending, because the exchange is over.
    func end() {
        isOver = true
    }

    /// Writes as much as there is and the socket takes, unless the task is suspended. Called when
    /// there is more to write, when the socket takes more again, and when the task was resumed.
    func send() {
        guard !isOver, !isScheduled else { return }
        var unflushed = 0
        // A flush may make the channel writable and call this again from within: the inner call
        // then goes on, and may finish. An observer of the progress may suspend the task.
        sending: while !isOver, !run.exchange.isSuspended, context.channel.isWritable {
            switch upload.next(upTo: Self.mostAtOnce) {
            case .nothingYet:
                break sending
            case .piece(.bytes(let piece), let isLast):
                write(piece)
                unflushed += piece.readableBytes
                run.count(sent: piece.readableBytes)
                if isLast { endRequest() }
            case .piece(.file(let part), _) where unflushed > 0:
                upload.putBack(part)
                unflushed = 0
                context.flush()
                continue
            case .piece(.file(let part), _):
                return send(part)
            case .finished(let trailers):
                isOver = true
                return endRequest(trailers: trailers)
            }
            // TLS counts nothing before it is flushed, so that the channel stays writable whatever
            // is written.
            guard run.sending == .underWay,
                !context.channel.isWritable || (!isUnencrypted && unflushed >= Self.mostUnflushed)
            else { continue }
            unflushed = 0
            context.flush()
        }
        if unflushed > 0 { context.flush() }
        connection.followBytes(of: run)
    }

    /// Ends the request after the last of the body: as much as was declared, or what its source
    /// ended with. The source may say later that this was all, or that there is more than was
    /// declared, which then fails the exchange if it is still there.
    private func endRequest(trailers: HTTPFields = [:]) {
        guard run.markRequestSent(now: .now()) else { return }
        if isChunked {
            var last = ByteBuffer()
            HTTP1RequestEncoder.encodeLastChunk(trailers: trailers, into: &last)
            run.countFraming(last.readableBytes)
            put(last)
        }
        context.flush()
        connection.followBytes(of: run)
    }

    // MARK: Bytes

    private func write(_ piece: ByteBuffer) {
        run.handOver(body: piece.readableBytes)
        guard isChunked else { return put(piece) }
        var before = ByteBuffer()
        HTTP1RequestEncoder.encodeChunkHeader(piece.readableBytes, into: &before)
        var after = ByteBuffer()
        HTTP1RequestEncoder.encodeChunkEnd(into: &after)
        run.countFraming(before.readableBytes + after.readableBytes)
        put(before)
        put(piece)
        put(after)
    }

    private func put(_ bytes: ByteBuffer) {
        context.write(connection.wrapOutboundOut(bytes), promise: nil)
    }

    // MARK: Files

    /// Lets the system send from a file what the socket takes.
    ///
    /// A full socket gets a small block by way of the channel, which knows when there is room
    /// again.
    private func send(_ part: FilePart) {
        let count = part.count
        var part = part
        let block: ByteBuffer?
        do {
            let isSent = try !holdsBytes && sendDirectly(&part)
            block = isSent ? nil : try part.readBlock(upTo: Self.blockForFullSocket)
        } catch {
            return connection.fail(.ofRequestBody(error))
        }
        let sent = count - part.count
        run.handOver(body: sent)
        upload.putBack(part)
        isScheduled = true
        run.count(sent: sent)
        // An observer of the progress may have stopped the exchange.
        guard !isOver else { return }
        if upload.isSent {
            if let block { put(block) }
            return endRequest()
        }
        let eventLoop = context.eventLoop.assumeIsolated()
        if let block {
            let written = context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(connection.wrapOutboundOut(block), promise: written)
            written.futureResult.assumeIsolated().whenSuccess { eventLoop.execute { self.sendScheduled() } }
        } else {
            // The other connections of this event loop have their turn.
            eventLoop.execute { self.sendScheduled() }
        }
        connection.followBytes(of: run)
    }

    private func sendScheduled() {
        isScheduled = false
        send()
    }

    private func sendDirectly(_ part: inout FilePart) throws -> Bool {
        try context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            try part.send(to: socket)
        } ?? false
    }

    /// Whether the channel still has bytes to write, which must be sent first.
    private var holdsBytes: Bool {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)).map { $0 > 0 } ?? true
    }
}
