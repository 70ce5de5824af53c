import BenchmarkSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// The least code that fetches a body with NIO: its HTTP/1.1 codec, connections that are kept, one
/// continuation per request.
///
/// Without pool limits, timeouts, redirects and cancellation: a lower bound to compare with, not a
/// client.
struct NIOLibrary: BenchmarkClient {
    private final class Pool: Sendable {
        let idle = Mutex<[NIOConnection]>([])
    }

    private let loop: any EventLoop
    private let tls: NIOSSLContext?
    private let keepsConnections: Bool
    private let pool = Pool()

    init(loop: any EventLoop, tls: NIOSSLContext?, keepsConnections: Bool) {
        self.loop = loop
        self.tls = tls
        self.keepsConnections = keepsConnections
    }

    func get(_ url: String) async throws -> Int {
        let connection: NIOConnection
        if let idle = pool.idle.withLock({ $0.popLast() }) {
            connection = idle
        } else {
            connection = try await connect(to: NIOAddress(url))
        }
        let count = try await connection.get()
        if keepsConnections {
            pool.idle.withLock { $0.append(connection) }
        } else {
            connection.close()
        }
        return count
    }

    func download(_ url: String) async throws -> Int { try await get(url) }

    func download(_ url: String, to path: String) async throws -> Int { throw NoSuchWorkload() }

    func upload(_ path: String, to url: String) async throws -> Int {
        try SinkResponse.received(try await NIOUpload(loop: loop, address: NIOAddress(url)).send(path))
    }

    func records(_ url: String) async throws -> Int { throw NoSuchWorkload() }

    private func connect(to address: NIOAddress) async throws -> NIOConnection {
        let (loop, tls) = (loop, tls)
        return try await ClientBootstrap(group: loop)
            .channelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
            .connect(host: address.host, port: address.port)
            .flatMapThrowing { channel in
                let connection = NIOConnection(
                    channel: channel,
                    host: "\(address.host):\(address.port)",
                    path: address.path
                )
                if let tls {
                    let handler = try NIOSSLClientHandler(context: tls, serverHostname: address.host)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(connection.makeHandler())
                return connection
            }
            .get()
    }
}
