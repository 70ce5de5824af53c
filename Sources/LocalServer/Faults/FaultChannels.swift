import NIOCore
import NIOPosix
import Synchronization

/// The open channels of a scripted server, so that they can be closed with it.
final class FaultChannels: Sendable {
    private struct State {
        var closers: [ObjectIdentifier: @Sendable () -> EventLoopFuture<Void>] = [:]
        var fillers: [any Channel] = []
    }

    private let state = Mutex(State())

    /// Adds a connection until it is closed; must be called on its event loop.
    func add(_ channel: any Channel, _ transport: FaultTransportHandler) {
        let bound = NIOLoopBound(transport, eventLoop: channel.eventLoop)
        let identifier = ObjectIdentifier(channel)
        state.withLock { state in
            state.closers[identifier] = {
                channel.eventLoop.execute { bound.value.cut() }
                return channel.closeFuture
            }
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.closers[identifier] = nil }
        }
    }

    /// Connects to the address until its queue of connections is full and the kernel accepts no
    /// more.
    func fillQueue(of address: SocketAddress) async throws {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.milliseconds(100))
        while let filler = try? await bootstrap.connect(to: address).get() {
            state.withLock { $0.fillers.append(filler) }
        }
    }

    /// Cuts all connections and returns when they are closed.
    func closeAll() async {
        let (closers, fillers) = state.withLock { state in
            defer { state = State() }
            return (Array(state.closers.values), state.fillers)
        }
        for future in closers.map({ $0() }) {
            try? await future.get()
        }
        for filler in fillers {
            try? await filler.close().get()
        }
    }
}
