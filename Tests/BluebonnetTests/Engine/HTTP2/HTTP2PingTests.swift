import Foundation
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// PINGs that callers ask for.
@Suite(.timeLimit(.minutes(3)))
struct HTTP2PingTests {
    /// Runs with a session that has a connection to the server.
    private func run(
        acknowledges: Bool = true,
        health: HealthTimes = HealthTimes(),
        _ script: HTTP2FaultServer.Script = .requests { _ in [.respond(body: "ok")] },
        _ work: (HTTP2FaultServer, SessionManager, URL) async throws -> Void
    ) async throws {
        try await HTTP2FaultServer.run(script, options: .init(acknowledges: acknowledges)) { server in
            let configuration = SessionConfiguration.http2 {
                // A PING does not prolong the idle time.
                $0.idleConnectionTimeout = .seconds(600)
                $0.healthTimes = health
            }
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                try await work(server, session, try #require(URL(string: server.baseURL + "/any")))
            }
        }
    }

    @Test func `a PING tells the time of a round trip`() async throws {
        try await run { server, session, url in
            let start = ContinuousClock.now
            let time = try await session.ping(url)
            #expect(time > .zero && time <= start.duration(to: .now))
            #expect(server.connections[0].frames(.ping).count == 1)
            #expect(server.connections.count == 1)
        }
    }

    @Test func `calls at the same time share a PING, and later ones send another`() async throws {
        try await run { server, session, url in
            try await withThrowingTaskGroup(of: Duration.self) { group in
                for _ in 0..<100 { group.addTask { try await session.ping(url) } }
                for try await time in group { #expect(time > .zero) }
            }
            let count = server.connections[0].frames(.ping).count
            // One of them was for several calls at least.
            #expect((1..<100).contains(count))
            // More than a server may answer within 10 seconds without being taken for a flood.
            for _ in 0..<1500 { _ = try await session.ping(url) }
            // The time of a PING is good for a moment only.
            while server.connections[0].frames(.ping).count == count { _ = try await session.ping(url) }
            #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("ok".utf8))
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a PING makes no connection`() async throws {
        try await HTTP2FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession(.http2()) { session in
                let url = try #require(URL(string: server.baseURL))
                let error = try await networkingError { try await session.ping(url) }
                #expect(error.code == .connectionLost && error.message.contains("no HTTP/2 connection"), "\(error)")
                #expect(server.connections.isEmpty)
            }
        }
    }

    @Test func `a connection of HTTP 1 has no PING`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let url = try #require(URL(string: server.baseURL))
                let error = try await networkingError { try await session.ping(url) }
                #expect(error.code == .connectionLost && error.message.contains("no HTTP/2 connection"), "\(error)")
            }
        }
    }

    @Test func `the end of the connection ends the wait`() async throws {
        let script: HTTP2FaultServer.Script = [.readRequest, .respond(body: "ok"), .readFrame(.ping), .close]
        try await run(acknowledges: false, script) { _, session, url in
            let error = try await networkingError { try await session.ping(url) }
            #expect(error.code == .connectionLost, "\(error)")
            #expect(error.message.contains("before a PING was acknowledged"), "\(error)")
        }
    }

    @Test func `the end of the session ends the wait`() async throws {
        try await run(acknowledges: false) { server, session, url in
            let task = Task { try await session.ping(url) }
            try await server.waitForFrame("PING") { $0.kind == .ping }
            session.invalidate()
            let error = try await networkingError { try await task.value }
            #expect(error.code == .connectionLost)
        }
    }

    @Test func `a cancelled Swift task does not wait for the answer`() async throws {
        try await run(acknowledges: false) { server, session, url in
            let task = Task { try await session.ping(url) }
            try await server.waitForFrame("PING") { $0.kind == .ping }
            task.cancel()
            let error = try await networkingError { try await task.value }
            #expect(error.code == .cancelled)
        }
    }

    @Test func `a dead connection is found by a PING`() async throws {
        try await run(acknowledges: false, health: HealthTimes(patience: .milliseconds(200))) { server, session, url in
            let error = try await networkingError { try await session.ping(url) }
            #expect(error.code == .connectionLost, "\(error)")
            try await server.waitUntilClosed()
        }
    }

    @Test func `a URL without a server is an error`() async throws {
        try await withSession { session in
            let url = try #require(URL(string: "mailto:a@example.com"))
            let error = try await networkingError { try await session.ping(url) }
            #expect([.unsupportedScheme, .invalidURL].contains(error.code), "\(error)")
        }
    }
}
