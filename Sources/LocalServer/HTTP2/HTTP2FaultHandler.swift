import NIOCore
import NIOTLS

/// Runs the scripts of one connection on the connection's event loop: those of its requests, or
/// the one of the connection.
final class HTTP2FaultHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let index: Int
    private let script: HTTP2FaultServer.Script
    private let options: HTTP2FaultServer.Options
    private let log: FaultLog<HTTP2FaultServer.Record>
    private let transport: FaultTransportHandler

    private var reader = WireFrameReader()
    private var collector: HTTP2RequestCollector
    private var windows = HTTP2SendWindows()
    private var frames: [WireFrame] = []
    private var requests: [HTTP2FaultServer.Request] = []
    private var numbers: [Int: Int] = [:]
    private var headsTaken = 0
    private var lanes: [HTTP2FaultLane] = []
    private var tunnels: [Int: HTTP2FaultTunnel] = [:]
    /// The bytes of the next request, where ALPN has selected HTTP/1.1.
    private var http1: [UInt8]?
    private var isClosed = false
    private var closedByServer = false
    private var inputEnded = false

    init(
        index: Int,
        script: HTTP2FaultServer.Script,
        options: HTTP2FaultServer.Options,
        log: FaultLog<HTTP2FaultServer.Record>,
        transport: FaultTransportHandler
    ) {
        self.index = index
        self.script = script
        self.options = options
        self.log = log
        self.transport = transport
        collector = HTTP2RequestCollector(connection: index, tableSize: options.settings?[.headerTableSize])
    }

    private func update(_ change: @Sendable (inout HTTP2FaultServer.Connection) -> Void) {
        let index = index
        log.update { change(&$0.connections[index]) }
    }

    // MARK: Events of the channel

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if options.tls == nil { begin(context) }
    }

    private func begin(_ context: ChannelHandlerContext) {
        if let settings = options.settings {
            let sorted = settings.sorted { $0.key.rawValue < $1.key.rawValue }
            write(WireFrame.settings(sorted.map { ($0.key, $0.value) }).bytes, context)
        }
        begin(script.steps(forConnection: index), stream: 1, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        guard http1 == nil else { return respondOverHTTP1(to: buffer, context) }
        reader.append(&buffer)
        while !isClosed, let event = reader.next() {
            switch event {
            case .preface: update { $0.hasPreface = true }
            case .noPreface: update { $0.failure = $0.failure ?? "no connection preface" }
            case .frame(let frame): receive(frame, context)
            }
        }
        advanceAll(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        advanceAll(context)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            inputEnded = true
            update { $0.clientClosed = true }
            advanceAll(context)
        case TLSUserEvent.handshakeCompleted(let negotiated):
            update { $0.applicationProtocol = negotiated }
            if negotiated == "http/1.1" { http1 = [] } else { begin(context) }
        default:
            break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        lanes = []
        for tunnel in tunnels.values { tunnel.close() }
        tunnels = [:]
        let closedByServer = closedByServer
        update { connection in
            connection.isClosed = true
            connection.clientClosed = connection.clientClosed || !closedByServer
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        update { $0.failure = $0.failure ?? "\(error)" }
        transport.cut()
    }

    /// Responds to requests without a body.
    private func respondOverHTTP1(to buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        http1? += buffer.readableBytesView
        let end = Array("\r\n\r\n".utf8)
        while let range = http1?.firstRange(of: end) {
            http1?.removeSubrange(..<range.upperBound)
            log.update { $0.http1Requests += 1 }
            write(Array("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nHTTP/1.1".utf8), context)
        }
    }

    // MARK: Frames of the client

    private func receive(_ frame: WireFrame, _ context: ChannelHandlerContext) {
        windows.receive(frame)
        if frame.kind == .resetStream { tunnels.removeValue(forKey: frame.stream)?.close() }
        var kept = frame
        if frame.kind == .data { kept.payload = [] }
        frames.append(kept)
        update { [kept] in $0.frames.append(kept) }
        respond(to: frame, context)
        switch collector.receive(frame) {
        case .head(let request): receive(request, context)
        case .data(let stream, let bytes, let endStream):
            tunnels[stream]?.write(Array(bytes))
            if endStream { tunnels[stream]?.closeOutput() }
            let keepsBody = options.keepsBodies
            change(stream, endStream: endStream, context) { request in
                request.bodyLength += bytes.count
                if keepsBody { request.body += bytes }
            }
        case .trailers(let stream, let fields):
            change(stream, endStream: true, context) { $0.trailers = fields }
        case .failure(let text): update { $0.failure = $0.failure ?? text }
        case nil: break
        }
    }

    private func respond(to frame: WireFrame, _ context: ChannelHandlerContext) {
        switch frame.kind {
        case .settings where options.acknowledges && !frame.flags.contains(.acknowledgement):
            write(WireFrame.settingsAcknowledgement.bytes, context)
        case .ping where options.acknowledges && !frame.flags.contains(.acknowledgement):
            let pong = WireFrame(.ping, flags: .acknowledgement, payload: frame.payload)
            write(pong.bytes, context)
        case .data where options.givesWindowsBack && frame.length > 0:
            let increment = UInt32(truncatingIfNeeded: frame.length)
            var bytes = WireFrame.windowUpdate(increment).bytes
            if !frame.flags.contains(.endStream) {
                bytes += WireFrame.windowUpdate(increment, stream: frame.stream).bytes
            }
            write(bytes, context)
        default: break
        }
    }

    private func receive(_ request: HTTP2FaultServer.Request, _ context: ChannelHandlerContext) {
        numbers[request.stream] = request.number
        requests.append(request)
        let index = index
        log.update { record in
            record.connections[index].requests.append(request)
            if request.isWhole { record.wholeRequests += 1 }
        }
        if case .heads(let respond) = script.kind {
            begin(respond(request), stream: request.stream, context)
        }
        respondToWhole(request, context)
    }

    private func change(
        _ stream: Int,
        endStream: Bool,
        _ context: ChannelHandlerContext,
        _ change: @Sendable (inout HTTP2FaultServer.Request) -> Void
    ) {
        guard let number = numbers[stream] else { return }
        change(&requests[number])
        requests[number].isWhole = endStream
        let index = index
        log.update { record in
            change(&record.connections[index].requests[number])
            record.connections[index].requests[number].isWhole = endStream
            if endStream { record.wholeRequests += 1 }
        }
        respondToWhole(requests[number], context)
    }

    private func respondToWhole(_ request: HTTP2FaultServer.Request, _ context: ChannelHandlerContext) {
        guard request.isWhole, case .requests(let respond) = script.kind else { return }
        begin(respond(request), stream: request.stream, context)
    }

    // MARK: Running the scripts

    private func begin(_ steps: [HTTP2FaultStep], stream: Int, _ context: ChannelHandlerContext) {
        let lane = HTTP2FaultLane(steps, stream: stream, framesSeen: frames.count)
        lanes.append(lane)
        advance(lane, context)
    }

    private func advanceAll(_ context: ChannelHandlerContext) {
        for tunnel in tunnels.values { sendBytes(of: tunnel, context) }
        for lane in lanes {
            advance(lane, context)
        }
        guard inputEnded, !isClosed, !lanes.contains(where: \.isInOperation) else { return }
        context.close(mode: .all, promise: nil)
    }

    private func advance(_ lane: HTTP2FaultLane, _ context: ChannelHandlerContext) {
        guard !lane.isRunning else { return }
        lane.isRunning = true
        defer { lane.isRunning = false }
        while !isClosed, endPause(of: lane, context) {
            guard let step = lane.steps.popLast() else {
                // Of ten thousand, the first one is usually the one that has ended.
                if let index = lanes.firstIndex(where: { $0 === lane }) { lanes.remove(at: index) }
                return
            }
            begin(step, of: lane, context)
        }
    }

    /// Ends the pause when its event has come, and returns whether it did.
    private func endPause(of lane: HTTP2FaultLane, _ context: ChannelHandlerContext) -> Bool {
        switch lane.pause {
        case .none: return true
        case .operation, .stalled: return false
        case .head:
            guard headsTaken < requests.count else { return false }
            lane.stream = requests[headsTaken].stream
            headsTaken += 1
        case .end:
            guard let number = numbers[lane.stream], requests[number].isWhole else { return false }
        case .frame(let condition):
            guard let found = frames[lane.framesSeen...].firstIndex(where: condition) else {
                lane.framesSeen = frames.count
                return false
            }
            lane.framesSeen = found + 1
        case .window:
            guard sendBody(of: lane, context) else { return false }
        }
        lane.pause = .none
        return true
    }

    private func begin(_ step: HTTP2FaultStep, of lane: HTTP2FaultLane, _ context: ChannelHandlerContext) {
        switch step.action {
        case .group(let steps): lane.steps += steps.reversed()
        case .readHead: lane.pause = .head
        case .readEnd: lane.pause = .end
        case .readFrame(let condition): lane.pause = .frame(condition)
        case .send(let bytes): write(bytes, context)
        case .onStream(let frames): write(frames(lane.stream).flatMap(\.bytes), context)
        case .body(let bytes, let blocks, let padding, let endStream):
            lane.body = HTTP2FaultLane.Body(block: bytes, blocks: blocks, padding: padding, endStream: endStream)
            lane.pause = .window
        case .flood(let bytes, let times): flood(bytes, times, of: lane, context)
        case .wait(let duration): wait(duration, lane, context)
        case .hold(let gate): hold(gate, lane, context)
        case .stall: lane.pause = .stalled
        case .tunnel(let port): openTunnel(to: port, lane, context)
        case .setReading(let isReading): try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
        case .close, .cut, .reset: end(step, lane, context)
        case .startOver:
            lane.steps = script.steps(forConnection: index).reversed()
            wait(.zero, lane, context)
        }
    }

    private func end(_ step: HTTP2FaultStep, _ lane: HTTP2FaultLane, _ context: ChannelHandlerContext) {
        closedByServer = true
        lane.pause = .stalled
        switch step.action {
        case .cut: transport.cut()
        case .reset: transport.reset()
        default: context.close(mode: .all, promise: nil)
        }
    }

    /// Ends the operation that a step has begun.
    private func finishOperation(of lane: HTTP2FaultLane, _ context: ChannelHandlerContext) {
        guard case .operation = lane.pause else { return }
        lane.pause = .none
        advance(lane, context)
    }

    // MARK: Sending

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    /// Sends as much of the body as the windows and the socket take, and returns whether that was
    /// all.
    private func sendBody(of lane: HTTP2FaultLane, _ context: ChannelHandlerContext) -> Bool {
        while context.channel.isWritable {
            // RFC 9113 §4.2: 16,384 is the size that every client takes.
            let overhead = lane.body.overhead
            let room = max(0, min(16_384, windows.room(on: lane.stream)) - overhead)
            guard let piece = lane.body.next(upTo: room) else { return false }
            windows.sent(piece.bytes.count + overhead, on: lane.stream)
            update { $0.bodyBytesSent += piece.bytes.count }
            let frame = WireFrame.data(
                piece.bytes,
                stream: lane.stream,
                endStream: piece.endStream,
                padding: lane.body.padding
            )
            write(frame.bytes, context)
            if lane.body.isSent { return true }
        }
        return false
    }

    private func openTunnel(to port: Int, _ lane: HTTP2FaultLane, _ context: ChannelHandlerContext) {
        lane.pause = .operation
        let stream = lane.stream
        HTTP2FaultTunnel.connect(
            to: port,
            stream: stream,
            on: context.eventLoop,
            changed: { if let tunnel = self.tunnels[stream] { self.sendBytes(of: tunnel, context) } },
            completion: { tunnel in
                guard !self.isClosed else { return tunnel?.close() ?? () }
                let status = tunnel == nil ? "502" : "200"
                let isRefused = tunnel == nil
                self.write(
                    WireFrame.headers([(":status", status)], stream: stream, endStream: isRefused).bytes,
                    context
                )
                self.tunnels[stream] = tunnel
                self.finishOperation(of: lane, context)
            }
        )
    }

    /// Sends as much of a tunnel's bytes as the windows and the socket take.
    private func sendBytes(of tunnel: HTTP2FaultTunnel, _ context: ChannelHandlerContext) {
        while !isClosed, tunnel.pending.readableBytes > 0, context.channel.isWritable {
            let room = min(16_384, windows.room(on: tunnel.stream), tunnel.pending.readableBytes)
            guard room > 0, let piece = tunnel.pending.readBytes(length: room) else { return }
            windows.sent(piece.count, on: tunnel.stream)
            update { $0.bodyBytesSent += piece.count }
            write(WireFrame.data(piece, stream: tunnel.stream, endStream: false).bytes, context)
        }
        guard !isClosed, tunnel.hasEnded, tunnel.pending.readableBytes == 0, !tunnel.isEnded else { return }
        tunnel.isEnded = true
        write(WireFrame.data([], stream: tunnel.stream, endStream: true).bytes, context)
    }

    private func flood(_ bytes: [UInt8], _ times: Int, of lane: HTTP2FaultLane, _ context: ChannelHandlerContext) {
        guard times > 0 else { return }
        let block = min(times, max(1, 65_536 / max(1, bytes.count)))
        lane.steps.append(.flood(bytes, times: times == .max ? .max : times - block))
        lane.pause = .operation
        let buffer = ByteBuffer(bytes: (0..<block).flatMap { _ in bytes })
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenSuccess {
            self.finishOperation(of: lane, context)
        }
    }

    // MARK: Waiting

    private func wait(_ duration: Duration, _ lane: HTTP2FaultLane, _ context: ChannelHandlerContext) {
        lane.pause = .operation
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
            self.finishOperation(of: lane, context)
        }
    }

    private func hold(_ gate: FaultGate, _ lane: HTTP2FaultLane, _ context: ChannelHandlerContext) {
        lane.pause = .operation
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, lane, context), eventLoop: loop)
        gate.whenOpen {
            loop.execute {
                let (handler, lane, context) = bound.value
                handler.finishOperation(of: lane, context)
            }
        }
    }
}
