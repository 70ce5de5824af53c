import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The WebSocket of the embedded server, which is NIO's, by ours.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketLocalServerTests {
    private static let messages: [WebSocketMessage] = [
        .text(""), .text("hello"), .text(String(repeating: "κόσμε ", count: 1000)), .binary(Data()),
        .binary(Data((0..<200_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) })),
        .text(String(repeating: "x", count: 1_000_000)), .text("hello"),
    ]

    private static let compressions: [WebSocketCompression?] = {
        var noContext = WebSocketCompression()
        (noContext.usesClientContext, noContext.usesServerContext) = (false, false)
        var small = WebSocketCompression()
        (small.serverWindowBits, small.minimumSize) = (9, 0)
        return [nil, WebSocketCompression(), noContext, small]
    }()

    @Test(arguments: [(false, false), (true, false), (true, true)], compressions)
    func `messages come back from the embedded server`(
        server: (isSecure: Bool, speaksHTTP2: Bool),
        compression: WebSocketCompression?
    ) async throws {
        let certificates = try TestCertificates.shared()
        let tls = server.isSecure ? ServerTLS(certificates.localhost) : nil
        let options = LocalServer.Options(tls: tls, http2: server.speaksHTTP2)
        try await LocalServer.run(options) { server in
            try await withSession(SessionConfiguration(trusting: certificates.authority)) { session in
                var options = WebSocketOptions()
                options.compression = compression
                options.closeTimeout = .seconds(60)
                let url = try #require(URL(string: server.baseURL + "/websocket"))
                let socket = session.webSocket(url, protocols: ["echo.v2", "echo.v1"], options: options)
                let opening = try await socket.value
                #expect(opening.subprotocol == "echo.v2")
                #expect(opening.isCompressed == (compression != nil))
                for message in Self.messages { try await socket.send(message) }
                for message in Self.messages { try await socket.expect(message) }
                _ = try await socket.ping()
                #expect(await socket.close(4000, reason: "bye") == WebSocketClosure(code: 4000, reason: "bye"))
            }
        }
    }

    @Test func `the embedded server reads no more than is read of it`() async throws {
        let sent = Notes<Int>()
        try await LocalServer.run { server in
            try await withSession(SessionConfiguration()) { session in
                var options = WebSocketOptions()
                options.compression = nil
                let url = try #require(URL(string: server.baseURL + "/websocket"))
                let socket = session.webSocket(url, options: options)
                let sender = Task {
                    for number in 0..<1000 {
                        try await socket.send(.binary(Data(repeating: 1, count: 100_000)))
                        sent.note(number)
                    }
                }
                try await until("messages are sent") { sent.all.count > 10 }
                let count = try await settled { sent.all.count }
                #expect(count < 1000)
                for _ in 0..<1000 { try await socket.expect(.binary(Data(repeating: 1, count: 100_000))) }
                try await sender.value
                await socket.close()
            }
        }
    }
}
