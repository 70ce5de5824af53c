import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// How long a server says that it keeps a connection.
@Suite(.timeLimit(.minutes(1)))
struct KeepAliveFieldTests {
    @Test(
        arguments: [
            ("timeout=5, max=100", .seconds(4)), ("timeout=5", .seconds(4)), ("max=100,timeout=15", .seconds(14)),
            ("Timeout = 5", .seconds(4)), ("timeout=\"5\"", .seconds(4)), ("timeout=5; max=3", .seconds(4)),
            ("timeout=2", .seconds(1)), ("timeout=1", .milliseconds(500)), ("timeout=0", .zero),
            ("timeout=30, timeout=5", .seconds(4)), ("timeout=5, timeout=x", .seconds(4)),
            ("", nil), ("max=5", nil), ("timeout", nil), ("timeout=", nil), ("timeout=-5", nil), ("timeout=five", nil),
            ("timeout=99999999999999999999", nil), ("xtimeout=5", nil), ("5", nil),
        ] as [(String, Duration?)]
    )
    func `the time is read and a second taken off`(value: String, time: Duration?) throws {
        #expect(KeepAliveField.time(in: value).duration == time)
        let name = try #require(HTTPField.Name("keep-alive"))
        let head = ResponseHead(status: .ok, headerFields: [name: value])
        #expect(KeepAliveField.time(in: head).duration == time)
    }

    @Test func `without the field there is no time`() {
        #expect(KeepAliveField.time(in: ResponseHead(status: .ok)) == .none)
    }

    @Test func `a connection is closed before the server closes it`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(headers: [("Keep-Alive", "timeout=1")], body: "ok")]
        }
        try await FaultServer.run(script) { server in
            // The session's own idle time of a minute would be over after that of this suite.
            try await TestSession.run { session, engine in
                _ = try await session.data(for: TestSession.request(server.baseURL))
                try await server.waitUntilClientClosed(connection: 0)
                try await TestSession.until("the pool has let it go") { engine.openConnections == 0 }
            }
        }
    }

    @Test func `a connection that is not kept at all is not used again`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(headers: [("Keep-Alive", "timeout=0")], body: "ok")]
        }
        try await FaultServer.run(script) { server in
            try await TestSession.run { session, _ in
                for number in 0..<2 {
                    _ = try await session.data(for: TestSession.request(server.baseURL))
                    try await server.waitUntilClientClosed(connection: number)
                }
            }
        }
    }
}
