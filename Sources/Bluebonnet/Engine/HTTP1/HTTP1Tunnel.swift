import NIOCore
import NIOSSL

/// The channel of an HTTP/1.1 connection after a response with status 101 (RFC 9110 §15.2.2): the
/// bytes are those of another protocol.
///
/// It is the last handler of the pipeline, behind the ``HTTP1Connection``, which passes everything
/// on.
final class HTTP1Tunnel: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let eventLoop: any EventLoop
    private let origin: Origin
    private var context: ChannelHandlerContext?
    private var receiver: (any ByteTunnelReceiver)?
    /// What came before there was a receiver.
    private var early: [ByteBuffer]
    private var isReading = false
    /// Whether the channel asked to read, and must not yet.
    private var hasPendingRead = false
    /// Whether this side has ended the tunnel.
    private var isClosed = false
    private var failure: NetworkingError?

    /// - Parameters:
    ///   - origin: The server, for errors.
    ///   - eventLoop: The event loop of the channel.
    ///   - early: What came behind the response.
    init(to origin: Origin, on eventLoop: any EventLoop, early: [ByteBuffer]) {
        self.origin = origin
        self.eventLoop = eventLoop
        self.early = early.filter { $0.readableBytes > 0 }
    }

    // MARK: The pipeline

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard bytes.readableBytes > 0, !isClosed else { return }
        if let receiver { receiver.received(bytes) } else { early.append(bytes) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        receiver?.receivedAll()
    }

    func read(context: ChannelHandlerContext) {
        if isReading { context.read() } else { hasPendingRead = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        receiver?.writabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if failure == nil { failure = .tunnelLost(origin, error) }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
    }

    /// The channel has ended: tells the receiver, once. One that comes later is told by
    /// ``begin(_:)``.
    private func end() {
        guard let receiver else { return }
        self.receiver = nil
        if !isClosed, failure == nil { receiver.inputEnded() }
        receiver.ended(isClosed ? nil : failure)
    }
}

extension HTTP1Tunnel: ByteTunnel {
    var carrier: (any Channel)? { context?.channel }

    var isWritable: Bool { context?.channel.isWritable ?? false }

    var unsentBytes: Int { context?.unsentBytes ?? 0 }

    func begin(_ receiver: any ByteTunnelReceiver) {
        self.receiver = receiver
        // Before the first bytes: the receiver may stop reading because of them.
        isReading = true
        let early = early
        self.early = []
        for bytes in early where self.receiver != nil { receiver.received(bytes) }
        if !early.isEmpty { self.receiver?.receivedAll() }
        // The channel may have ended before there was a receiver to hear of it.
        guard let context, context.channel.isActive else { return end() }
        if !isClosed, isReading { setReading(true) }
    }

    func write(_ bytes: ByteBuffer) {
        if !isClosed { context?.write(wrapOutboundOut(bytes), promise: nil) }
    }

    func flush() {
        context?.flush()
    }

    func setReading(_ isReading: Bool) {
        self.isReading = isReading
        guard isReading, hasPendingRead else { return }
        hasPendingRead = false
        context?.read()
    }

    func closeOutput() {
        if !isClosed { context?.close(mode: .output, promise: nil) }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        context?.close(promise: nil)
    }

    func abort() {
        isClosed = true
        guard let context else { return }
        // From below TLS: its closing alert would say that the flow was complete (RFC 8446 §6.1).
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        if let tls { tls.close(promise: nil) } else { context.close(promise: nil) }
    }
}
