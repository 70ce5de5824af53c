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

    @Test func `refusals are the error where the lookup of the other family does not end`() async throws {
        let port = FaultServer.unusedPort
        // Within this time, both addresses must be refused.
        try await patiently(first: [.milliseconds(400), .seconds(2)], last: .seconds(5)) { timeout in
            let configuration = SessionConfiguration {
                $0.nameResolver = HalfSilentResolver(["127.0.0.1", "127.0.0.2"])
                $0.timeouts.connect = timeout
            }
            try await withSession(configuration) { session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: "http://half.test:\(port)/"))
                }
                let attempts = error.metrics?.transactions.last?.addressAttempts ?? []
                let texts = [
                    "half.test:\(port) could not be reached", "refused (127.0.0.1, 127.0.0.2)",
                    "The addresses of IPv6 were not found",
                ]
                guard error.code == .connectFailed, texts.allSatisfy({ error.message.contains($0) }),
                    attempts.count == 2, attempts.allSatisfy({ $0.outcome.reason != nil })
                else { throw Unmet(description: "another error: \(error)") }
            }
        }
    }

    @Test func `a connect timeout names the addresses that were silent, and those that have failed`() async throws {
        let resolver = StubResolver(["two.test": ["127.0.0.2", "127.0.0.1"]])
        try await FaultServer.run([.stall], options: .init(acceptsConnections: false)) { server in
            try await patiently(first: [.milliseconds(400), .seconds(2)], last: .seconds(5)) { timeout in
                let configuration = SessionConfiguration {
                    $0.nameResolver = resolver
                    $0.timeouts.connect = timeout
                }
                try await withSession(configuration) { session in
                    let error = try await networkingError {
                        try await session.data(for: Request(to: "http://two.test:\(server.port)/"))
                    }
                    guard error.code == .connectTimeout, error.message.contains("127.0.0.2 ("),
                        error.message.hasSuffix("), 127.0.0.1.")
                    else { throw Unmet(description: "another error: \(error)") }
                }
            }
        }
    }

    /// Runs the body with a server on 127.0.0.1 and with addresses on which nothing responds.
    private func withDeadAddresses(
        _ dead: [String],
        at port: Int? = nil,
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        guard let port else {
            return try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
                try await withDeadAddresses(dead, at: server.port, body)
            }
        }
        guard let first = dead.first else { return try await body(port) }
        let options = FaultServer.Options(host: first, port: port, acceptsConnections: false)
        try await FaultServer.run([.stall], options: options) { _ in
            try await withDeadAddresses(Array(dead.dropFirst()), at: port, body)
        }
    }

    @Test func `a host with four dead addresses and a good one is connected to within 1.5 seconds`() async throws {
        let dead = (2...5).map { "127.0.0.\($0)" }
        let resolver = StubResolver(["five.test": dead + ["127.0.0.1"]])
        try await withDeadAddresses(dead) { port in
            // A machine that pauses may need several tries, each of which has this time.
            let limit = Duration.milliseconds(1500)
            try await patiently(first: Array(repeating: limit, count: 9), last: limit) { timeout in
                let configuration = SessionConfiguration {
                    $0.nameResolver = resolver
                    $0.timeouts.connect = timeout
                }
                try await withSession(configuration) { session in
                    let response = try await session.data(for: Request(to: "http://five.test:\(port)/"))
                    #expect(response.value == Data("ok".utf8))
                    let attempts = response.metrics.transactions[0].addressAttempts
                    #expect(attempts.map(\.endpoint.address) == dead + ["127.0.0.1"])
                    #expect(attempts.map(\.endpoint.port) == Array(repeating: port, count: 5))
                    #expect(attempts.dropLast().allSatisfy { $0.outcome == .abandoned })
                    #expect(attempts.last?.outcome == .connected)
                    // RFC 8305 §5: the attempts begin 250 ms after each other.
                    for (one, next) in zip(attempts, attempts.dropFirst()) {
                        #expect(next.phase.start - one.phase.start >= .milliseconds(249))
                    }
                    // The next connection begins with the address that was good.
                    try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { other in
                        let again = try await session.data(for: Request(to: "http://five.test:\(other.port)/"))
                        #expect(again.metrics.transactions[0].addressAttempts.count == 1)
                    }
                }
            }
        }
    }
}
