import NIOCore
import NIOPosix
import NIOSSL

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
        var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: false)
        if let sendBuffer {
            bootstrap = bootstrap.serverChannelOption(.socketOption(.so_sndbuf), value: .init(sendBuffer))
        }
        let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeCompletedFuture {
                if let context {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
                return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        let server = WebSocketServer(port: listener.channel.localAddress?.port ?? 0, isSecure: tls != nil)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withThrowingDiscardingTaskGroup { connections in
                    try await listener.executeThenClose { clients in
                        var number = 0
                        for try await client in clients {
                            number += 1
                            connections.addTask { [number] in await serve(client, number, script) }
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

    private static func serve(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ number: Int, _ script: Script) async
    {
        // A client that ends the connection is a part of many tests.
        try? await client.executeThenClose { inbound, outbound in
            var peer = WebSocketPeer(inbound.makeAsyncIterator(), outbound, client.channel)
            try? await script(&peer, number)
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
