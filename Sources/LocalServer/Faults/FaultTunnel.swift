import NIOCore
import NIOPosix

/// The other side of a connection that a script has made a tunnel, as a proxy does: what the client
/// sends goes there, and what comes from there goes to the client.
///
/// Both sides are on the event loop of the client's connection.
final class FaultTunnel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel
    private var server: (any Channel)?

    private init(client: any Channel) {
        self.client = client
    }

    /// Connects to a port of 127.0.0.1. Where nobody listens there, the client's connection is
    /// closed.
    static func connect(
        _ client: any Channel,
        to port: Int,
        completion: @escaping (FaultTunnel) -> Void
    ) {
        let tunnel = NIOLoopBound(FaultTunnel(client: client), eventLoop: client.eventLoop)
        ClientBootstrap(group: client.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    tunnel.value.server = channel
                    try channel.pipeline.syncOperations.addHandler(tunnel.value)
                }
            }
            .connect(host: "127.0.0.1", port: port).assumeIsolated().whenComplete { result in
                switch result {
                case .success: completion(tunnel.value)
                case .failure: client.close(promise: nil)
                }
            }
    }

    func write(_ bytes: ByteBuffer) { server?.writeAndFlush(bytes, promise: nil) }

    func close() { server?.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Through the whole pipeline, which may have TLS.
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
