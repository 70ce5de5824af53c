import Foundation
import LocalServer
import NIOCore
import NIOSSL
import Testing

/// The endpoint `/websocket`, by bytes.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketEchoTests {
    private static let mask: [UInt8] = [1, 2, 3, 4]

    private func frame(
        _ opcode: UInt8,
        _ payload: [UInt8] = [],
        isFinal: Bool = true,
        reservedBits: UInt8 = 0
    ) -> [UInt8] {
        WebSocketFrame(opcode, payload, isFinal: isFinal, reservedBits: reservedBits, mask: Self.mask).bytes
    }

    /// The bytes of the server behind its head, until it ends the connection.
    private func exchange(
        _ frames: [UInt8],
        fields: String = "",
        secure: Bool = false,
        http2: Bool = false
    ) async throws -> (head: String, bytes: [UInt8]) {
        let certificates = try TestCertificates.shared()
        let tls = secure ? ServerTLS(certificates.localhost) : nil
        return try await LocalServer.run(LocalServer.Options(tls: tls, http2: http2)) { server in
            var client = TLSConfiguration.makeClientConfiguration()
            client.certificateVerification = .none
            let connection = try await RawConnection.connect(port: server.port, tls: secure ? client : nil)
            try await connection.send(
                """
                GET /websocket?x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(fields)\r\n
                """
            )
            // RFC 6455 §4.1: nothing is sent before the response.
            var head = ""
            while !head.hasSuffix("\r\n\r\n"), let more = try await connection.receive() { head += more }
            try await connection.send(frames)
            let bytes = try await connection.receiveAll()
            await connection.close()
            return (head, bytes)
        }
    }

    @Test func `a handshake behind a request without a response is an ordinary request`() async throws {
        try await LocalServer.run { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send(
                """
                GET /delay/0.05 HTTP/1.1\r\nHost: localhost\r\n\r\n\
                GET /websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
                """
            )
            var text = ""
            while !text.contains("HTTP/1.1 426 "), let more = try await connection.receive() { text += more }
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(text)")
            #expect(text.contains("HTTP/1.1 426 ") && !text.contains("HTTP/1.1 101 "), "\(text)")
            // The server is still there.
            let after = try await RawResponse.fetch("/uuid", from: server)
            #expect(after.status == 200)
            await connection.close()
        }
    }

    @Test(arguments: [(false, false), (true, false), (true, true)])
    func `messages, fragments and pings come back, and the server ends the connection`(
        secure: Bool,
        http2: Bool
    ) async throws {
        let frames =
            frame(1, Array("hello".utf8)) + frame(2) + frame(1, [0xC3], isFinal: false) + frame(9, [7])
            + frame(0, [0xA4]) + frame(10) + frame(2, Array(repeating: 5, count: 100_000))
            + frame(8, [0x0F, 0xA0] + Array("bye".utf8)) + frame(1, [65])
        let (head, bytes) = try await exchange(frames, secure: secure, http2: http2)
        #expect(head.hasPrefix("HTTP/1.1 101 "))
        #expect(head.lowercased().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n"))
        let expected: [WebSocketFrame] = [
            .text("hello"), .binary([]), WebSocketFrame(1, [0xC3], isFinal: false), .pong([7]),
            WebSocketFrame(0, [0xA4]), .binary(Array(repeating: 5, count: 100_000)), .close(4000, "bye"),
        ]
        #expect(bytes == expected.flatMap(\.bytes))
    }

    @Test func `compressed messages come back as they are`() async throws {
        let fields = "Sec-WebSocket-Protocol: x, y\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
        let frames =
            frame(1, [0xF2, 0x48], isFinal: false, reservedBits: 0b100) + frame(0, [0xCD, 0xC9, 0xC9, 0x07, 0x00])
            + frame(8)
        let (head, bytes) = try await exchange(frames, fields: fields)
        #expect(head.lowercased().contains("sec-websocket-protocol: x\r\n"))
        #expect(head.lowercased().contains("sec-websocket-extensions: permessage-deflate\r\n"))
        let expected: [WebSocketFrame] = [
            WebSocketFrame(1, [0xF2, 0x48], isFinal: false, reservedBits: 0b100),
            WebSocketFrame(0, [0xCD, 0xC9, 0xC9, 0x07, 0x00]), .close(nil),
        ]
        #expect(bytes == expected.flatMap(\.bytes))
    }

    @Test func `a frame that breaks a rule is told, and ends the connection`() async throws {
        let wrong: [([UInt8], UInt16)] = [
            (WebSocketFrame(1, [65]).bytes, 1002), (frame(3), 1002), (frame(1, [65], reservedBits: 0b100), 1002),
            (frame(1, [65], reservedBits: 0b001), 1002), (frame(0, [65]), 1002),
            (frame(1, [65], isFinal: false) + frame(1, [65]), 1002), (frame(8, [1]), 1002),
            (frame(9, isFinal: false), 1002), (frame(9, Array(repeating: 0, count: 126)), 1002),
            (WebSocketFrame(2, mask: Self.mask).header(length: 1 << 30), 1009),
        ]
        for (bytes, code) in wrong {
            let (_, received) = try await exchange(bytes)
            #expect(received.suffix(4) == WebSocketFrame.close(code).bytes[...], "\(bytes.prefix(8))")
        }
    }

    @Test func `another request gets a response that says what is missing`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/websocket", from: server)
            #expect(response.status == 426)
            #expect(response.value(of: "upgrade") == "websocket")
            #expect(response.value(of: "sec-websocket-version") == "13")
        }
    }
}
