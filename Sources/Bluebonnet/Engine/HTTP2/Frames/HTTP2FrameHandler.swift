import NIOCore
import NIOSSL

/// Reads and writes the frames of one connection (RFC 9113 §4, §6). Streams have no channel.
///
/// It is the last handler of the pipeline.
final class HTTP2FrameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let receiver: any HTTP2FrameReceiver
    private(set) var context: ChannelHandlerContext?
    private var decoder: HTTP2FrameDecoder
    private var fieldDecoder: HPACK.Decoder
    private var fieldEncoder = HPACK.Encoder()
    private var section = HTTP2FieldSection()
    private var machine = StateMachine()
    private let sectionSize: Int
    /// The largest payload that the server takes (RFC 9113 §4.2).
    private var frameSize = HTTP2Frame.leastSize
    /// The frames that the channel has not got: those of one turn of the event loop go there
    /// together.
    private var outgoing = ByteBuffer()
    /// Whether a read is being looked at: what is written meanwhile is flushed at its end.
    private var isReading = false
    private var needsFlush = false
    private(set) var count = HTTP2OutboundCount()
    /// Whether nothing more is read, because the server broke a rule.
    private var hasFailed = false
    private var isGone = false
    /// Whether what is read comes from TLS, which uses the memory of a read for the next one.
    private(set) var isDecrypted = false

    /// The size of the connection's receive window. It is given back when bytes come, whether or
    /// not they are read.
    static let connectionWindow = 128 << 20
    /// The size of every window before anything was said (RFC 9113 §6.9.2).
    static let initialWindow = 65_535
    /// Content up to this size is copied behind the frames before it, so that it needs no write of
    /// its own, and no record of TLS.
    private static let mostCopied = 1024

    init(limits: Limits, receiver: any HTTP2FrameReceiver) {
        self.receiver = receiver
        // A section that is somewhat too large fails its stream, and not the connection.
        sectionSize = min(2 * min(max(limits.headerSection, 0), 1 << 28), 1 << 28)
        decoder = HTTP2FrameDecoder(sectionSize: sectionSize)
        fieldDecoder = HPACK.Decoder(limit: sectionSize)
    }

    /// Adds this handler, and so sends the preface.
    func add(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(self)
    }

    // MARK: Sending

    func send(fields: [HTTP2Field], on stream: Int, endsStream: Bool) {
        guard begin() else { return }
        machine.sentFields(on: stream, endsStream: endsStream)
        count.handOver()
        let start = outgoing.writerIndex
        let flags: HTTP2Frame.Flags = endsStream ? .endStream : []
        outgoing.writeHeader(.headers, flags.union(.endHeaders), length: 0, stream: stream)
        let block = outgoing.writerIndex
        fieldEncoder.encode(fields, to: &outgoing)
        let length = outgoing.writerIndex - block
        guard length > frameSize else {
            outgoing.setInteger(UInt32(length) &<< 8 | UInt32(HTTP2Frame.Kind.headers.rawValue), at: start)
            return
        }
        // §4.3: the rest follows in CONTINUATION frames.
        var rest = outgoing.getSlice(at: block, length: length) ?? ByteBuffer()
        outgoing.moveWriterIndex(to: start)
        var kind = HTTP2Frame.Kind.headers
        while let part = rest.readSlice(length: min(frameSize, rest.readableBytes)) {
            let isLast = rest.readableBytes == 0
            let all = (kind == .headers ? flags : []).union(isLast ? .endHeaders : [])
            outgoing.writeHeader(kind, all, length: part.readableBytes, stream: stream)
            outgoing.writeImmutableBuffer(part)
            kind = .continuation
            if isLast { break }
        }
    }

    /// Sends content, for which the windows must have room.
    func send(_ bytes: ByteBuffer, on stream: Int, endsStream: Bool) {
        guard begin() else { return }
        if endsStream { machine.endRequest(of: stream) }
        count.handOver(content: bytes.readableBytes)
        var rest = bytes
        repeat {
            let part = rest.readSlice(length: min(frameSize, rest.readableBytes)) ?? ByteBuffer()
            let flags: HTTP2Frame.Flags = endsStream && rest.readableBytes == 0 ? .endStream : []
            outgoing.writeHeader(.data, flags, length: part.readableBytes, stream: stream)
            if part.readableBytes <= Self.mostCopied {
                outgoing.writeImmutableBuffer(part)
            } else {
                writeOutgoing()
                context?.write(wrapOutboundOut(part), promise: nil)
            }
        } while rest.readableBytes > 0
    }

    func sendReset(_ code: HTTP2Code, on stream: Int) {
        guard !isGone, machine.sendReset(on: stream), begin() else { return }
        count.handOver()
        outgoing.writeHeader(.resetStream, length: 4, stream: stream)
        outgoing.writeInteger(UInt32(truncatingIfNeeded: code.rawValue))
    }

    func sendWindowUpdate(_ increment: Int, on stream: Int) {
        guard begin() else { return }
        machine.sentWindowUpdate(increment, on: stream)
        count.handOver()
        outgoing.writeHeader(.windowUpdate, length: 4, stream: stream)
        outgoing.writeInteger(UInt32(truncatingIfNeeded: increment))
    }

    func sendPing(_ data: UInt64) {
        guard begin() else { return }
        count.handOver()
        outgoing.writeHeader(.ping, length: 8, stream: 0)
        outgoing.writeInteger(data)
    }

    /// RFC 9113 §6.8: the server has opened no stream, so that the last one is 0.
    func sendGoAway(_ code: HTTP2Code) {
        guard begin() else { return }
        count.handOver()
        outgoing.writeHeader(.goAway, length: 8, stream: 0)
        outgoing.writeMultipleIntegers(UInt32(0), UInt32(truncatingIfNeeded: code.rawValue))
    }

    /// RFC 9218 §7.1.
    func sendPriority(_ value: String, of stream: Int) {
        guard begin() else { return }
        count.handOver()
        outgoing.writeHeader(.priorityUpdate, length: 4 + value.utf8.count, stream: 0)
        outgoing.writeInteger(UInt32(truncatingIfNeeded: stream))
        outgoing.writeString(value)
    }

    /// RFC 9113 §3.4: the preface of a client.
    private func sendPreface() {
        guard begin() else { return }
        outgoing.writeString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        outgoing.writeHeader(.settings, length: 3 * HTTP2Settings.length, stream: 0)
        outgoing.writeMultipleIntegers(HTTP2Settings.enablePush, UInt32(0))
        outgoing.writeMultipleIntegers(HTTP2Settings.initialWindow, UInt32(HTTP2WindowBudget.first))
        outgoing.writeMultipleIntegers(HTTP2Settings.fieldSectionSize, UInt32(sectionSize))
        // §6.9.2: only this changes the window of the connection.
        sendWindowUpdate(Self.connectionWindow - Self.initialWindow, on: 0)
    }

    /// Acknowledges PING or SETTINGS (§6.5.3, §6.7).
    private func acknowledge(_ kind: HTTP2Frame.Kind, _ data: UInt64? = nil) throws(HTTP2Fault) {
        try machine.acknowledged(isWritable: isWritable)
        guard begin() else { return }
        outgoing.writeHeader(kind, .acknowledgement, length: data == nil ? 0 : 8, stream: 0)
        if let data { outgoing.writeInteger(data) }
    }

    /// Whether a frame may be written; it is flushed in this turn of the event loop.
    private func begin() -> Bool {
        guard !isGone, let context else { return false }
        if outgoing.capacity == 0 { outgoing = context.channel.allocator.buffer(capacity: 1024) }
        if !needsFlush {
            needsFlush = true
            if !isReading { context.eventLoop.assumeIsolated().execute { self.flush() } }
        }
        return true
    }

    private func writeOutgoing() {
        guard outgoing.readableBytes > 0 else { return }
        context?.write(wrapOutboundOut(outgoing), promise: nil)
        outgoing = ByteBuffer()
    }

    func flush() {
        guard needsFlush else { return }
        needsFlush = false
        writeOutgoing()
        context?.flush()
        // Where the flush has let others write, theirs does this.
        if !needsFlush { count.flush() }
    }

    func close() {
        flush()
        isGone = true
        context?.close(promise: nil)
    }

    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// The bytes of the connection that the peer's system has acknowledged, of those that
    /// ``count`` counts.
    func look() -> Int { count.look(unsent: context?.unsentBytes ?? 0) }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isDecrypted = (try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)) != nil
        sendPreface()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isGone = true
        receiver.removed()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        guard !isGone, !hasFailed else { return }
        decoder.append(unwrapInboundIn(data))
        do throws(HTTP2Fault) {
            while !isGone, let frame = try decoder.next() { try received(frame) }
        } catch {
            // §5.4.1.
            hasFailed = true
            sendGoAway(error.code)
            receiver.connectionFailed(error)
        }
    }

    private func received(_ frame: HTTP2Frame) throws(HTTP2Fault) {
        let stream = frame.stream
        switch frame.payload {
        case .data(let bytes, let windowLength, let endsStream):
            receiver.received(bytes, windowLength: windowLength, on: stream, endsStream: endsStream)
        case .dataBegins(let windowLength, let isEmpty, let endsStream):
            let decision = try machine.receivedData(
                windowLength: windowLength,
                isEmpty: isEmpty,
                on: stream,
                endsStream: endsStream
            )
            _ = try obey(decision, on: stream)
        case .fields(let block, let endsStream):
            let decision = try machine.receivedFields(on: stream, endsStream: endsStream)
            // §4.3: also one that is ignored changes the table.
            try fieldDecoder.decode(block.readableBytesUInt8Span, into: &section)
            guard try obey(decision, on: stream) else { return }
            receiver.received(fields: section, on: stream, endsStream: endsStream)
        case .reset(let code):
            guard try obey(machine.receivedReset(on: stream, now: .now()), on: stream) else { return }
            receiver.receivedReset(code, on: stream)
        case .windowUpdate(let increment):
            guard try obey(machine.receivedWindowUpdate(increment, on: stream), on: stream) else { return }
            receiver.receivedWindowUpdate(increment, on: stream)
        case .goAway(let code, let lastStream):
            try machine.receivedControlFrame(now: .now())
            try machine.receivedGoAway(lastStream: lastStream)
            receiver.receivedGoAway(code, lastStream: lastStream)
        case .settings(let settings):
            try machine.receivedControlFrame(now: .now())
            if let size = settings.frameSize { frameSize = size }
            // RFC 7541 §4.2: a smaller size before the last one counts, too.
            if let size = settings.smallestHeaderTableSize { fieldEncoder.allow(tableSize: size) }
            if let size = settings.headerTableSize { fieldEncoder.allow(tableSize: size) }
            try acknowledge(.settings)
            receiver.received { $0.apply(settings) }
        case .ping(let data):
            try machine.receivedControlFrame(now: .now())
            try acknowledge(.ping, data)
        case .pingAcknowledgement(let data):
            try machine.receivedControlFrame(now: .now())
            receiver.receivedPingAcknowledgement(data)
        case .settingsAcknowledgement:
            try machine.receivedControlFrame(now: .now())
            receiver.receivedSettingsAcknowledgement()
        case .priority:
            // §5.3.2: there are no such priorities any more.
            try machine.receivedControlFrame(now: .now())
        case .pushPromise:
            // §8.4: SETTINGS_ENABLE_PUSH is 0.
            throw HTTP2Fault(.violation, clause: "pushed a stream, which it was told not to")
        }
    }

    /// Whether a frame is to be handed over. Where its stream has failed, that is reset.
    private func obey(_ decision: StateMachine.Decision, on stream: Int) throws(HTTP2Fault) -> Bool {
        switch decision {
        case .handOver: return true
        case .ignore: return false
        case .failStream(let fault):
            try machine.failedStream(now: .now())
            sendReset(fault.code, on: stream)
            receiver.streamFailed(fault, on: stream)
            return false
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        receiver.receivedAll()
        isReading = false
        flush()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { receiver.writabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { receiver.inputEnded(reset: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .some(NIOSSLError.uncleanShutdown) = error as? NIOSSLError {
            // The streams tell whether something is missing.
            receiver.inputEnded(reset: nil)
        } else {
            receiver.inputEnded(reset: error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        receiver.inputEnded(reset: nil)
        context.fireChannelInactive()
    }
}
