import NIOCore
import NIOPosix

/// Opens one socket to an endpoint, on its event loop: finds the addresses of a name and connects
/// to one of them, or connects to a Unix-domain socket.
///
/// It has no timeout: whoever dials cancels it.
final class Dial {
    /// The reason why no socket could be opened.
    enum Failure: Error {
        /// The name was not found, or has no address.
        case lookup(host: String, cause: (any Error)?)
        case connect(any Error)
    }

    /// Changes the times of the connection.
    typealias Recorder = (_ change: (inout ConnectionTimes) -> Void) -> Void

    private let endpoint: Origin.Endpoint
    private let mostRead: Int
    private let eventLoop: any EventLoop
    private let lookups: NameLookups
    private let record: Recorder
    private var lookup: NameLookups.Ticket?
    /// The channels that are being connected: Happy Eyeballs tries several and takes one.
    private var connectingChannels: [any Channel] = []
    private var completion: ((Result<any Channel, Failure>) -> Void)?

    /// - Parameters:
    ///   - endpoint: Where to connect to.
    ///   - mostRead: The most bytes of one read of the socket.
    ///   - eventLoop: The event loop of the socket, on which all is called.
    ///   - lookups: Finds addresses of names.
    ///   - record: Notes when the phases begin and end.
    init(
        to endpoint: Origin.Endpoint,
        mostRead: Int,
        eventLoop: any EventLoop,
        lookups: NameLookups,
        record: @escaping Recorder
    ) {
        self.endpoint = endpoint
        self.mostRead = mostRead
        self.eventLoop = eventLoop
        self.lookups = lookups
        self.record = record
    }

    /// Begins. The completion is called once, unless the dial is cancelled before; the channel is
    /// the caller's then.
    func start(completion: @escaping (Result<any Channel, Failure>) -> Void) {
        self.completion = completion
        lookUp()
    }

    /// Ends it: no socket is left when this returns, and the completion is not called.
    func cancel() {
        guard completion != nil else { return }
        completion = nil
        if let lookup { lookups.cancel(lookup) }
        lookup = nil
        for channel in connectingChannels { channel.close(promise: nil) }
        connectingChannels = []
    }

    private func end(_ result: Result<any Channel, Failure>) {
        guard let completion else { return }
        self.completion = nil
        connectingChannels = []
        completion(result)
    }

    // MARK: Names

    private func lookUp() {
        let startedAt = NIODeadline.now()
        switch endpoint {
        case .unixSocket(let path):
            openSocket(since: startedAt) { $0.connect(unixDomainSocketPath: path.text) }
        case .host(let host, let port):
            if let address = try? SocketAddress(ipAddress: host, port: port) {
                return openSocket(since: startedAt) { $0.connect(to: address) }
            }
            record { $0.nameLookup = .init(start: startedAt) }
            let bound = NIOLoopBound(self, eventLoop: eventLoop)
            lookup = lookups.addresses(of: host, at: startedAt) { [eventLoop] result in
                eventLoop.execute { bound.value.found(result, host: host, port: port, since: startedAt) }
            }
        }
    }

    private func found(
        _ result: Result<[SocketAddress], any Error>,
        host: String,
        port: Int,
        since startedAt: NIODeadline
    ) {
        guard completion != nil else { return }
        lookup = nil
        let now = NIODeadline.now()
        switch result {
        case .success(let addresses):
            guard !addresses.isEmpty else { return end(.failure(.lookup(host: host, cause: nil))) }
            record { $0.nameLookup = .init(start: startedAt, end: now) }
            let resolver = FoundAddresses(addresses, port: port, on: eventLoop)
            openSocket(since: now) { $0.resolver(resolver).connect(host: host, port: port) }
        case .failure(let error):
            end(.failure(.lookup(host: host, cause: error)))
        }
    }

    // MARK: Sockets

    private func openSocket(
        since startedAt: NIODeadline,
        _ connect: (ClientBootstrap) -> EventLoopFuture<any Channel>
    ) {
        record { $0.connect = .init(start: startedAt) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 8192, maximum: mostRead)
            )
            // NIO keeps as many receive buffers, and uses those again that are no longer held.
            .channelOption(.maxMessagesPerRead, value: 8)
            .channelOption(.writeBufferWaterMark, value: .init(low: 131_072, high: 524_288))
            .connectTimeout(.hours(24 * 365))
            .channelInitializer { bound.value.willConnect($0) }
        connect(bootstrap).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel):
                self.record { $0.connect = .init(start: startedAt, end: .now()) }
                // NIO connects it at once, and would not tell its handlers that it closes in this
                // turn: its server may have gone before the first bytes are sent.
                guard case .unixSocket = self.endpoint else { return self.connected(channel) }
                self.eventLoop.execute { bound.value.connected(channel) }
            case .failure(let error):
                self.end(.failure(.connect(error)))
            }
        }
    }

    /// Called before a channel is connected; fails after the end.
    private func willConnect(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard completion != nil else { return eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        connectingChannels.append(channel)
        return eventLoop.makeSucceededVoidFuture()
    }

    private func connected(_ channel: any Channel) {
        guard completion != nil else { return channel.close(promise: nil) }
        end(.success(channel))
    }
}

extension ConnectionTimes {
    /// The phases that have ended, as lengths.
    var timings: ExchangeTimings {
        var timings = ExchangeTimings()
        timings.dns = nameLookup.time
        timings.connect = connect.time
        timings.proxy = proxy.time
        timings.tls = tls.time
        return timings
    }
}

extension ConnectionTimes.Phase? {
    fileprivate var time: CompactTime {
        guard let phase = self, let end = phase.end else { return .none }
        return CompactTime(from: phase.start, to: end)
    }
}
