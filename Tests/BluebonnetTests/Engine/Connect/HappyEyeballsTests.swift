import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// A host with several addresses is reached over the first one that takes the connection (RFC
/// 8305).
@Suite(.timeLimit(.minutes(5)))
struct HappyEyeballsTests {
    @Test func `a host whose first address is dead is reached over the second one after the attempt delay`()
        async throws
    {
        let resolver = StubResolver(["two.test": ["127.0.0.2", "127.0.0.1"]])
        try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            let dead = FaultServer.Options(host: "127.0.0.2", port: server.port, acceptsConnections: false)
            try await FaultServer.run([.stall], options: dead) { _ in
                // The kernel would try an address that does not respond for two minutes.
                try await patiently(first: [.seconds(1), .seconds(3)]) { timeout in
                    let configuration = SessionConfiguration {
                        $0.nameResolver = resolver
                        $0.timeouts.connect = timeout
                    }
                    try await withSession(configuration) { session in
                        let response = try await session.data(for: Request(to: "http://two.test:\(server.port)/"))
                        #expect(response.value == Data("ok".utf8))
                        // RFC 8305 §5: the second address is tried 250 ms after the first one.
                        let connect = try #require(response.timings.connect)
                        #expect(connect > .milliseconds(200))
                    }
                }
            }
        }
    }

    @Test func `an attempt to connect to a host whose addresses are all dead ends with the connect timeout`()
        async throws
    {
        let resolver = StubResolver(["two.test": ["127.0.0.2", "127.0.0.1"]])
        let silent = FaultServer.Options(acceptsConnections: false)
        try await FaultServer.run([.stall], options: silent) { server in
            let dead = FaultServer.Options(host: "127.0.0.2", port: server.port, acceptsConnections: false)
            try await FaultServer.run([.stall], options: dead) { _ in
                let configuration = SessionConfiguration {
                    $0.nameResolver = resolver
                    $0.timeouts.connect = .milliseconds(400)
                }
                try await withEngine(configuration) { session, engine in
                    let error = try await networkingError {
                        try await session.data(for: Request(to: "http://two.test:\(server.port)/"))
                    }
                    #expect(error.code == .connectTimeout, "\(error)")
                    try await until("no attempt is left") { engine.attempts == 0 }
                }
            }
        }
    }
}
