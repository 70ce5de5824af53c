import NIOCore
import Synchronization

/// A channel over a ``ByteTunnel``, so that what speaks with a server on a socket, TLS and HTTP,
/// does the same in a tunnel on a stream of HTTP/2.
///
/// As a socket of this engine, it closes when the peer has ended its side. What it reads is bounded
/// by the window of the stream, and what it writes by ``isWritable``.
///
/// Unchecked, but safe: its flags are atomic, and everything else that changes is touched on the
/// event loop only.
final class TunnelChannel: Channel, @unchecked Sendable {
    let allocator = ByteBufferAllocator()
    let eventLoop: any EventLoop
    /// The channel of the connection that carries the tunnel.
    let parent: (any Channel)?
    let localAddress: SocketAddress?
    let remoteAddress: SocketAddress?
    private let closePromise: EventLoopPromise<Void>
    // Nil only until the end of the initializer, since a pipeline needs its channel.
    private var ownPipeline: ChannelPipeline?
    private let active = Atomic(false)
    private let writable = Atomic(true)

    private let tunnel: any ByteTunnel
    /// What has come and was not read yet.
    private var received = BodyPieces()
    /// Whether the pipeline wants to read.
    private var isReadWanted = false
    /// Whether the tunnel reads.
    private var isReading = true
    private var isDelivering = false
    /// Whether no more will come, and why, where that was no end in order.
    private var hasInputEnded = false
    private var failure: NetworkingError?
    private var readsAutomatically = true
    /// What was written and not flushed.
    private var unflushed: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    private var unflushedBytes = 0
    /// Whether a flush is under way, and whether another one was asked for within it.
    private var isFlushing = false
    private var needsFlush = false
    private var hasClosedOutput = false
    private var isClosed = false

    /// It takes no more than this without a flush.
    private static let mostUnflushed = 1 << 18

    /// Must be called on the event loop of the tunnel, and ``begin()`` behind it.
    init(over tunnel: any ByteTunnel) {
        self.tunnel = tunnel
        eventLoop = tunnel.eventLoop
        parent = tunnel.carrier
        localAddress = parent?.localAddress
        remoteAddress = parent?.remoteAddress
        closePromise = eventLoop.makePromise()
        ownPipeline = ChannelPipeline(channel: self)
    }

    /// Becomes active. What has come already is read later in this turn of the event loop, by the
    /// handlers that are added until then.
    func begin() {
        active.store(true, ordering: .relaxed)
        tunnel.begin(self)
        readIfAutomatic()
    }

    var pipeline: ChannelPipeline {
        guard let ownPipeline else { preconditionFailure("the initializer has made it") }
        return ownPipeline
    }

    var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
    var isActive: Bool { active.load(ordering: .relaxed) }
    var isWritable: Bool { writable.load(ordering: .relaxed) }
    var _channelCore: any ChannelCore { self }
}

// MARK: - The pipeline's side

extension TunnelChannel: ChannelCore {
    func localAddress0() throws -> SocketAddress {
        guard let localAddress else { throw ChannelError.operationUnsupported }
        return localAddress
    }

    func remoteAddress0() throws -> SocketAddress {
        guard let remoteAddress else { throw ChannelError.operationUnsupported }
        return remoteAddress
    }

    // The tunnel is open from the beginning.

    func register0(promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }

    func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func channelRead0(_ data: NIOAny) {}

    func errorCaught0(error: any Error) {}

    func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosed, !hasClosedOutput else {
            promise?.fail(isClosed ? ChannelError.ioOnClosedChannel : ChannelError.outputClosed)
            return
        }
        let bytes = unwrapData(data, as: ByteBuffer.self)
        unflushed.append((bytes, promise))
        unflushedBytes += bytes.readableBytes
        updateWritability()
    }

    func flush0() {
        needsFlush = true
        // Who hears that it is writable again writes, and flushes, from within.
        guard !isFlushing else { return }
        isFlushing = true
        while needsFlush, !isClosed {
            needsFlush = false
            let writes = unflushed
            unflushed = []
            unflushedBytes = 0
            for write in writes { tunnel.write(write.bytes) }
            tunnel.flush()
            for write in writes { write.promise?.succeed() }
            updateWritability()
        }
        isFlushing = false
    }

    func read0() {
        guard !isClosed, !isReadWanted else { return }
        isReadWanted = true
        // As with a socket, nothing is read before this returns.
        if !isDelivering { eventLoop.execute { self.resumeReading() } }
    }

    func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard !isClosed else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        switch mode {
        case .input: promise?.fail(ChannelError.operationUnsupported)
        case .output:
            hasClosedOutput = true
            drop(error)
            tunnel.closeOutput()
            promise?.succeed()
        case .all:
            isClosed = true
            active.store(false, ordering: .relaxed)
            drop(error)
            tunnel.close()
            promise?.succeed()
            pipeline.syncOperations.fireChannelInactive()
            pipeline.syncOperations.fireChannelUnregistered()
            eventLoop.execute {
                self.removeHandlers(pipeline: self.pipeline)
                self.closePromise.succeed()
            }
        }
    }

    /// Fails what was not flushed.
    private func drop(_ error: any Error) {
        let writes = unflushed
        unflushed = []
        unflushedBytes = 0
        for write in writes { write.promise?.fail(error) }
    }

    private func updateWritability() {
        let isWritable = unflushedBytes < Self.mostUnflushed && tunnel.isWritable
        guard !isClosed, writable.exchange(isWritable, ordering: .relaxed) != isWritable else { return }
        pipeline.syncOperations.fireChannelWritabilityChanged()
    }

    // MARK: Reading

    private func readIfAutomatic() {
        if readsAutomatically, !isClosed { pipeline.syncOperations.read() }
    }

    private func resumeReading() {
        guard !isClosed else { return }
        deliver()
        guard !isClosed, isReadWanted, !isReading else { return }
        isReading = true
        tunnel.setReading(true)
    }

    /// Gives the pipeline what has come, as long as it wants to read.
    private func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        while isReadWanted, !received.isEmpty, !isClosed {
            isReadWanted = false
            pass()
            readIfAutomatic()
        }
        isDelivering = false
        if hasInputEnded { return finish() }
        guard !isClosed, !isReadWanted, isReading else { return }
        isReading = false
        tunnel.setReading(false)
    }

    private func pass() {
        var pieces = received
        received = BodyPieces()
        pieces.drain { bytes in
            if !isClosed { pipeline.syncOperations.fireChannelRead(NIOAny(bytes)) }
        }
        if !isClosed { pipeline.syncOperations.fireChannelReadComplete() }
    }

    /// No more comes: what has come is read, as from a socket that the peer has closed, and then
    /// the channel closes.
    private func finish() {
        guard !isClosed, !isDelivering else { return }
        isDelivering = true
        if !received.isEmpty { pass() }
        isDelivering = false
        guard !isClosed else { return }
        if let failure { pipeline.syncOperations.fireErrorCaught(failure) }
        close0(error: failure ?? ChannelError.eof, mode: .all, promise: nil)
    }
}

// MARK: - The tunnel's side

extension TunnelChannel: ByteTunnelReceiver {
    func received(_ bytes: ByteBuffer) {
        received.append(bytes)
    }

    func receivedAll() {
        deliver()
    }

    func writabilityChanged() {
        updateWritability()
    }

    func inputEnded() {
        hasInputEnded = true
        finish()
    }

    func ended(_ error: NetworkingError?) {
        hasInputEnded = true
        failure = error
        finish()
    }
}

// MARK: - Options

extension TunnelChannel {
    /// The options that handlers ask sockets for.
    struct Options: NIOSynchronousChannelOptions {
        fileprivate let channel: TunnelChannel

        func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) throws {
            guard option is ChannelOptions.Types.AutoReadOption, let isAutomatic = value as? Bool else {
                throw ChannelError.operationUnsupported
            }
            channel.readsAutomatically = isAutomatic
            channel.readIfAutomatic()
        }

        func getOption<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
            let value: Any =
                switch option {
                case is ChannelOptions.Types.AutoReadOption: channel.readsAutomatically
                case is ChannelOptions.Types.AllowRemoteHalfClosureOption: false
                case is ChannelOptions.Types.BufferedWritableBytesOption:
                    channel.unflushedBytes + channel.tunnel.unsentBytes
                default: throw ChannelError.operationUnsupported
                }
            guard let value = value as? Option.Value else { throw ChannelError.operationUnsupported }
            return value
        }
    }

    var syncOptions: (any NIOSynchronousChannelOptions)? { Options(channel: self) }

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        eventLoop.submit { try Options(channel: self).setOption(option, value: value) }
    }

    func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        eventLoop.submit { try Options(channel: self).getOption(option) }
    }
}
