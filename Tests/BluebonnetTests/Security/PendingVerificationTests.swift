import Foundation
import LocalServer
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import Bluebonnet

/// Connections while the certificates of their server are decided upon.
@Suite(.timeLimit(.minutes(5)))
struct PendingVerificationTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func configuration(
        connect: Duration?,
        _ decision: @escaping @Sendable (TrustReport) async -> TrustDecision
    ) -> SessionConfiguration {
        var configuration = SessionConfiguration(trusting: certificates.authority)
        configuration.securityPolicy.decision = decision
        configuration.timeouts.connect = connect
        return configuration
    }

    private func tls(_ version: ServerTLS.Version) -> ServerTLS {
        ServerTLS(certificates.localhost, minimumVersion: version, maximumVersion: version)
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `a server that sends without end while it is decided upon fills no memory`(
        version: ServerTLS.Version
    ) async throws {
        let sent = Counter()
        let context = try NIOSSLContext(configuration: tls(version).configuration())
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HandshakeFlood(limit: 256 << 20, sent))
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let configuration = configuration(connect: .seconds(1)) { _ in
            try? await Task.sleep(for: .seconds(600))
            return .accept
        }
        try await withSession(configuration) { session in
            let error = try await networkingError {
                _ = try await session.data(for: Request(to: "https://localhost:\(port)/"))
            }
            #expect(error.code == .connectTimeout, "\(error)")
        }
        try await listener.close().get()
        // The buffers of the system hold some megabytes.
        #expect(sent.value < 64 << 20)
    }

    @Test func `a server that closes while it is decided upon ends the decision`() async throws {
        try await FaultServer.run([.stall], options: .init(tls: tls(.tls13))) { server in
            // Without the end of the connection, nothing would end the decision.
            let configuration = configuration(connect: nil) { _ in
                await server.shutdown()
                try? await Task.sleep(for: .seconds(600))
                return .accept
            }
            try await withSession(configuration) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == .tlsFailed, "\(error)")
            }
        }
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `a connection goes on after a decision that took its time`(version: ServerTLS.Version) async throws {
        let script: FaultServer.Script = [.readRequest, .respond(body: "ok"), .startOver]
        try await FaultServer.run(script, options: .init(tls: tls(version))) { server in
            let configuration = configuration(connect: .seconds(60)) { _ in
                try? await Task.sleep(for: .milliseconds(20))
                return .byPolicy
            }
            try await withSession(configuration) { session in
                for _ in 0..<2 {
                    let response = try await session.data(for: Request(to: server.baseURL))
                    #expect(response.value == Data("ok".utf8))
                }
            }
            #expect(server.connections.count == 1)
        }
    }
}

/// Sends other bytes as soon as the server has sent its part of the handshake.
private final class HandshakeFlood: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limit: Int
    private let sent: Counter
    private let block = ByteBuffer(repeating: 0x17, count: 1 << 20)
    private var hasWritten = false
    private var isSending = false

    init(limit: Int, _ sent: Counter) {
        (self.limit, self.sent) = (limit, sent)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        hasWritten = true
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard hasWritten, !isSending else { return }
        isSending = true
        send(context)
    }

    private func send(_ context: ChannelHandlerContext) {
        guard sent.value < limit else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            self.sent.add(self.block.readableBytes)
            self.send(context)
        }
        context.writeAndFlush(wrapOutboundOut(block), promise: promise)
    }
}
