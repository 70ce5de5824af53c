import NIOCore

/// A server that sends exactly the HTTP/2 frames of its script, and records those of its clients.
///
/// It knows nothing of what may be sent when, so that it can break every rule of RFC 9113. By
/// itself it only sends its SETTINGS first, and, as long as ``Options`` say so, acknowledges
/// SETTINGS and PING and gives the client's windows back.
///
/// ```swift
/// try await HTTP2FaultServer.run([.readRequest, .send(.resetStream(.refusedStream, stream: 1))]) { server in
///     // … a request to server.baseURL …
///     try await server.waitForFrame("RST_STREAM") { $0.kind == .resetStream }
/// }
/// ```
package final class HTTP2FaultServer: RunningServer {
    /// The settings of the server.
    package struct Options: Sendable {
        /// The certificate and settings of TLS; `nil`, the default, speaks plain TCP, for clients
        /// with prior knowledge (RFC 9113 §3.3). `h2` is offered by ALPN if `tls` offers nothing.
        /// Where ALPN selects `http/1.1`, every request gets a response with the body `HTTP/1.1`.
        package var tls: ServerTLS?

        /// The settings that are sent first; `nil` sends no SETTINGS frame. Default: an empty
        /// frame.
        package var settings: [WireFrame.Setting: UInt32]?

        /// Whether SETTINGS and PING of the client are acknowledged. Default: `true`.
        package var acknowledges: Bool

        /// Whether each DATA frame of the client is followed by WINDOW_UPDATE for its stream and
        /// the connection. Default: `true`.
        package var givesWindowsBack: Bool

        /// Whether the record has the bodies of requests, not only their lengths. Default: `true`.
        package var keepsBodies: Bool

        /// The size of each connection's kernel receive buffer in bytes; `nil` keeps that of the
        /// kernel.
        package var receiveBuffer: Int?

        /// The port to listen on; 0, the default, is a free one.
        package var port: Int

        /// Creates options.
        package init(
            tls: ServerTLS? = nil,
            settings: [WireFrame.Setting: UInt32]? = [:],
            acknowledges: Bool = true,
            givesWindowsBack: Bool = true,
            keepsBodies: Bool = true,
            receiveBuffer: Int? = nil,
            port: Int = 0
        ) {
            self.tls = tls
            self.settings = settings
            self.acknowledges = acknowledges
            self.givesWindowsBack = givesWindowsBack
            self.keepsBodies = keepsBodies
            self.receiveBuffer = receiveBuffer
            self.port = port
        }

        fileprivate var transport: FaultServer.Options {
            var options = FaultServer.Options(tls: tls, port: port, receiveBuffer: receiveBuffer)
            if options.tls?.applicationProtocols.isEmpty == true {
                options.tls?.applicationProtocols = ["h2"]
            }
            return options
        }
    }

    private let listener: any Channel
    private let channels: FaultChannels
    let log: FaultLog<Record>

    /// The port it listens on.
    package let port: Int

    /// The URL without a path: `http://127.0.0.1:PORT`, or `https://localhost:PORT` with TLS.
    package let baseURL: String

    private init(listener: any Channel, secure: Bool, channels: FaultChannels, log: FaultLog<Record>) {
        self.listener = listener
        self.channels = channels
        self.log = log
        port = listener.localAddress?.port ?? 0
        baseURL = secure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
    }

    /// Starts a server, runs the body with it and shuts it down, also when the body throws.
    @discardableResult
    package static func run<Result>(
        _ script: Script,
        options: Options = Options(),
        _ body: (HTTP2FaultServer) async throws -> Result
    ) async throws -> Result {
        try await start(script, options: options).use(body)
    }

    /// Starts a server that runs until ``shutdown()``.
    package static func start(_ script: Script, options: Options = Options()) async throws -> HTTP2FaultServer {
        let log = FaultLog<Record>()
        let channels = FaultChannels()
        let listener = try await FaultListener.listen(
            options.transport,
            channels: channels,
            named: { name in log.update { $0.serverNames.append(name) } },
            handler: { transport in
                let index = log.update { record in
                    record.connections.append(Connection())
                    return record.connections.count - 1
                }
                return HTTP2FaultHandler(index: index, script: script, options: options, log: log, transport: transport)
            }
        )
        return HTTP2FaultServer(listener: listener, secure: options.tls != nil, channels: channels, log: log)
    }

    /// Stops listening and cuts every connection; returns when all are closed.
    package func shutdown() async {
        try? await listener.close().get()
        await channels.closeAll()
    }

    /// All connections so far.
    package var record: Record { log.record }

    /// The connections it has accepted so far, in order.
    package var connections: [Connection] { record.connections }

    /// The requests of all connections so far, in the order of their connections and heads.
    package var requests: [Request] { record.requests }
}
