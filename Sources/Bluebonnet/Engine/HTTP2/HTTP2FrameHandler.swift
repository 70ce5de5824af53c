import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOSSL

/// Reads and writes the frames of one connection: the only place that knows NIOHTTP2, whose
/// handler is the codec and checks the stages of the connection and of its streams. Streams have no
/// channel.
///
/// It is the last handler of the pipeline.
final class HTTP2FrameHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = Never
    typealias OutboundOut = HTTP2Frame

    private let limits: Limits
    private let receiver: any HTTP2FrameReceiver
    private(set) var context: ChannelHandlerContext?
    private var codec: NIOHTTP2Handler?
    /// Whether a read is being looked at: what is written meanwhile is flushed at its end.
    private var isReading = false
    private var needsFlush = false
    private var isFlushing = false
    /// The GOAWAY that the codec has written, because of a rule that the peer broke.
    private var goAway: HTTP2Code?
    /// The RST_STREAM frames that it has written. Its error follows, unless a full channel had held
    /// the frame back.
    private var resets: [(stream: Int, code: HTTP2Code)] = []
    /// The bytes that may be sent on the connection (RFC 9113 §6.9), as the codec has counted.
    private var sendWindow = HTTP2FrameHandler.initialWindow
    private(set) var count = HTTP2OutboundCount()
    private var isGone = false

    /// The size of a stream's receive window: what a server may send before the first bytes were
    /// read.
    static let streamWindow = 8 << 20
    /// That of the connection, for all streams together. It is given back when bytes come, whether
    /// or not they are read.
    static let connectionWindow = 128 << 20
    /// The size of both before anything was said (RFC 9113 §6.9.2).
    static let initialWindow = 65_535
    /// The most values of a SETTINGS frame. RFC 9113 knows 6 settings.
    private static let mostSettings = 64

    init(limits: Limits, receiver: any HTTP2FrameReceiver) {
        self.limits = limits
        self.receiver = receiver
    }

    /// Adds the codec and this handler, and so sends the preface (RFC 9113 §3.4).
    func add(to channel: any Channel) throws {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        // A section that is somewhat too large fails its stream, and not the connection.
        let sectionSize = min(2 * min(max(limits.headerSection, 0), 1 << 28), 1 << 28)
        configuration.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .initialWindowSize, value: Self.streamWindow),
            HTTP2Setting(parameter: .maxHeaderListSize, value: sectionSize),
        ]
        // Both are checked by the connection, which knows the caller's limits.
        configuration.headerBlockValidation = .disabled
        configuration.contentLengthValidation = .disabled
        configuration.maximumSequentialEmptyDataFrames = 100
        configuration.maximumSequentialContinuationFrames = sectionSize / 16_384 + 8
        configuration.maximumRecentlyResetStreams = 4096
        configuration.maximumBufferedControlFrames = 10_000
        configuration.controlFrameRateLimit.maximumCount = 1_000
        configuration.controlFrameRateLimit.windowLength = .seconds(10)
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.streamResetFrameRateLimit.maximumCount = 20_000
        streams.streamErrorRateLimit.maximumCount = 1_000
        let codec = NIOHTTP2Handler(
            mode: .client,
            frameDelegate: self,
            connectionConfiguration: configuration,
            streamConfiguration: streams
        )
        self.codec = codec
        try channel.pipeline.syncOperations.addHandlers([codec, self])
    }

    // MARK: Sending

    func send(fields: HPACKHeaders, on stream: Int, endsStream: Bool) {
        write(stream, .headers(.init(headers: fields, endStream: endsStream)))
    }

    func send(_ bytes: ByteBuffer, on stream: Int, endsStream: Bool) {
        write(stream, .data(.init(data: .byteBuffer(bytes), endStream: endsStream)), content: bytes.readableBytes)
    }

    func sendReset(_ code: HTTP2Code, on stream: Int) {
        write(stream, .rstStream(HTTP2ErrorCode(networkCode: code.rawValue)))
        resets.removeAll { $0.stream == stream }
    }

    func sendWindowUpdate(_ increment: Int, on stream: Int) {
        write(stream, .windowUpdate(windowSizeIncrement: increment))
    }

    func sendPing(_ data: UInt64) {
        write(0, .ping(HTTP2PingData(withInteger: data), ack: false))
    }

    /// RFC 9113 §6.8: the server has opened no stream, so that the last one is 0.
    func sendGoAway(_ code: HTTP2Code) {
        write(0, .goAway(lastStreamID: 0, errorCode: HTTP2ErrorCode(networkCode: code.rawValue), opaqueData: nil))
        goAway = nil
    }

    /// RFC 9218 §7.1: a frame that the codec does not know. It is written behind the codec, which
    /// holds no frame that it would overtake except DATA.
    func sendPriority(_ value: String, of stream: Int) {
        guard !isGone, let codec,
            let below = try? context?.pipeline.syncOperations.context(handler: codec)
        else { return }
        let payload = ByteBuffer(string: value)
        var frame = ByteBuffer()
        frame.writeInteger(UInt32(payload.readableBytes + 4) << 8 | 0x10)
        frame.writeInteger(UInt8(0))
        frame.writeInteger(UInt32(0))
        frame.writeInteger(UInt32(stream))
        frame.writeImmutableBuffer(payload)
        below.write(codec.wrapOutboundOut(.byteBuffer(frame)), promise: nil)
        below.flush()
    }

    private func write(_ stream: Int, _ payload: HTTP2Frame.FramePayload, content: Int = 0) {
        guard !isGone, let context else { return }
        count.handOver(content: content)
        context.write(wrapOutboundOut(HTTP2Frame(streamID: HTTP2StreamID(stream), payload: payload)), promise: nil)
        flushSoon()
    }

    /// One flush for all that is written in this turn of the event loop.
    private func flushSoon() {
        guard !needsFlush, let context else { return }
        needsFlush = true
        guard !isReading else { return }
        context.eventLoop.assumeIsolated().execute { self.flush() }
    }

    func flush() {
        guard needsFlush else { return }
        needsFlush = false
        isFlushing = true
        context?.flush()
        isFlushing = false
        tellResets()
        // Where the flush has let others write, theirs does this.
        guard !needsFlush else { return }
        let isWritable = isWritable
        count.flushed(isWritable: isWritable)
        // The codec holds nothing back now, so that its count is that of what was handed over.
        if isWritable { receiver.sendWindowChanged(to: sendWindow) }
    }

    /// Tells of streams that the codec has reset, and whose frames it had held back.
    private func tellResets() {
        guard !resets.isEmpty else { return }
        let released = resets
        resets = []
        for (stream, code) in released { receiver.streamFailed(HTTP2Fault(ofCodec: nil, code), on: stream) }
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
        // RFC 9113 §6.9.2: only this changes the window of the connection.
        sendWindowUpdate(Self.connectionWindow - Self.initialWindow, on: 0)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isGone = true
        receiver.removed()
        self.context = nil
        codec = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        guard !isGone else { return }
        let frame = unwrapInboundIn(data)
        let stream = Int(frame.streamID)
        switch frame.payload {
        case .headers(let section):
            receiver.received(fields: section.headers, on: stream, endsStream: section.endStream)
        case .data(let data):
            guard case .byteBuffer(let bytes) = data.data else { return }
            // §6.1: the length of the padding takes a byte too.
            let padding = data.paddingBytes.map { $0 + 1 } ?? 0
            receiver.received(
                bytes,
                windowLength: bytes.readableBytes + padding,
                on: stream,
                endsStream: data.endStream
            )
        case .rstStream(let code):
            receiver.receivedReset(HTTP2Code(rawValue: code.networkCode), on: stream)
        case .settings(.settings(let settings)):
            // RFC 9113 §10.5: each value costs something, and one for each setting is enough.
            guard settings.count <= Self.mostSettings else {
                sendGoAway(.enhanceYourCalm)
                let clause = "sent \(settings.count) values in one SETTINGS frame"
                return receiver.connectionFailed(HTTP2Fault(.flood, clause: clause))
            }
            // RFC 9113 §6.5.2: a server cannot receive pushed streams.
            guard !settings.contains(where: { $0.parameter == .enablePush && $0.value != 0 }) else {
                sendGoAway(.protocolError)
                let clause = "sent SETTINGS_ENABLE_PUSH, which only a client may"
                return receiver.connectionFailed(HTTP2Fault(.violation, clause: clause))
            }
            receiver.received { peer in
                for setting in settings { peer.apply(setting) }
            }
        case .goAway(let last, let code, _):
            receiver.receivedGoAway(HTTP2Code(rawValue: code.networkCode), lastStream: Int(last))
        case .ping(let data, ack: true):
            receiver.receivedPingAcknowledgement(data.integer)
        case .windowUpdate(let increment):
            receiver.receivedWindowUpdate(increment, on: stream)
        // The codec acknowledges PING and SETTINGS itself, and refuses PUSH_PROMISE.
        case .settings(.ack), .ping, .priority, .pushPromise, .alternativeService, .origin: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        receiver.receivedAll()
        isReading = false
        flush()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        tellResets()
        if context.channel.isWritable {
            // What the codec held back is written, or was dropped with its stream.
            if !needsFlush, !isFlushing { receiver.sendWindowChanged(to: sendWindow) }
            receiver.writabilityChanged()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let update as NIOHTTP2WindowUpdatedEvent where update.streamID == .rootStream:
            // Also for DATA on streams that were reset here, which is not handed over.
            if let available = update.inboundWindowSize { receiver.connectionWindowChanged(to: available) }
            if let available = update.outboundWindowSize { sendWindow = available }
        case ChannelEvent.inputClosed: receiver.inputEnded(reset: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        defer { goAway = nil }
        if let goAway {
            receiver.connectionFailed(HTTP2Fault(ofCodec: error, goAway))
        } else if error is NIOHTTP2Errors.StreamError {
            // The codec did not send a frame, because the server has ended the stream: there is
            // nothing left to tell.
        } else if error is any NIOHTTP2Error, let (stream, code) = resets.popLast() {
            receiver.streamFailed(HTTP2Fault(ofCodec: error, code), on: stream)
        } else if error is any NIOHTTP2Error {
            // A frame that the codec did not send, or a stream that is told of when its RST_STREAM
            // is written.
        } else if case .some(NIOSSLError.uncleanShutdown) = error as? NIOSSLError {
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

extension HTTP2FrameHandler: NIOHTTP2FrameDelegate {
    func wroteFrame(_ frame: HTTP2Frame) {
        switch frame.payload {
        case .data(let data): count.encoded(content: data.data.readableBytes)
        case .goAway(_, let code, _): goAway = HTTP2Code(rawValue: code.networkCode)
        case .rstStream(let code): resets.append((Int(frame.streamID), HTTP2Code(rawValue: code.networkCode)))
        default: break
        }
    }
}

extension HTTP2Connection.PeerSettings {
    fileprivate mutating func apply(_ setting: HTTP2Setting) {
        switch setting.parameter {
        case .headerTableSize: fieldTable = setting.value
        case .maxConcurrentStreams: concurrentStreams = setting.value
        case .initialWindowSize: initialWindow = setting.value
        case .enableConnectProtocol: allowsConnectProtocol = setting.value == 1
        default: break
        }
    }
}

extension HTTP2Fault {
    /// What the codec has found; nil where its error is not known.
    fileprivate init(ofCodec error: (any Error)?, _ code: HTTP2Code) {
        switch error {
        case is NIOHTTP2Errors.ExcessiveEmptyDataFrames, is NIOHTTP2Errors.ExcessiveRSTFrames,
            is NIOHTTP2Errors.ExcessiveControlFrames, is NIOHTTP2Errors.ExcessiveContinuationFrames,
            is NIOHTTP2Errors.ExcessiveStreamErrors, is NIOHTTP2Errors.ExcessiveNumberOfGlitches,
            is NIOHTTP2Errors.ExcessiveOutboundFrameBuffering:
            self.init(.flood, sending: code, clause: "sent too many HTTP/2 frames that bring nothing (\(code))")
        case is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock:
            self.init(.fieldsTooLarge, sending: code, clause: "sent a field section that is too large (\(code))")
        default:
            self.init(.violation, sending: code, clause: "broke a rule of HTTP/2 (\(code))")
        }
    }
}
