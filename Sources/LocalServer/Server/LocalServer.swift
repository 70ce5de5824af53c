import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// A well-behaved server with httpbin's endpoints and a small service, for tests, for
/// `bluebonnet serve` and for `bluebonnet demo`.
///
/// ```swift
/// try await LocalServer.run { server in
///     // … a request to server.baseURL + "/get" …
/// }
/// ```
package final class LocalServer: RunningServer {
    /// The port it listens on; 0 on a Unix-domain socket.
    package let port: Int

    /// The path of the Unix-domain socket it listens on; nil on a port.
    package let socketPath: String?

    /// The URL without a path, such as `http://127.0.0.1:8080`; with TLS on 127.0.0.1 the host is
    /// `localhost`.
    package let baseURL: String

    private let task: Task<Void, any Error>
    private let ownPort: OwnPort

    /// The port from which the server sends a request to itself when it ends, which is not in the
    /// log.
    private final class OwnPort: Sendable {
        private let number = Atomic(0)

        func set(_ port: Int) { number.store(port, ordering: .relaxed) }

        func isThat(of channel: any Channel) -> Bool {
            channel.remoteAddress?.port == number.load(ordering: .relaxed)
        }
    }

    private init(options: Options, port: Int, task: Task<Void, any Error>, ownPort: OwnPort) {
        self.port = port
        self.task = task
        self.ownPort = ownPort
        let scheme = options.tls == nil ? "http" : "https"
        switch options.address {
        case .unixSocket(let path):
            socketPath = path
            baseURL = "\(scheme)://localhost"
        case .tcp(let host, _):
            socketPath = nil
            let name = options.tls != nil && host == "127.0.0.1" ? "localhost" : host
            baseURL = "\(scheme)://\(name.contains(":") ? "[\(name)]" : name):\(port)"
        }
    }

    deinit {
        task.cancel()
    }

    /// Starts a server, runs the body with it and shuts it down, also when the body throws.
    @discardableResult
    package static func run<Result>(
        _ options: Options = Options(),
        _ body: (LocalServer) async throws -> Result
    ) async throws -> Result {
        try await start(options).use(body)
    }

    /// Starts a server that runs until ``shutdown()``, or until the last reference to it is
    /// released.
    ///
    /// Throws when it cannot listen at the address.
    package static func start(_ options: Options = Options()) async throws -> LocalServer {
        let router = EndpointRouter.standard()
        let secure = options.tls != nil
        let limit = options.maximumBodySize
        let log = options.log.map(AccessLog.init)
        let ownPort = OwnPort()
        let responder = CallbackResponder<ConnectionContext> { request, context in
            let startedAt = ContinuousClock.now
            let response = await router.respond(
                to: request,
                on: context.channel,
                secure: secure,
                maximumBodySize: limit
            )
            guard let log, !ownPort.isThat(of: context.channel) else { return response }
            let record = AccessRecord(request, context.channel, response, startedAt.duration(to: .now))
            return log.observing(response, record)
        }
        var logger = Logger(label: "bluebonnet")
        logger.logLevel = .critical
        let address: BindAddress =
            switch options.address {
            case .tcp(let host, let port): .hostname(host, port: port)
            case .unixSocket(let path): .unixDomainSocket(path: path)
            }
        let listening = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Int.self)
        let application = Application(
            responder: responder,
            server: try protocols(options),
            configuration: ApplicationConfiguration(address: address, serverName: "bluebonnet", backlog: 1024),
            onServerRunning: { listening.succeed($0.localAddress?.port ?? 0) },
            logger: logger
        )
        let task = Task {
            do {
                try await application.run()
                listening.fail(CancellationError())
            } catch {
                listening.fail(error)
                throw error
            }
        }
        let port = try await listening.futureResult.get()
        return LocalServer(options: options, port: port, task: task, ownPort: ownPort)
    }

    /// The protocols that the server speaks.
    private static func protocols(_ options: Options) throws -> HTTPServerBuilder {
        let log = options.log.map(AccessLog.init)
        let connections = HTTP1Channel.Configuration(additionalChannelHandlers: [WebSocketUpgradeHandler(log: log)])
        let http1 = HTTPServerBuilder.http1(configuration: connections)
        return switch (options.tls, options.http2) {
        case (nil, false): http1
        case (nil, true): .plaintextHTTP2()
        case (let tls?, false): try .tls(http1, tlsConfiguration: tls.configuration())
        case (let tls?, true):
            // No stream has a request that the handler takes: HTTP/2 has no field Upgrade.
            try .http2Upgrade(
                tlsConfiguration: tls.configuration(),
                configuration: .init(streamConfiguration: connections)
            )
        }
    }

    /// Returns when the server has stopped; cancelling the waiting task stops it.
    package func waitUntilStopped() async {
        await withTaskCancellationHandler {
            _ = await task.result
        } onCancel: {
            task.cancel()
        }
    }

    /// Stops listening and closes all connections; returns when that is done.
    package func shutdown() async {
        await drainAccepted()
        task.cancel()
        _ = await task.result
    }

    /// Waits until Hummingbird has taken all accepted connections. It traps when it is stopped
    /// between accepting a connection and taking it (NIO: a writer deinitialized without
    /// `finish()`). It takes connections in order: after one that was taken and closed, no earlier
    /// one waits.
    private func drainAccepted() async {
        guard socketPath == nil else { return }
        let channel = try? await ClientBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .connectTimeout(.seconds(2))
            .connect(host: "127.0.0.1", port: port)
            .get()
        guard let channel else { return }
        ownPort.set(channel.localAddress?.port ?? 0)
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        // With TLS this request is an error, without TLS it gets a response: in both cases the
        // server closes the connection.
        let request = "GET /status/204 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        try? await channel.writeAndFlush(ByteBuffer(string: request)).get()
        try? await channel.closeFuture.get()
        deadline.cancel()
    }
}

/// The context that Hummingbird gives with a request.
private struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    /// The connection, or the stream of HTTP/2.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
