import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server for the tests of WebSockets that does on each connection what its script says.
///
/// ```swift
/// try await WebSocketServer.run { peer in
///     try await peer.open()
///     try await peer.send(.text("hello"))
///     try await peer.finish()
/// } _: { server in
///     // … a WebSocket to server.url …
/// }
/// ```
package final class WebSocketServer: Sendable {
    /// What is done on a connection, which is closed behind it. The number is that of the
    /// connection, from 1.
    package typealias Script = @concurrent @Sendable (inout WebSocketPeer, Int) async throws -> Void

    /// The port it listens on.
    package let port: Int
    private let isSecure: Bool

    private init(port: Int, isSecure: Bool) {
        self.port = port
        self.isSecure = isSecure
    }

    /// The URL: `ws://127.0.0.1:PORT/`, or `wss://localhost:PORT/` with TLS.
    package var url: String { isSecure ? "wss://localhost:\(port)/" : "ws://127.0.0.1:\(port)/" }

    /// Starts a server, runs the body with it, and ends it, also when the body throws.
    package static func run<Result: Sendable>(
        tls: ServerTLS? = nil,
        sendBuffer: Int? = nil,
        _ script: @escaping Script,
        _ body: @Sendable (WebSocketServer) async throws -> Result
    ) async throws -> Result {
        let context = try tls.map { try NIOSSLContext(configuration: $0.configuration()) }
        let connections = Connections()
        var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // Nothing is read before a script runs: one may never run, where the server ends first.
            .childChannelOption(.autoRead, value: false)
        if let sendBuffer {
            bootstrap = bootstrap.serverChannelOption(.socketOption(.so_sndbuf), value: .init(sendBuffer))
        }
        let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeCompletedFuture { () -> any Channel in
                if let context {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
                connections.add(channel)
                return channel
            }
        }
        let server = WebSocketServer(port: listener.channel.localAddress?.port ?? 0, isSecure: tls != nil)
        defer { connections.closeAll() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withThrowingDiscardingTaskGroup { scripts in
                    try await listener.executeThenClose { clients in
                        var number = 0
                        for try await client in clients {
                            number += 1
                            scripts.addTask { [number] in await serve(client, number, script) }
                        }
                    }
                }
            }
            do {
                let result = try await body(server)
                group.cancelAll()
                return result
            } catch {
                group.cancelAll()
                throw error
            }
        }
    }

    private static func serve(_ channel: any Channel, _ number: Int, _ script: Script) async {
        let client = try? await channel.eventLoop.submit {
            let client = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            try channel.syncOptions?.setOption(.autoRead, value: true)
            return client
        }.get()
        // A client that ends the connection is a part of many tests.
        try? await client?.executeThenClose { inbound, outbound in
            var peer = WebSocketPeer(inbound.makeAsyncIterator(), outbound, channel)
            try? await script(&peer, number)
        }
    }

    /// All connections, also those without a script.
    private final class Connections: Sendable {
        private let channels = Mutex<[any Channel]>([])

        func add(_ channel: any Channel) {
            channels.withLock { $0.append(channel) }
        }

        func closeAll() {
            for channel in channels.withLock({ $0 }) { channel.close(promise: nil) }
        }
    }

    /// Sends every message back, and does its part of the close handshake.
    package static let echo: Script = { peer, _ in
        try await peer.open()
        while true {
            let frame = try await peer.readFrame()
            switch frame.opcode {
            case 8: return try await peer.send(.close(frame.closeCode))
            case 9: try await peer.send(.pong(frame.payload))
            case 10: break
            default: try await peer.send(WebSocketFrame(frame.opcode, frame.payload, isFinal: frame.isFinal))
            }
        }
    }
}
