import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Nothing stays in memory: a test with a witness ends only when its last reference is released.
@Suite(.timeLimit(.minutes(5)))
struct LifetimeTests {
    private static let echo = FaultServer.Script.requests { _ in [.respond(body: "ok")] }

    @Test func `a session that was shut down leaves no object behind`() async throws {
        try await FaultServer.run(Self.echo) { server in
            let end = try await useSession(server.baseURL, shutsDown: true)
            for await _ in end {}
            try await server.waitForClosed(server.connections.count)
        }
    }

    @Test func `a session that was dropped closes its connections and leaves no object behind`() async throws {
        try await FaultServer.run(Self.echo) { server in
            let end = try await useSession(server.baseURL, shutsDown: false)
            for await _ in end {}
            try await server.waitForClosed(server.connections.count)
        }
    }

    private func useSession(_ url: String, shutsDown: Bool) async throws -> AsyncStream<Void> {
        let (witness, end) = Witness.make()
        let session = SessionManager(configuration: SessionConfiguration { $0.interceptors = [witness] })
        for _ in 0..<3 { _ = try await session.data(for: Request(to: url)) }
        _ = try await session.open(Request(to: url)).body.collect()
        if shutsDown { await session.shutdown() }
        return end
    }

    @Test func `a request body that was sent while it was produced leaves no object behind`() async throws {
        try await FaultServer.run(Self.echo) { server in
            try await withSession { session in
                let end = try await upload(to: server.baseURL, in: session)
                for await _ in end {}
            }
        }
    }

    @Test func `a request body cut off by an early response leaves no object behind`() async throws {
        let script: FaultServer.Script = [.readHead, .respond(413, body: "no")]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let end = try await upload(to: server.baseURL, in: session)
                for await _ in end {}
            }
        }
    }

    private func upload(to url: String, in session: SessionManager) async throws -> AsyncStream<Void> {
        let (witness, end) = Witness.make()
        let body = RequestBody.stream {
            AsyncStream<[UInt8]> { continuation in
                // The witness lives as long as the closure that makes the body.
                withExtendedLifetime(witness) { _ = continuation.yield([1, 2, 3]) }
                continuation.finish()
            }
        }
        _ = try await session.data(for: Request(.post, to: url, body: body))
        return end
    }

    @Test func `a failed request leaves no task and no connection behind in its session`() async throws {
        try await FaultServer.run([.readRequest, .reset]) { server in
            try await withEngine { session, engine in
                for reading in ResponseReading.allCases {
                    _ = try await networkingError {
                        _ = try await reading.body(of: Request(to: server.baseURL), in: session)
                    }
                }
                try await server.waitForClosed(2)
                try await until("no connection left") { engine.openConnections == 0 }
                #expect(engine.waitingExchanges == 0)
                #expect(session.tasks.isEmpty)
            }
        }
    }
}
