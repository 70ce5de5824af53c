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

/// A protocol that may be spoken over TLS, by its name in the handshake (RFC 7301 §6).
enum ApplicationProtocol: String {
    case http2 = "h2"
    case http1 = "http/1.1"

    /// The protocol that was agreed upon. A server that knows nothing of such agreements speaks
    /// HTTP/1.1.
    init(negotiated name: String?) {
        self = name.flatMap(Self.init(rawValue:)) ?? .http1
    }
}
