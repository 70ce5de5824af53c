import Bluebonnet
import Foundation
import NIOCore
import NIOPosix
import Testing

/// A server of HTTP/2 that ends and starts again at the same port.
@Suite(.enabled(if: InteropServer.nghttpd.isExpected, "the servers are not running"), .timeLimit(.minutes(2)))
struct HTTP2RestartTests {
    /// Runs nghttpd until the process that is returned is ended.
    private func start(port: Int) async throws -> Process {
        let folder = try URL(filePath: InteropServer.authority.address).deletingLastPathComponent().path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"]
        process.arguments = [
            "nghttpd", "--address=127.0.0.1", "--htdocs=\(folder)/www", "\(port)", "\(folder)/localhost.key",
            "\(folder)/localhost.pem",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await until("nghttpd listens") { Self.accepts(port) }
        return process
    }

    /// Kills nghttpd, which does not end by SIGTERM, and returns when it has ended.
    private func end(_ process: Process) async {
        await withCheckedContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            kill(process.processIdentifier, SIGKILL)
        }
    }

    private static func accepts(_ port: Int) -> Bool {
        let connected = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(
            host: "127.0.0.1",
            port: port
        )
        return (try? connected.flatMap { $0.close() }.wait()) != nil
    }

    @Test func `requests go on when the server was restarted`() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        try await listener.close().get()
        var server = try await start(port: port)
        defer { kill(server.processIdentifier, SIGKILL) }
        var configuration = try SessionConfiguration(trusting: .authority)
        configuration.httpVersions = .http2
        try await withSession(configuration) { session in
            var connections: Set<Int?> = []
            for round in 0..<3 {
                if round > 0 {
                    await end(server)
                    server = try await start(port: port)
                }
                for _ in 0..<2 {
                    let url = try #require(URL(string: "https://localhost:\(port)/tiny.txt"))
                    let response = try await session.data(for: Request(url: url))
                    #expect(response.value == Data("Hello, world!".utf8))
                    connections.insert(response.metrics.transactions.last?.connectionIdentifier)
                }
            }
            #expect(connections.count == 3)
        }
    }
}
