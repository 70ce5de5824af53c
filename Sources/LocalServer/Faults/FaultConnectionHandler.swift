import NIOCore
import NIOSSL
import NIOTLS

/// Runs the script of one connection on the connection's event loop.
final class FaultConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The event that the script waits for before its next step.
    ///
    /// Every step changes `none` to one of the others; all but `stalled` become `none` again.
    private enum Pause {
        case none
        case operation
        case head
        case request
        case bytes(Int)
        case stalled
    }

    private let index: Int
    private let script: FaultServer.Script
    private let log: FaultLog<FaultServer.Record>
    private let transport: FaultTransportHandler

    /// The steps that have not run, the next one last.
    private var steps: [FaultStep]
    private var pause = Pause.none
    private var isRunning = false
    private var isClosed = false
    private var closedByServer = false
    private var inputEnded = false
    private var bytesReceived = 0
    private var parser: FaultRequestParser
    private var requests: [FaultServer.Request] = []
    private var untakenHeads = 0
    private var slowReading: (bytes: Int, interval: Duration)?
    private var tunnel: FaultTunnel?

    init(
        index: Int,
        script: FaultServer.Script,
        log: FaultLog<FaultServer.Record>,
        transport: FaultTransportHandler,
        keepsBodies: Bool
    ) {
        self.index = index
        self.script = script
        self.log = log
        self.transport = transport
        steps = script.steps(forConnection: index).reversed()
        parser = FaultRequestParser(connection: index, keepsBodies: keepsBodies)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        advance(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        let count = buffer.readableBytes
        bytesReceived += count
        log.update(connection: index) { $0.bytesReceived += count }
        if let tunnel { return tunnel.write(buffer) }
        parser.append(&buffer)
        while let event = parser.next() {
            switch event {
            case .head:
                untakenHeads += 1
            case .request(let request):
                requests.append(request)
                let index = index
                log.update { record in
                    record.requests.append(request)
                    record.connections[index].requests.append(request)
                }
            }
        }
        advance(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            inputEnded = true
            log.update(connection: index) { $0.clientClosed = true }
            advance(context)
        case TLSUserEvent.handshakeCompleted(let negotiated):
            let version = try? context.channel.pipeline.syncOperations.nioSSL_tlsVersion()
            log.update(connection: index) { connection in
                connection.applicationProtocol = negotiated
                connection.tlsVersion = version.map(FaultConnectionHandler.name)
            }
        default:
            break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        tunnel?.close()
        let closedByServer = closedByServer
        log.update(connection: index) { connection in
            connection.isClosed = true
            connection.clientClosed = connection.clientClosed || !closedByServer
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        log.update(connection: index) { $0.failure = $0.failure ?? "\(error)" }
        transport.cut()
    }

    private static func name(of version: TLSVersion) -> String {
        switch version {
        case .tlsv1: "TLSv1.0"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        }
    }

    // MARK: Running the script

    private func advance(_ context: ChannelHandlerContext) {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while !isClosed, endPause(context), let step = takeStep() {
            begin(step, context)
        }
    }

    /// Ends the pause when its event has come, and returns whether it did; closes the connection
    /// when the event can never come.
    private func endPause(_ context: ChannelHandlerContext) -> Bool {
        let isOver: Bool
        switch pause {
        case .none: isOver = true
        case .operation: return false
        case .head: isOver = untakenHeads > 0
        case .bytes(let count): isOver = bytesReceived >= count
        case .stalled: isOver = false
        case .request:
            isOver = !requests.isEmpty
            if isOver {
                take(requests.removeFirst())
            }
        }
        if isOver {
            pause = .none
        } else if inputEnded {
            context.close(mode: .all, promise: nil)
        }
        return isOver
    }

    private func take(_ request: FaultServer.Request) {
        untakenHeads -= 1
        if case .requests(let respond) = script.kind {
            steps = respond(request).reversed()
        }
    }

    private func takeStep() -> FaultStep? {
        if let step = steps.popLast() {
            return step
        }
        switch script.kind {
        case .connections: return .stall
        case .requests: return .readRequest
        }
    }

    private func begin(_ step: FaultStep, _ context: ChannelHandlerContext) {
        switch step.action {
        case .readRequest: pause = .request
        case .readHead: pause = .head
        case .readBytes(let count): pause = .bytes(count)
        case .stall: pause = .stalled
        case .send(let bytes): send(bytes, context)
        case .fill(let byte, let count): fill(byte, count, context)
        case .drip(let bytes, let size, let delay): drip(bytes, size, delay, context)
        case .wait(let duration): wait(duration, context)
        case .hold(let gate): hold(gate, context)
        case .setReading(let isReading): setReading(isReading, context)
        case .readSlowly(let bytes, let interval): readSlowly(bytes, interval, context)
        case .halfClose: context.close(mode: .output, promise: nil)
        case .close, .cut, .reset: end(step, context)
        case .tunnel(let port, let answer): open(tunnelTo: port, answer, context)
        case .startOver:
            steps = script.steps(forConnection: index).reversed()
            wait(.zero, context)
        }
    }

    private func end(_ step: FaultStep, _ context: ChannelHandlerContext) {
        closedByServer = true
        pause = .stalled
        switch step.action {
        case .cut: transport.cut()
        case .reset: transport.reset()
        default: context.close(mode: .all, promise: nil)
        }
    }

    /// Ends the operation that a step has begun. After a failed operation the script does not go
    /// on.
    private func finishOperation(_ context: ChannelHandlerContext) {
        guard case .operation = pause else { return }
        pause = .none
        advance(context)
    }

    // MARK: Sending

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        pause = .operation
        let count = bytes.count
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated().whenComplete { result in
            guard case .success = result else { return }
            self.log.update(connection: self.index) { $0.bytesSent += count }
            self.finishOperation(context)
        }
    }

    private func fill(_ byte: UInt8, _ count: Int, _ context: ChannelHandlerContext) {
        guard count > 0 else { return }
        let piece = min(count, 64 * 1024)
        steps.append(FaultStep(.fill(byte, count == .max ? .max : count - piece)))
        send([UInt8](repeating: byte, count: piece), context)
    }

    private func drip(_ bytes: ArraySlice<UInt8>, _ size: Int, _ delay: Duration, _ context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        if bytes.count > size {
            steps.append(FaultStep(.drip(bytes.dropFirst(size), size, delay)))
            steps.append(.wait(delay))
        }
        send(Array(bytes.prefix(size)), context)
    }

    private func open(tunnelTo port: Int, _ answer: [UInt8], _ context: ChannelHandlerContext) {
        pause = .operation
        FaultTunnel.connect(context.channel, to: port) { tunnel in
            guard !self.isClosed else { return tunnel.close() }
            self.tunnel = tunnel
            self.send(answer, context)
        }
    }

    // MARK: Waiting

    private func wait(_ duration: Duration, _ context: ChannelHandlerContext) {
        pause = .operation
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
            self.finishOperation(context)
        }
    }

    private func hold(_ gate: FaultGate, _ context: ChannelHandlerContext) {
        pause = .operation
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, context), eventLoop: loop)
        gate.whenOpen {
            loop.execute {
                let (handler, context) = bound.value
                handler.finishOperation(context)
            }
        }
    }

    // MARK: Reading

    private func setReading(_ isReading: Bool, _ context: ChannelHandlerContext) {
        slowReading = nil
        try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    private func readSlowly(_ bytes: Int, _ interval: Duration, _ context: ChannelHandlerContext) {
        setReading(false, context)
        let options = context.channel.syncOptions
        try? options?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: max(1, bytes)))
        try? options?.setOption(.maxMessagesPerRead, value: 1)
        slowReading = (bytes, interval)
        readOnce(context)
    }

    private func readOnce(_ context: ChannelHandlerContext) {
        guard !isClosed, let slowReading else { return }
        context.read()
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(slowReading.interval)) {
            self.readOnce(context)
        }
    }
}
