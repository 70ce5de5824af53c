import NIOCore
import NIOPosix

/// The other side of a stream that a script has made a tunnel, as a proxy does (RFC 9113 §8.5): the
/// DATA of the client go there, and what comes from there goes to the client.
///
/// Both sides are on the event loop of the client's connection.
final class HTTP2FaultTunnel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let stream: Int
    /// What came from the server, and is not sent to the client yet.
    var pending = ByteBuffer()
    /// Whether the server sends no more.
    private(set) var hasEnded = false
    /// Whether END_STREAM was sent to the client.
    var isEnded = false
    private var server: (any Channel)?
    private let changed: () -> Void

    private init(stream: Int, changed: @escaping () -> Void) {
        self.stream = stream
        self.changed = changed
    }

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - stream: The stream of the client.
    ///   - eventLoop: The event loop of the client's connection.
    ///   - changed: Called when there is more for the client, or the end.
    ///   - completion: Gets the tunnel; nil where nobody listens there.
    static func connect(
        to port: Int,
        stream: Int,
        on eventLoop: any EventLoop,
        changed: @escaping () -> Void,
        completion: @escaping (HTTP2FaultTunnel?) -> Void
    ) {
        let tunnel = NIOLoopBound(HTTP2FaultTunnel(stream: stream, changed: changed), eventLoop: eventLoop)
        ClientBootstrap(group: eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    tunnel.value.server = channel
                    try channel.pipeline.syncOperations.addHandler(tunnel.value)
                }
            }
            .connect(host: "127.0.0.1", port: port).assumeIsolated().whenComplete { result in
                switch result {
                case .success: completion(tunnel.value)
                case .failure: completion(nil)
                }
            }
    }

    func write(_ bytes: [UInt8]) { server?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// The client has ended its side.
    func closeOutput() { server?.close(mode: .output, promise: nil) }

    func close() { server?.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        pending.writeBuffer(&bytes)
        changed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { end() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        changed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
