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

        var testDescription: String { name }

        init(_ name: String, _ steps: HTTP2FaultStep...) {
            self.name = name
            self.steps = steps
        }
    }

    static let floods = [
        Flood("SETTINGS", .flood(.settings())),
        Flood("PING", .flood(.ping())),
        Flood("empty DATA", .head(), .flood(.data("", stream: 1))),
        Flood("DATA of padding alone", .head(), .flood(.data([], stream: 1, padding: 0))),
        Flood(
            "CONTINUATION without an end",
            .send(.headers(block: [0x88], stream: 1, endHeaders: false)),
            .flood(.continuation([0, 1, 97, 1, 98], stream: 1, endHeaders: false))
        ),
        Flood(
            "empty CONTINUATION",
            .send(.headers(block: [0x88], stream: 1, endHeaders: false)),
            .flood(.continuation(stream: 1, endHeaders: false))
        ),
        Flood("WINDOW_UPDATE", .flood(.windowUpdate(1)), .stall),
        Flood("WINDOW_UPDATE of a stream", .flood(.windowUpdate(1, stream: 1)), .stall),
        Flood(
            "SETTINGS with many values",
            .send(.settings((0..<65).map { _ in (.initialWindowSize, 70_000) })),
            .stall
        ),
        Flood("informational responses", .flood(.headers([(":status", "103")], stream: 1))),
    ]

    @Test(arguments: floods)
    func `a flood of frames ends its request`(flood: Flood) async throws {
        try await HTTP2FaultServer.run(.connections([[.readRequest] + flood.steps])) { server in
            try await withSession(.http2()) { session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: server.baseURL))
                }
                let codes: [NetworkingError.Code] = [.tooManyFrames, .headerTooLarge, .unexpectedResponse]
                #expect(codes.contains(error.code), "\(error)")
                #expect(session.tasks.isEmpty)
                try await server.wait("the end of the connection or of its stream") { record in
                    record.connections[0].isClosed || record.connections[0].resetCode(of: 1) != nil
                }
                // A socket that is closed while bytes wait in it is reset, which may overtake the
                // GOAWAY.
                let connection = server.connections[0]
                let code = connection.goAwayCode ?? connection.resetCode(of: 1)
                #expect([nil, .enhanceYourCalm].contains(code), "\(String(describing: code))")
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
                // Where the settings were acknowledged before the response, the codec refuses it.
                #expect([.headerTooLarge, .protocolViolation].contains(error.code), "\(error)")
            }
        }
    }
}
