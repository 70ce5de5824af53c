import NIOCore

/// A handler below TLS in the pipeline, which closes the socket without TLS.
final class FaultTransportHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    /// Closes the socket at once; TLS sends no close_notify.
    func cut() {
        context?.close(mode: .all, promise: nil)
    }

    /// Closes the socket with RST instead of FIN.
    func reset() {
        context?.channel.endWithReset()
        cut()
    }
}
