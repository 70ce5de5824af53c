import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Frames that cost a client something and bring nothing are bounded (RFC 9113 §10.5).
@Suite(.timeLimit(.minutes(5)))
struct HTTP2FloodTests {
    struct Flood: Sendable, CustomTestStringConvertible {
        var name: String
        var steps: [HTTP2FaultStep]
        /// The code that tells which limit ended it.
        var code = NetworkingError.Code.tooManyFrames

        var testDescription: String { name }

        init(_ name: String, _ steps: HTTP2FaultStep...) {
            self.name = name
            self.steps = steps
        }

        /// The same with another limit.
        func ending(_ code: NetworkingError.Code) -> Flood {
            var flood = self
            flood.code = code
            return flood
        }
    }

    /// The stream of the request that waits meanwhile. Stream 1 was complete before.
    private static let stream = 3

    static let floods = [
        Flood("SETTINGS", .flood(.settings())),
        Flood("PING", .flood(.ping())),
        Flood("RST_STREAM", .flood(.resetStream(.cancel, stream: 1))),
        Flood("empty DATA", .head(), .flood(.data("", stream: stream))),
        Flood("DATA of padding alone", .head(), .flood(.data([], stream: stream, padding: 0))),
        Flood(
            "CONTINUATION without an end",
            .send(.headers(block: [0x88], stream: stream, endHeaders: false)),
            .flood(.continuation([0, 1, 97, 1, 98], stream: stream, endHeaders: false))
        ),
        Flood(
            "empty CONTINUATION",
            .send(.headers(block: [0x88], stream: stream, endHeaders: false)),
            .flood(.continuation(stream: stream, endHeaders: false))
        ),
        Flood(
            "large CONTINUATION",
            .send(.headers(block: [0x88], stream: stream, endHeaders: false)),
            .flood(.continuation([UInt8](repeating: 0x88, count: 16_384), stream: stream, endHeaders: false))
        ).ending(.headerTooLarge),
        Flood("WINDOW_UPDATE", .flood(.windowUpdate(1)), .stall),
        Flood("WINDOW_UPDATE of a stream", .flood(.windowUpdate(1, stream: stream)), .stall),
        Flood(
            "SETTINGS with many values",
            .send(.settings((0..<65).map { _ in (.initialWindowSize, 70_000) })),
            .stall
        ),
        Flood("informational responses", .flood(.headers([(":status", "103")], stream: stream)))
            .ending(.unexpectedResponse),
    ]

    @Test(arguments: floods)
    func `a flood of frames ends its request`(flood: Flood) async throws {
        let steps = [.readRequest, .respond(), .readRequest] + flood.steps
        try await HTTP2FaultServer.run(.connections([steps])) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let error = try await networkingError {
                    try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == flood.code, "\(error)")
                #expect(session.tasks.isEmpty)
                try await server.wait("the end of the connection or of its stream") { record in
                    record.connections[0].isClosed || record.connections[0].resetCode(of: Self.stream) != nil
                }
                // A socket that is closed while bytes wait in it is reset, which may overtake the
                // GOAWAY.
                let connection = server.connections[0]
                let code = connection.goAwayCode ?? connection.resetCode(of: Self.stream)
                #expect([nil, .enhanceYourCalm].contains(code), "\(String(describing: code))")
            }
        }
    }

    @Test func `a field section that becomes large when it is decoded is refused`() async throws {
        // RFC 7541 §7.3: one byte stands for 4000.
        let indexed = [UInt8](repeating: 0xBE, count: 10_000)
        let block = [0x88] + HeaderBlock.indexed([("x", String(repeating: "y", count: 4000))]) + indexed
        let script: HTTP2FaultServer.Script = [
            .readRequest, .onStream { [.headers(block: block, stream: $0, endStream: true)] }, .stall,
        ]
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == .headerTooLarge, "\(error)")
            }
        }
    }

    /// Frames without a limit, or whose limit a slow client does not reach: the times of the
    /// request are its end.
    static let unlimited = [
        Flood("PRIORITY", .flood(.priority(stream: 1))),
        Flood("an unknown type", .flood(WireFrame(.init(rawValue: 0xFA), stream: 1))),
    ]

    @Test(arguments: unlimited)
    func `frames that bring nothing do not prolong the wait for the first byte`(flood: Flood) async throws {
        try await HTTP2FaultServer.run(.connections([[.readRequest] + flood.steps])) { server in
            try await withSession(.http2()) { session in
                let timeouts = Timeouts(firstByte: .milliseconds(500))
                let error = try await networkingError {
                    try await session.data(for: Request(to: server.baseURL, timeouts: timeouts))
                }
                #expect([.firstByteTimeout, .tooManyFrames].contains(error.code), "\(error)")
            }
        }
    }

    @Test func `a negative limit of the header section refuses each response`() async throws {
        try await HTTP2FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession(.http2 { $0.limits = Limits(headerSection: -1) }) { session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == .headerTooLarge, "\(error)")
            }
        }
    }
}
