import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server that does exactly the faults of its script, and records its clients' requests.
///
/// It sends bytes, not HTTP, so that it can send what a real server never would:
///
/// ```swift
/// try await FaultServer.run([.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close]) { server in
///     // … a request to server.port …
///     try await server.waitForRequests(1)
/// }
/// ```
package final class FaultServer: RunningServer {
    private let listener: any Channel
    private let options: Options
    private let channels: FaultChannels
    let log: FaultLog<Record>

    private init(listener: any Channel, options: Options, channels: FaultChannels, log: FaultLog<Record>) {
        self.listener = listener
        self.options = options
        self.channels = channels
        self.log = log
        port = listener.localAddress?.port ?? 0
    }

    // MARK: Running

    /// Starts a server, runs the body with it and shuts it down, also when the body throws.
    @discardableResult
    package static func run<Result>(
        _ script: Script,
        options: Options = Options(),
        _ body: (FaultServer) async throws -> Result
    ) async throws -> Result {
        try await start(script, options: options).use(body)
    }

    /// Starts a server that runs until ``shutdown()``.
    package static func start(_ script: Script, options: Options = Options()) async throws -> FaultServer {
        let log = FaultLog<Record>()
        let channels = FaultChannels()
        let listener = try await FaultListener.listen(
            options,
            channels: channels,
            named: { name in log.update { $0.serverNames.append(name) } },
            handler: { transport in
                let index = log.update { record in
                    record.connections.append(Connection())
                    return record.connections.count - 1
                }
                return FaultConnectionHandler(
                    index: index,
                    script: script,
                    log: log,
                    transport: transport,
                    keepsBodies: options.keepsBodies
                )
            }
        )
        return FaultServer(listener: listener, options: options, channels: channels, log: log)
    }

    /// Stops listening and cuts every connection; returns when all are closed.
    package func shutdown() async {
        try? await listener.close().get()
        await channels.closeAll()
        if let path = options.socketPath {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// A port of 127.0.0.1 without a listener, so that connecting to it is refused: that of TCPMUX.
    /// A port that was free a moment ago may be used by another test now.
    package static let unusedPort = 1

    // MARK: Address

    /// The port it listens on; 0 on a Unix-domain socket.
    package let port: Int

    /// The path of the Unix-domain socket it listens on; nil on a port.
    package var socketPath: String? { options.socketPath }

    /// The URL without a path: `http://127.0.0.1:PORT`, or `https://localhost:PORT` with TLS.
    package var baseURL: String {
        options.tls == nil ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)"
    }

    // MARK: Record

    /// All connections and requests so far.
    package var record: Record { log.record }

    /// The connections it has accepted so far, in order.
    package var connections: [Connection] { record.connections }

    /// The whole requests of all connections so far, in the order of their arrival.
    package var requests: [Request] { record.requests }
}
