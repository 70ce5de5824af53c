import NIOCore
import NIOTLS

/// Reports once how a TLS handshake ended, with the protocol that was agreed upon, and leaves the
/// pipeline.
final class TLSHandshakeObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var completion: ((Result<ApplicationProtocol, any Error>) -> Void)?

    init(completion: @escaping (Result<ApplicationProtocol, any Error>) -> Void) {
        self.completion = completion
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let name)? = event as? TLSUserEvent {
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            end(.success(ApplicationProtocol(negotiated: name)))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(error))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(ChannelError.eof))
        context.fireChannelInactive()
    }

    private func end(_ result: Result<ApplicationProtocol, any Error>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
