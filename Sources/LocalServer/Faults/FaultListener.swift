import NIOCore
import NIOPosix
import NIOSSL

/// The listening socket of a scripted server.
enum FaultListener {
    /// Listens as the options say; the closure makes the handler that runs the script of a
    /// connection, and is called when one is accepted.
    static func listen(
        _ options: FaultServer.Options,
        channels: FaultChannels,
        named: @escaping @Sendable (String) -> Void,
        handler: @escaping @Sendable (FaultTransportHandler) -> any ChannelHandler
    ) async throws -> any Channel {
        let context = try options.tls.map { tls in
            var configuration = try tls.configuration()
            configuration.sslContextCallback = { values, promise in
                if let name = values.serverHostname {
                    named(name)
                }
                promise.succeed(.noChanges)
            }
            return try NIOSSLContext(configuration: configuration)
        }
        let bootstrap = bootstrap(options)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let transport = FaultTransportHandler()
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(transport)
                    if let context {
                        try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    }
                    channels.add(channel, transport)
                    try pipeline.addHandler(handler(transport))
                }
            }
        let listener: any Channel
        if let path = options.socketPath {
            listener = try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
        } else {
            listener = try await bootstrap.bind(host: options.host, port: options.port).get()
        }
        if !options.acceptsConnections, let address = listener.localAddress {
            try await channels.fillQueue(of: address)
        }
        return listener
    }

    private static func bootstrap(_ options: FaultServer.Options) -> ServerBootstrap {
        var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelOption(.backlog, value: Int32(options.acceptsConnections ? 1024 : 0))
            .serverChannelOption(.autoRead, value: options.acceptsConnections)
        if let size = options.receiveBuffer {
            bootstrap = bootstrap.serverChannelOption(
                ChannelOptions.socketOption(.so_rcvbuf),
                value: SocketOptionValue(size)
            )
        }
        if let size = options.sendBuffer {
            bootstrap = bootstrap.serverChannelOption(
                ChannelOptions.socketOption(.so_sndbuf),
                value: SocketOptionValue(size)
            )
        }
        return bootstrap
    }
}
