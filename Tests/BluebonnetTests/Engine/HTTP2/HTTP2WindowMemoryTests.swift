import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The memory that streams may hold which are not read, as a server uses it (RFC 9113 §5.2.2).
@Suite(.timeLimit(.minutes(5)))
struct HTTP2WindowMemoryTests {
    private static let first = HTTP2WindowBudget.first
    private static let guaranteed = HTTP2WindowBudget.guaranteed
    private static let budget = HTTP2WindowBudget().left

    /// A response whose reader has taken some of it, and then stands still.
    private struct Reading {
        let body: ResponseBody
        var iterator: ResponseBody.AsyncIterator
        var taken = 0

        init(_ url: String, in session: SessionManager) async throws {
            body = try await session.open(Request(to: url)).body
            iterator = body.makeAsyncIterator()
        }

        /// Reads until it has at least so many bytes, or all.
        mutating func read(_ count: Int = .max) async throws {
            while taken < count, let piece = try await iterator.next() { taken += piece.count }
        }
    }

    /// Runs a server whose responses have so many MiB, of a length that is not announced.
    private func run(_ size: Int, _ work: (HTTP2FaultServer, SessionManager) async throws -> Void) async throws {
        let script = HTTP2FaultServer.Script.requests { _ in [.head(), .fill(5, blocks: size * 64)] }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2 { $0.maximumConnectionsPerHost = 1 }) { session in
                try await work(server, session)
            }
            #expect(server.connections.count == 1)
        }
    }

    /// Responses of whose bodies so much was read that their windows are as large as the budget
    /// allows.
    private func readings(
        _ count: Int,
        of server: HTTP2FaultServer,
        in session: SessionManager
    ) async throws -> [Reading] {
        var readings: [Reading] = []
        for _ in 0..<count {
            var reading = try await Reading(server.baseURL, in: session)
            try await reading.read(8 << 20)
            readings.append(reading)
        }
        return readings
    }

    /// All that the server has sent, when it may send no more.
    private func sent(by server: HTTP2FaultServer) async throws -> Int {
        try await settled { server.connections[0].bodyBytesSent }
    }

    @Test func `a hundred responses that nobody reads hold their first windows, and no more`() async throws {
        try await run(1) { server, session in
            var unread: [ResponseBody] = []
            for _ in 0..<100 { unread.append(try await session.open(Request(to: server.baseURL)).body) }
            #expect(try await sent(by: server) == 100 * Self.first)
            #expect(server.connections[0].frames(.windowUpdate).allSatisfy { $0.stream == 0 })
            for body in unread { #expect(try await body.collect().count == 1 << 20) }
        }
    }

    @Test func `readers that stand still hold the budget and their guaranteed windows, and no more`() async throws {
        try await run(48) { server, session in
            var readings = try await readings(30, of: server, in: session)
            let most = Self.budget + readings.count * Self.guaranteed
            let held = try await sent(by: server) - readings.reduce(0) { $0 + $1.taken }
            // They have taken some of it since the server was last told.
            #expect(held <= most && held >= most / 3, "\(held) of \(most)")
            // Each of them goes on, with the window that it has.
            try await readings[29].read()
            #expect(readings[29].taken == 48 << 20)
        }
    }

    @Test func `the budget of streams that were reset is there for others`() async throws {
        try await run(48) { server, session in
            var readings = try await readings(20, of: server, in: session)
            var last = try await Reading(server.baseURL, in: session)
            let before = try await sent(by: server)
            try await last.read(1 << 20)
            let held = try await sent(by: server) - before + Self.first - last.taken
            #expect(held <= Self.guaranteed, "\(held)")
            readings.removeAll()
            try await server.wait("20 resets") { $0.connections[0].frames(.resetStream).count == 20 }
            let reset = try await sent(by: server)
            let taken = last.taken
            try await last.read(taken + 1 << 20)
            let larger = try await sent(by: server) - reset + held - (last.taken - taken)
            #expect(larger > 4 * Self.guaranteed, "\(larger)")
        }
    }

    @Test func `a stream that is read goes on beside fifty that stand still`() async throws {
        try await run(64) { server, session in
            var still: [ResponseBody] = []
            for _ in 0..<50 { still.append(try await session.open(Request(to: server.baseURL)).body) }
            var reading = try await Reading(server.baseURL, in: session)
            try await reading.read()
            #expect(reading.taken == 64 << 20)
            // Its window is 8 MiB: it would take four times as many of a guaranteed window.
            let updates = server.connections[0].frames(.windowUpdate).filter { $0.stream == 101 }
            #expect(updates.count <= 64, "\(updates.count)")
            withExtendedLifetime(still) {}
        }
    }

    @Test func `more downloads at once than the budget has windows for all end`() async throws {
        try await run(4) { server, session in
            let url = server.baseURL
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        var reading = try await Reading(url, in: session)
                        try await reading.read()
                        return reading.taken
                    }
                }
                for try await count in group { #expect(count == 4 << 20) }
            }
        }
    }

    @Test func `small responses cause no WINDOW_UPDATE on their streams`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            let size = Int(request.path.dropFirst()) ?? 0
            let body = String(repeating: "a", count: size)
            // The length is announced where more than a quarter of the window is used.
            return [.respond(200, size < Self.first / 4 ? [] : [("content-length", "\(size)")], body: body)]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                for size in [0, 1, 13, 16_385, Self.first / 4 - 1, Self.first / 2, Self.first] {
                    let url = "\(server.baseURL)/\(size)"
                    #expect(try await session.data(for: Request(to: url)).value.count == size)
                    var reading = try await Reading(url, in: session)
                    try await reading.read()
                    #expect(reading.taken == size)
                }
            }
            #expect(server.connections[0].frames(.windowUpdate).allSatisfy { $0.stream == 0 })
        }
    }
}
