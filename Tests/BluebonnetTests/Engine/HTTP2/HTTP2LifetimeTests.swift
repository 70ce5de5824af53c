import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// A connection that goes on holds nothing of an exchange that has ended.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2LifetimeTests {
    /// Sends a body that ends, or one that the response cuts off, and returns what ends when its
    /// last reference is released.
    private func upload(ends: Bool, to url: String, in session: SessionManager) async throws -> AsyncStream<Void> {
        let (witness, end) = Witness.make()
        let body = RequestBody.stream {
            AsyncStream<[UInt8]> { continuation in
                // The witness lives as long as the closure that makes the body.
                withExtendedLifetime(witness) { _ = continuation.yield([1, 2, 3]) }
                if ends { continuation.finish() }
            }
        }
        _ = try await session.data(for: Request(.post, to: url, body: body))
        return end
    }

    @Test(arguments: [true, false])
    func `a request body that was sent while it was produced leaves no object behind`(ends: Bool) async throws {
        let script = HTTP2FaultServer.Script.heads { _ in ends ? [.readEnd, .respond(body: "ok")] : [.respond(413)] }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let end = try await upload(ends: ends, to: server.baseURL, in: session)
                for await _ in end {}
                #expect(!server.connections[0].isClosed)
            }
        }
    }
}
