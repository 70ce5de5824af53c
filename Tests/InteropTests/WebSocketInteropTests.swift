import Bluebonnet
import Foundation
import Testing

/// WebSockets of Python's `websockets` and of aiohttp, both with compression.
@Suite(
    .enabled(if: InteropServer.webSockets.isExpected, "the WebSocket servers are not running"),
    .timeLimit(.minutes(2))
)
struct WebSocketInteropTests {
    private static let servers: [InteropServer] = [
        .webSockets, .webSocketsTLS, .aiohttpWebSocket, .aiohttpWebSocketTLS,
    ]

    private func withSocket(
        to server: InteropServer,
        _ path: String = "/",
        options: WebSocketOptions = WebSocketOptions(),
        _ body: (WebSocketTask) async throws -> Void
    ) async throws {
        let configuration = try SessionConfiguration(trusting: .authority)
        try await withSession(configuration) { session in
            let url = try #require(URL(string: server.address + path))
            try await body(session.webSocket(url, options: options))
        }
    }

    private static let messages: [WebSocketMessage] = [
        .text(""), .text("hello"), .text(String(repeating: "κόσμε ", count: 1000)), .binary(Data()),
        .binary(Data((0..<200_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) })),
        .text(String(repeating: "x", count: 1_000_000)), .text("hello"),
    ]

    /// Ways to compress, with whether compression is to be agreed upon.
    private static let compressions: [(WebSocketCompression?, String)] = {
        var noContext = WebSocketCompression()
        (noContext.usesClientContext, noContext.usesServerContext) = (false, false)
        var small = WebSocketCompression()
        (small.serverWindowBits, small.minimumSize) = (9, 0)
        return [(nil, "none"), (WebSocketCompression(), "default"), (noContext, "no context"), (small, "small window")]
    }()

    @Test(arguments: servers, compressions.indices)
    func `messages come back as they were sent`(server: InteropServer, index: Int) async throws {
        var options = WebSocketOptions()
        options.compression = Self.compressions[index].0
        try await withSocket(to: server, options: options) { socket in
            let opening = try await socket.value
            #expect(opening.isCompressed == (options.compression != nil), "\(Self.compressions[index].1)")
            for message in Self.messages {
                try await socket.send(message)
                let received = try await socket.receive()
                #expect(received == message)
            }
            // Several at once, too.
            for message in Self.messages { try await socket.send(message) }
            for message in Self.messages {
                let received = try await socket.receive()
                #expect(received == message)
            }
            // The Close frame of aiohttp has 1000 whatever it has received.
            let closure = await socket.close(.goingAway, reason: "done")
            let isAiohttp = [.aiohttpWebSocket, .aiohttpWebSocketTLS].contains(server)
            #expect(closure.code == (isAiohttp ? .normalClosure : .goingAway))
        }
    }

    @Test(arguments: servers)
    func `pings, subprotocols and the close handshake are as the standard says`(server: InteropServer) async throws {
        var options = WebSocketOptions()
        options.protocols = ["echo.v2", "echo.v1"]
        try await withSocket(to: server, options: options) { socket in
            let opening = try await socket.value
            #expect(opening.subprotocol == "echo.v1")
            let time = try await socket.ping()
            #expect(time > .zero)
            #expect(await socket.close().code == .normalClosure)
        }
    }

    @Test func `fragments that are compressed are put together`() async throws {
        try await withSocket(to: .webSockets, "/fragments") { socket in
            for message in Self.messages.suffix(3) {
                try await socket.send(message)
                let received = try await socket.receive()
                #expect(received == message)
            }
            await socket.close()
        }
    }

    @Test func `a close with a code of the application is an error with code and reason`() async throws {
        try await withSocket(to: .webSockets, "/close") { socket in
            try await socket.send("close")
            let error = try await networkingError { try await socket.receive() }
            #expect(error.code == .webSocketClosed)
            #expect(error.webSocketClosure == WebSocketClosure(code: 4321, reason: "as you wish"))
        }
    }

    /// What servers of other people send past their library, with the error and the code of the
    /// Close frame that they get for it.
    private static let faults: [(path: String, error: NetworkingError.Code, code: String)] = [
        ("/bad-utf-8", .webSocketProtocolError, "1007"), ("/masked", .webSocketProtocolError, "1002"),
        ("/oversized", .webSocketMessageTooLarge, "1009"), ("/oversized-ping", .webSocketProtocolError, "1002"),
        ("/reserved-bit", .webSocketProtocolError, "1002"), ("/reserved-opcode", .webSocketProtocolError, "1002"),
        ("/bad-deflate", .webSocketProtocolError, "1007"),
    ]

    @Test(arguments: servers, faults.indices)
    func `a frame that breaks the standard is told to its server`(server: InteropServer, index: Int) async throws {
        let fault = Self.faults[index]
        let path = "\(fault.path)?\(UUID().uuidString)"
        try await withSocket(to: server, path) { socket in
            let error = try await networkingError { try await socket.receive() }
            #expect(error.code == fault.error, "\(error)")
        }
        try await withSocket(to: server, "/code\(path)") { socket in
            let code = try await socket.receive()
            #expect(code == .text(fault.code))
            await socket.close()
        }
    }

    @Test(arguments: [true, false])
    func `hypercorn opens a WebSocket on a stream of HTTP/2 where it is known to do so`(isKnown: Bool) async throws {
        try await withSession(try SessionConfiguration(trusting: .authority)) { session in
            let url = try #require(URL(string: InteropServer.hypercorn.address))
            if isKnown { _ = try await session.data(for: Request(url: url.appending(path: "tiny.txt"))) }
            let socket = session.webSocket(url)
            let version = try await socket.receive()
            #expect(version == .text(isKnown ? "HTTP/2" : "HTTP/1.1"))
            for message in Self.messages.dropFirst() where message != .binary(Data()) {
                try await socket.send(message)
                let received = try await socket.receive()
                #expect(received == message)
            }
            #expect(await socket.close().code == .normalClosure)
        }
    }

    @Test func `an abrupt end is a lost connection`() async throws {
        try await withSocket(to: .webSockets, "/cut") { socket in
            try await socket.send("cut")
            let error = try await networkingError { try await socket.receive() }
            #expect(error.code == .connectionLost)
        }
    }
}
