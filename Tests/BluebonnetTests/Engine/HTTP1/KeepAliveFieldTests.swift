import HTTPTypes
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// The time for which a server keeps an idle connection, from its `Keep-Alive` field.
@Suite(.timeLimit(.minutes(5)))
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
    func `the Keep-Alive timeout is read, less one second`(value: String, time: Duration?) throws {
        #expect(KeepAliveField.time(in: value).duration == time)
        #expect(try parsedTime("Keep-ALIVE: \(value)\r\n") == time)
        let twice = "Connection: keep-alive\r\nKeep-Alive: \(value)\r\nkeep-alive: timeout=900\r\n"
        #expect(try parsedTime(twice) == time ?? .seconds(899))
    }

    @Test func `without Keep-Alive there is no timeout, also after a response that had one`() throws {
        #expect(try parsedTime("") == nil)
        #expect(try parsedTime("Connection: keep-alive\r\n") == nil)
        #expect(try parsedTime("Keep-Alives: timeout=5\r\n") == nil)
        var parser = HTTP1ResponseParser()
        #expect(try time("Keep-Alive: timeout=5\r\n", &parser) == .seconds(4))
        #expect(try time("", &parser) == nil)
    }

    /// The Keep-Alive time that a new parser reads in one response.
    private func parsedTime(_ fields: String) throws -> Duration? {
        var parser = HTTP1ResponseParser()
        return try time(fields, &parser)
    }

    private func time(_ fields: String, _ parser: inout HTTP1ResponseParser) throws -> Duration? {
        parser.begin(.ordinary)
        var buffer = ByteBuffer(string: "HTTP/1.1 204 No Content\r\n\(fields)\r\n")
        while try parser.next(&buffer) != nil {}
        return parser.keepAliveTime.duration
    }

    @Test func `an idle connection is closed before its Keep-Alive timeout`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(headers: [("Keep-Alive", "timeout=1")], body: "ok")]
        }
        try await FaultServer.run(script) { server in
            // The session's own idle time, a minute, is not over before the time limit of this
            // suite.
            try await withEngine { session, engine in
                _ = try await session.data(for: Request(to: server.baseURL))
                try await server.waitUntilClientClosed(connection: 0)
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
            }
        }
    }

    @Test func `a connection with a Keep-Alive timeout of zero is not used again`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(headers: [("Keep-Alive", "timeout=0")], body: "ok")]
        }
        try await FaultServer.run(script) { server in
            try await withSession { session in
                for number in 0..<2 {
                    _ = try await session.data(for: Request(to: server.baseURL))
                    try await server.waitUntilClientClosed(connection: number)
                }
            }
        }
    }
}
