import Dispatch
import Foundation
import LocalServer
import NIOCore
import NIOPosix
import Testing

@testable import Bluebonnet

/// The last stage of an attempt: a connection that needs bytes from its server before it can take
/// exchanges.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionAttemptTests {
    /// Used on the event loop only.
    private final class Holder {
        var attempt: ConnectionAttempt?
    }

    /// The error of an attempt whose connection never becomes ready; nil if the attempt succeeds.
    /// The server has seen the close by then. With a `cancellation`, the attempt is cancelled while
    /// its connection becomes ready.
    private static func failure(timeout: Duration, cancelledWith cancellation: NetworkingError? = nil) async throws
        -> NetworkingError?
    {
        try await FaultServer.run([.readHead]) { server in
            let loop = NIOSingletons.posixEventLoopGroup.next()
            let failure = await withCheckedContinuation {
                (continuation: CheckedContinuation<NetworkingError?, Never>) in
                loop.execute {
                    let holder = Holder()
                    let attempt = ConnectionAttempt(
                        route: Route(
                            directTo: Origin(isSecure: false, endpoint: .host("127.0.0.1", port: server.port))
                        ),
                        timeout: timeout,
                        eventLoop: loop,
                        tls: TLSContextSource(settings: TLSSettings()),
                        trust: TrustEvaluator(SessionConfiguration()),
                        dialer: Dialer(SessionConfiguration { $0.nameResolver = StubResolver() }),
                        times: AttemptTimes(),
                        open: { _, _ in
                            if let cancellation { holder.attempt?.cancel(with: cancellation) }
                        }
                    )
                    holder.attempt = attempt
                    attempt.run { result in
                        holder.attempt = nil
                        switch result {
                        case .success: continuation.resume(returning: nil)
                        case .failure(let error): continuation.resume(returning: error)
                        }
                    }
                }
            }
            try await server.waitUntilClientClosed(connection: 0)
            return failure
        }
    }

    @Test func `a connection that does not become ready fails with the connect timeout and is closed`() async throws {
        let failure = try await Self.failure(timeout: .milliseconds(100))
        #expect(failure?.code == .connectTimeout)
    }

    /// A path for a Unix-domain socket, which is connected at once; TCP is in a later turn.
    private static func socketPath() -> String {
        FileManager.default.temporaryDirectory.path + "/bb-\(UInt32.random(in: .min ... .max)).sock"
    }

    @Test(arguments: [socketPath(), nil])
    func `a server that is gone before the handshake begins ends the attempt`(socketPath: String?) async throws {
        let configuration = SessionConfiguration(trusting: try TestCertificates.shared().authority)
        try await Self.withVanishingServer(socketPath) { endpoint, leave, loop in
            // Asks for the time when the connection is there, before it sends a byte.
            let trust = TrustEvaluator(configuration) {
                leave()
                return Date()
            }
            let failure = await withCheckedContinuation {
                (continuation: CheckedContinuation<NetworkingError?, Never>) in
                loop.execute {
                    let attempt = ConnectionAttempt(
                        route: Route(directTo: Origin(isSecure: true, endpoint: endpoint)),
                        timeout: .seconds(60),
                        eventLoop: loop,
                        tls: TLSContextSource(settings: configuration.tls),
                        trust: trust,
                        dialer: Dialer(SessionConfiguration { $0.nameResolver = StubResolver() }),
                        times: AttemptTimes(),
                        open: { _, _ in }
                    )
                    attempt.run { result in
                        switch result {
                        case .success: continuation.resume(returning: nil)
                        case .failure(let error): continuation.resume(returning: error)
                        }
                    }
                }
            }
            #expect(failure?.code == .tlsFailed, "\(String(describing: failure))")
        }
    }

    @Test(arguments: [socketPath(), nil])
    func `a connection hears that its server is gone before the first request`(socketPath: String?) async throws {
        try await Self.withVanishingServer(socketPath) { endpoint, leave, loop in
            let isTold = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                loop.execute {
                    let attempt = ConnectionAttempt(
                        route: Route(directTo: Origin(isSecure: false, endpoint: endpoint)),
                        timeout: .seconds(60),
                        eventLoop: loop,
                        tls: TLSContextSource(settings: TLSSettings()),
                        trust: TrustEvaluator(SessionConfiguration()),
                        dialer: Dialer(SessionConfiguration { $0.nameResolver = StubResolver() }),
                        times: AttemptTimes(),
                        open: { established, _ in
                            leave()
                            let channel = established.channel
                            let end = EndWitness()
                            try? channel.pipeline.syncOperations.addHandler(end)
                            channel.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\n"), promise: nil)
                            channel.closeFuture.assumeIsolated().whenComplete { _ in
                                continuation.resume(returning: end.isInactive)
                            }
                        }
                    )
                    attempt.run { _ in }
                }
            }
            #expect(isTold)
        }
    }

    /// Runs the body with a server, a function that has it close its first connection and returns
    /// when it has, and an event loop that may wait for that.
    ///
    /// The server waits until then: one that goes at once may be gone before the event loop sees
    /// that it is connected, and there is no connection at all.
    private static func withVanishingServer(
        _ socketPath: String?,
        _ body: (Origin.Endpoint, @escaping @Sendable () -> Void, any EventLoop) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let gate = FaultGate()
        try await FaultServer.run([.hold(gate), .reset], options: .init(socketPath: socketPath)) { server in
            let isGone = DispatchSemaphore(value: 0)
            let waiter = Task {
                defer { isGone.signal() }
                try await server.waitUntilClosed(connection: 0)
            }
            let endpoint: Origin.Endpoint =
                socketPath.map { .unixSocket(Origin.SocketPath($0)) } ?? .host("127.0.0.1", port: server.port)
            let leave: @Sendable () -> Void = {
                gate.open()
                isGone.wait()
                isGone.signal()
            }
            try await body(endpoint, leave, group.next())
            try await waiter.value
        }
        try await group.shutdownGracefully()
    }

    /// Whether a channel has told its handlers that it is closed. Used on the event loop only.
    private final class EndWitness: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private(set) var isInactive = false

        func channelInactive(context: ChannelHandlerContext) { isInactive = true }
    }

    @Test func `an attempt can be cancelled while its connection becomes ready`() async throws {
        let failure = try await Self.failure(
            timeout: .seconds(50),
            cancelledWith: NetworkingError(.sessionInvalidated, "over")
        )
        #expect(failure?.code == .sessionInvalidated)
    }
}
