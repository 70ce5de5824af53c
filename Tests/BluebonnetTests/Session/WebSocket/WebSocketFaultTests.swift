import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// What servers do wrong: in the handshake, in frames, and at each point with silence or an end.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketFaultTests {
    // MARK: The handshake

    private static let upgrade = "Upgrade: websocket"
    private static let connection = "Connection: Upgrade"

    /// The responses of RFC 6455 §4.1 that a client must refuse; `%` is the right accept.
    private static let refused: [(String, [String], NetworkingError.Code)] = [
        (
            "a wrong accept", [upgrade, connection, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="],
            .webSocketRefused
        ),
        ("no accept", [upgrade, connection], .webSocketRefused),
        (
            "two accepts", [upgrade, connection, "Sec-WebSocket-Accept: %", "Sec-WebSocket-Accept: %"],
            .webSocketRefused
        ),
        ("no upgrade", [connection, "Sec-WebSocket-Accept: %"], .unexpectedResponse),
        ("another upgrade", ["Upgrade: h2c", connection, "Sec-WebSocket-Accept: %"], .unexpectedResponse),
        ("no connection", [upgrade, "Sec-WebSocket-Accept: %"], .webSocketRefused),
        (
            "a protocol that was not offered",
            [upgrade, connection, "Sec-WebSocket-Accept: %", "Sec-WebSocket-Protocol: x"], .webSocketRefused
        ),
        (
            "an extension that was not offered",
            [upgrade, connection, "Sec-WebSocket-Accept: %", "Sec-WebSocket-Extensions: foo"], .webSocketRefused
        ),
        (
            "extensions that cannot be read",
            [upgrade, connection, "Sec-WebSocket-Accept: %", "Sec-WebSocket-Extensions: ;"], .webSocketRefused
        ),
    ]

    @Test(arguments: refused.indices)
    func `a handshake that breaks a rule is refused`(index: Int) async throws {
        let (name, fields, code) = Self.refused[index]
        try await withWebSocket(to: { peer, _ in
            let request = try await peer.readRequest()
            let head = fields.map { $0.replacing("%", with: request.accept) }.joined(separator: "\r\n")
            try await peer.send(Array("HTTP/1.1 101 Switching Protocols\r\n\(head)\r\n\r\n".utf8))
            _ = try await peer.drain()
        }) { socket in
            let error = try await networkingError { try await socket.value }
            #expect(error.code == code, "\(name): \(error.message)")
            #expect(socket.state == .completed)
        }
    }

    @Test(arguments: [200, 204, 404, 426, 503])
    func `another status is an error with head and body`(status: Int) async throws {
        try await withWebSocket(to: { peer, _ in
            _ = try await peer.readRequest()
            let body = status == 204 ? "" : "no feed"
            let length = status == 204 ? "" : "Content-Length: 7\r\n"
            try await peer.send(Array("HTTP/1.1 \(status) X\r\nX-Why: test\r\n\(length)\r\n\(body)".utf8))
            _ = try await peer.drain()
        }) { socket in
            let error = try await networkingError { try await socket.value }
            #expect(error.code == .webSocketRefused)
            #expect(error.response?.statusCode == status)
            #expect(error.bodyString ?? "" == (status == 204 ? "" : "no feed"))
            #expect(error.request?.upgrade == .webSocket)
            let sent = try await networkingError { try await socket.send("late") }
            #expect(sent.code == .webSocketRefused)
        }
    }

    @Test func `a switch that nobody asked for stays an error`() async throws {
        try await WebSocketServer.run { peer, _ in
            _ = try await peer.readRequest()
            try await peer.send(peer.response())
            _ = try await peer.drain()
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
                let error = try await networkingError { try await session.data(for: Request(url: url)) }
                #expect(error.code == .unexpectedResponse)
            }
        }
    }

    // MARK: Frames

    private static let broken: [(String, [UInt8], NetworkingError.Code, UInt16)] = [
        ("a masked frame", WebSocketFrame(1, [65], mask: [1, 2, 3, 4]).bytes, .webSocketProtocolError, 1002),
        ("a reserved opcode", WebSocketFrame(3).bytes, .webSocketProtocolError, 1002),
        ("a reserved bit", WebSocketFrame(1, reservedBits: 0b100).bytes, .webSocketProtocolError, 1002),
        ("text that is not UTF-8", WebSocketFrame(1, [0xFF]).bytes, .webSocketProtocolError, 1007),
        ("a frame that is too large", WebSocketFrame(2).header(length: 1 << 40), .webSocketMessageTooLarge, 1009),
        ("a code that may not be sent", WebSocketFrame.close(1005).bytes, .webSocketProtocolError, 1002),
    ]

    @Test(arguments: broken.indices)
    func `a broken frame is an error, and the server is told`(index: Int) async throws {
        let (name, bytes, code, closeCode) = Self.broken[index]
        let told = Notes<UInt16?>()
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            try await peer.send(WebSocketFrame.text("before").bytes + bytes + WebSocketFrame.text("behind").bytes)
            told.note(try await peer.readFrame().closeCode)
        }) { socket in
            try await socket.expect(.text("before"))
            let error = try await networkingError { try await socket.receive() }
            #expect(error.code == code, "\(name): \(error.message)")
            #expect(error.webSocketClosure?.code.rawValue == closeCode)
        }
        #expect(told.all == [closeCode], "\(name)")
    }

    @Test func `a message that grows beyond its limit is an error`() async throws {
        try await withWebSocket(
            to: { peer, _ in
                try await peer.open()
                for _ in 0..<20 {
                    try await peer.send(WebSocketFrame(0x2, Array(repeating: 1, count: 100), isFinal: false))
                }
                try await peer.readClose()
            },
            options: { $0.maximumMessageSize = 50 }
        ) { socket in
            let error = try await networkingError { try await socket.receive() }
            #expect(error.code == .webSocketMessageTooLarge)
        }
    }

    // MARK: Ends at each point

    private static let cuts: [(String, WebSocketServer.Script, NetworkingError.Code)] = [
        ("before the response", { peer, _ in _ = try await peer.readRequest() }, .connectionLost),
        (
            "in the response",
            { peer, _ in
                _ = try await peer.readRequest()
                try await peer.send(Array("HTTP/1.1 101 Swi".utf8))
            }, .truncatedResponse
        ),
        ("behind the response", { peer, _ in try await peer.open() }, .connectionLost),
        (
            "in a header",
            { peer, _ in
                try await peer.open()
                try await peer.send([0x81])
            }, .connectionLost
        ),
        (
            "in a payload",
            { peer, _ in
                try await peer.open()
                try await peer.send([0x81, 5, 65])
            }, .connectionLost
        ),
        (
            "between two frames of a message",
            { peer, _ in
                try await peer.open()
                try await peer.send(WebSocketFrame(1, [65], isFinal: false))
            }, .connectionLost
        ),
        (
            "with RST",
            { peer, _ in
                try await peer.open()
                try await peer.reset()
            }, .connectionLost
        ),
    ]

    @Test(arguments: cuts.indices, [false, true])
    func `an abrupt end is an error with its own code`(index: Int, isSecure: Bool) async throws {
        let (name, script, code) = Self.cuts[index]
        let certificates = try TestCertificates.shared()
        let tls = isSecure ? ServerTLS(certificates.localhost) : nil
        try await WebSocketServer.run(tls: tls, script) { server in
            try await withSession(SessionConfiguration(trusting: certificates.authority)) { session in
                let socket = try session.webSocket(to: server)
                let error = try await networkingError { try await socket.receive() }
                // The system may have told of RST before of the response.
                #expect(error.code == code || isSecure && error.code == .tlsFailed, "\(name): \(error)")
                #expect(socket.closure?.code == .abnormalClosure)
            }
        }
    }

    // MARK: Silence at each point

    @Test func `a server that says nothing to the opening request is timed out`() async throws {
        let configuration = SessionConfiguration { $0.timeouts.firstByte = .milliseconds(100) }
        try await withWebSocket(to: { peer, _ in _ = try await peer.drain() }, configuration) { socket in
            let error = try await networkingError { try await socket.value }
            #expect(error.code == .firstByteTimeout)
        }
    }

    @Test func `the timeouts of requests do not end a WebSocket that is open`() async throws {
        // The opening has to be there within them, also on a machine that is busy.
        try await patiently { timeout in
            let gate = FaultGate()
            let configuration = SessionConfiguration {
                $0.timeouts.betweenBytes = timeout
                $0.timeouts.firstByte = timeout
                $0.timeouts.request = timeout
            }
            try await withWebSocket(
                to: { peer, _ in
                    try await peer.open()
                    await gate.wait()
                    try await peer.send(.text("late"))
                    try await peer.finish()
                },
                configuration
            ) { socket in
                _ = try await socket.value
                try await Task.sleep(for: timeout * 1.2)
                gate.open()
                let message = try await socket.receive()
                guard message == .text("late") else { throw Unmet(description: "the message is late") }
                await socket.close()
            }
        }
    }

    @Test func `a server without pongs is lost`() async throws {
        try await withWebSocket(
            to: { peer, _ in
                try await peer.open()
                _ = try await peer.drain()
            },
            options: {
                $0.pingInterval = .milliseconds(30)
                $0.pingTimeout = .milliseconds(50)
            }
        ) { socket in
            let error = try await networkingError { try await socket.receive() }
            #expect(error.code == .webSocketPingTimeout)
            #expect(error.isTimeout)
        }
    }

    @Test func `pings that have their pongs keep a silent WebSocket open`() async throws {
        let pings = Notes<Int>()
        try await withWebSocket(
            to: { peer, _ in
                try await peer.open()
                for _ in 0..<5 {
                    let frame = try await peer.readFrame()
                    pings.note(Int(frame.opcode))
                    try await peer.send(.pong(frame.payload))
                }
                try await peer.close(1000)
            },
            options: {
                $0.pingInterval = .milliseconds(20)
                $0.pingTimeout = .seconds(20)
            }
        ) { socket in
            try await socket.expect(nil)
        }
        #expect(pings.all == [9, 9, 9, 9, 9])
    }

    @Test func `a flood of pings that nobody answers does not fill the memory`() async throws {
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            let pings = Array(repeating: WebSocketFrame.ping(Array(0..<125)).bytes, count: 500).flatMap(\.self)
            for _ in 0..<100 { try await peer.send(pings) }
            try await peer.send(.text("done"))
            try await peer.finish()
        }) { socket in
            try await socket.expect(.text("done"))
            await socket.close()
        }
    }
}
