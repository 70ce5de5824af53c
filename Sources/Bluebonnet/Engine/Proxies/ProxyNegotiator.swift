import HTTPTypes
import NIOCore

/// Opens a tunnel through a proxy on a connected channel: writes what the machine of the protocol
/// wants, and gives it what comes.
///
/// It is the last handler of the pipeline, behind TLS to the proxy if there is any. When the tunnel
/// is open, the completion puts the next handlers behind it; then it passes on the bytes that came
/// behind the response, and leaves.
final class ProxyNegotiator: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The protocol of the proxy.
    enum Machine {
        case connect(ConnectRequestStateMachine)
        case socks(SOCKSStateMachine)
    }

    enum Outcome {
        case open
        /// The proxy wants the next request, which answers its challenge, on another connection.
        case reconnect
        case refused(ConnectRequestStateMachine.Refusal)
        case failed(ProxyFault)
    }

    /// The time that the body of a refusal has. The refusal itself is known then.
    static let refusalTime = TimeAmount.seconds(1)

    private let proxy: Proxy
    private let authentication: ProxyAuthentication
    private var dialogue: ProxyAuthentication.Dialogue
    private var machine: Machine
    /// Bytes that are not taken yet.
    private var received = ByteBuffer()
    private var refusalTimer: Scheduled<Void>?
    private var completion: ((Outcome, ProxyAuthentication.Dialogue) -> Void)?

    init(
        _ machine: Machine,
        of proxy: Proxy,
        _ authentication: ProxyAuthentication,
        _ dialogue: ProxyAuthentication.Dialogue,
        completion: @escaping (Outcome, ProxyAuthentication.Dialogue) -> Void
    ) {
        self.machine = machine
        self.proxy = proxy
        self.authentication = authentication
        self.dialogue = dialogue
        self.completion = completion
    }

    func handlerAdded(context: ChannelHandlerContext) { begin(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        stopTimer()
        completion = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard completion != nil else { return }
        // What was taken is not kept: a proxy may send much.
        if received.readableBytes == 0 { received = bytes } else { received.writeBuffer(&bytes) }
        take(context)
        if received.readableBytes == 0 { received = ByteBuffer() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failed(.lost(error)), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputEnded(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { inputEnded(context) }
        // The end of the handshake with the proxy is not that of one with the server.
    }

    /// Sends the first request, or the one that answers a challenge.
    private func begin(_ context: ChannelHandlerContext) {
        stopTimer()
        do throws(ProxyFault) {
            switch machine {
            case .connect(var connect):
                let authorization: [UInt8]?
                do throws(NetworkingError) {
                    authorization = try authentication.authorization(
                        for: proxy,
                        .connect,
                        connect.authority,
                        &dialogue
                    )
                } catch {
                    throw .credential(error)
                }
                let request = connect.begin(authorization: authorization)
                machine = .connect(connect)
                write(request, context)
            case .socks(var socks):
                let greeting: [UInt8]
                do throws(SOCKSStateMachine.Failure) { greeting = try socks.begin() } catch { throw .socks(error) }
                machine = .socks(socks)
                write(ByteBuffer(bytes: greeting), context)
            }
        } catch {
            end(.failed(error), context)
        }
    }

    private func take(_ context: ChannelHandlerContext) {
        do throws(ProxyFault) {
            switch machine {
            case .connect(var connect):
                let step: ConnectRequestStateMachine.Step
                do throws(ConnectRequestStateMachine.Failure) {
                    step = try connect.received(&received)
                } catch {
                    throw .connect(error)
                }
                machine = .connect(connect)
                if connect.isRefused { startTimer(context) }
                carryOut(step, context)
            case .socks(var socks):
                while completion != nil {
                    let step: SOCKSStateMachine.Step
                    do throws(SOCKSStateMachine.Failure) {
                        step = try socks.received(&received)
                    } catch {
                        throw .socks(error)
                    }
                    machine = .socks(socks)
                    switch step {
                    case .wait: return
                    case .send(let bytes): write(ByteBuffer(bytes: bytes), context)
                    case .open: open(context)
                    }
                }
            }
        } catch {
            end(.failed(error), context)
        }
    }

    private func carryOut(_ step: ConnectRequestStateMachine.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .wait: break
        case .open(let head):
            _ = authentication.answer(head, of: proxy, &dialogue)
            open(context)
        case .refused(let refusal):
            guard authentication.answer(refusal.head, of: proxy, &dialogue) else {
                return end(.refused(refusal), context)
            }
            if refusal.isKeepAlive { begin(context) } else { end(.reconnect, context) }
        }
    }

    /// A proxy that has refused, and does not end its body, is no longer waited for.
    private func startTimer(_ context: ChannelHandlerContext) {
        guard refusalTimer == nil else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        refusalTimer = context.eventLoop.scheduleTask(in: Self.refusalTime) {
            let (negotiator, context) = bound.value
            negotiator.inputEnded(context)
        }
    }

    private func stopTimer() {
        refusalTimer?.cancel()
        refusalTimer = nil
    }

    private func inputEnded(_ context: ChannelHandlerContext) {
        guard completion != nil else { return }
        switch machine {
        case .connect(var connect):
            do throws(ConnectRequestStateMachine.Failure) {
                if case .refused(let refusal) = try connect.inputEnded() {
                    carryOut(.refused(refusal), context)
                } else {
                    end(.failed(.connect(.closed)), context)
                }
            } catch {
                end(.failed(.connect(error)), context)
            }
        case .socks: end(.failed(.connect(.closed)), context)
        }
    }

    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    private func open(_ context: ChannelHandlerContext) {
        let rest = received
        received = ByteBuffer()
        end(.open, context)
        // RFC 9110 §9.3.6: what follows the head is the server's.
        if rest.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(rest))
            context.fireChannelReadComplete()
        }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func end(_ outcome: Outcome, _ context: ChannelHandlerContext) {
        stopTimer()
        guard let completion else { return }
        self.completion = nil
        completion(outcome, dialogue)
    }
}

/// The reason why a proxy has opened no tunnel, where it has not refused it as HTTP does.
enum ProxyFault: Error {
    case connect(ConnectRequestStateMachine.Failure)
    case socks(SOCKSStateMachine.Failure)
    /// The connection to the proxy broke.
    case lost(any Error)
    /// The credential cannot be sent.
    case credential(NetworkingError)
}
