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
                        lookups: NameLookups(resolver: StubResolver()),
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

    @Test func `an attempt can be cancelled while its connection becomes ready`() async throws {
        let failure = try await Self.failure(
            timeout: .seconds(50),
            cancelledWith: NetworkingError(.sessionInvalidated, "over")
        )
        #expect(failure?.code == .sessionInvalidated)
    }
}
