import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOWebSocket

/// Opens the WebSocket at `/websocket`: in the pipeline of each connection of HTTP/1.1, behind the
/// codec. All other requests pass it, and so does one behind a request that has no response yet:
/// responses keep the order of their requests (RFC 9112 §9.3.2), and behind a 101 there are frames
/// only.
final class WebSocketUpgradeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    static let path = "/websocket"

    private let log: AccessLog?
    /// The fields of the response to the request under way, where it opens the WebSocket, and its
    /// path and query.
    private var fields: HTTPFields?
    private var target = path
    /// The requests that were passed on and have no whole response.
    private var withoutResponse = 0

    init(log: AccessLog?) {
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request):
            target = request.path ?? "/"
            if withoutResponse == 0, target.prefix(while: { $0 != "?" }) == Self.path[...] {
                fields = WebSocketEchoHandshake.fields(for: request)
            }
            guard fields == nil else { return }
            withoutResponse += 1
            context.fireChannelRead(data)
        case .body: if fields == nil { context.fireChannelRead(data) }
        case .end:
            guard let fields else { return context.fireChannelRead(data) }
            open(context, fields)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { withoutResponse -= 1 }
        context.write(data, promise: promise)
    }

    private func open(_ context: ChannelHandlerContext, _ fields: HTTPFields) {
        let response = HTTPResponse(status: .switchingProtocols, headerFields: fields)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        do {
            let operations = context.pipeline.syncOperations
            let codec = try operations.context(handlerType: HTTPResponseEncoder.self).handler
            // Before all handlers of HTTP, which see nothing any more but the end.
            let compresses = fields[.secWebSocketExtensions] != nil
            try operations.addHandlers(
                [
                    WebSocketFrameEncoder(),
                    ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: WebSocketEchoHandler.mostBytes)),
                    WebSocketEchoHandler(allowsCompression: compresses),
                ],
                position: .before(codec)
            )
        } catch {
            return context.close(promise: nil)
        }
        log?.write(
            AccessRecord(
                origin: context.channel.remoteAddress?.ipAddress ?? "-",
                method: "GET",
                target: target,
                version: "HTTP/1.1",
                status: 101,
                bytes: 0,
                duration: .zero,
                isCut: false
            )
        )
    }
}

/// Sends frames back as they come, also those of compressed messages
/// (``WebSocketEchoHandshake/compression(offers:)``), and does the server's part of pings and of
/// the close handshake.
final class WebSocketEchoHandler: ChannelDuplexHandler {
    typealias Frame = NIOWebSocket.WebSocketFrame
    typealias InboundIn = Frame
    typealias OutboundIn = Frame
    typealias OutboundOut = Frame

    /// The most bytes of a frame.
    static let mostBytes = 1 << 24

    private let allowsCompression: Bool
    /// Whether a Close frame was sent.
    private var isClosing = false
    private var isInMessage = false
    /// Whether the channel asked to read while the client did not take what was sent back.
    private var hasPendingRead = false

    init(allowsCompression: Bool) {
        self.allowsCompression = allowsCompression
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !isClosing else { return }
        guard isAllowed(frame) else { return close(context, .protocolError) }
        switch frame.opcode {
        case .ping: write(context, Frame(fin: true, opcode: .pong, data: frame.unmaskedData))
        case .pong: break
        case .connectionClose: close(context, frame.unmaskedData)
        default:
            isInMessage = !frame.fin
            write(context, Frame(fin: frame.fin, rsv1: frame.rsv1, opcode: frame.opcode, data: frame.unmaskedData))
        }
    }

    /// RFC 6455 §5.1, §5.2, §5.4, §5.5.1; RFC 7692 §6.1.
    private func isAllowed(_ frame: Frame) -> Bool {
        guard frame.maskKey != nil, !frame.rsv2, !frame.rsv3, !frame.rsv1 || allowsCompression else { return false }
        return switch frame.opcode {
        case .text, .binary: !isInMessage
        case .continuation: isInMessage && !frame.rsv1
        case .ping, .pong: !frame.rsv1
        case .connectionClose: !frame.rsv1 && frame.length != 1
        default: false
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        context.fireChannelReadComplete()
    }

    /// A client that does not read what is sent back is not read either.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { hasPendingRead = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, hasPendingRead {
            hasPendingRead = false
            context.read()
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? NIOWebSocketError else { return context.close(promise: nil) }
        close(context, error == .invalidFrameLength ? .messageTooLarge : .protocolError)
    }

    private func write(_ context: ChannelHandlerContext, _ frame: Frame) {
        context.write(wrapOutboundOut(frame), promise: nil)
    }

    private func close(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode) {
        var payload = ByteBuffer()
        payload.write(webSocketErrorCode: code)
        close(context, payload)
    }

    /// Sends a Close frame with code and reason of the client's, and ends the connection, which is
    /// the server's to do (RFC 6455 §7.1.1).
    private func close(_ context: ChannelHandlerContext, _ payload: ByteBuffer) {
        guard !isClosing else { return }
        isClosing = true
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(Frame(fin: true, opcode: .connectionClose, data: payload)))
            .whenComplete { _ in channel.close(promise: nil) }
    }
}
