import Foundation
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// WebSockets on streams of HTTP/2 (RFC 8441).
@Suite(.timeLimit(.minutes(3)))
struct HTTP2TunnelTests {
    private static let settings: [WireFrame.Setting: UInt32] = [.enableConnectProtocol: 1]

    /// Runs with a session that has learned that the server opens tunnels.
    private func run(
        _ tunnel: [HTTP2FaultStep],
        receiveBuffer: Int = 1 << 20,
        lingering: TimeAmount = .milliseconds(100),
        _ work: (HTTP2FaultServer, WebSocketTask) async throws -> Void,
        afterwards: (HTTP2FaultServer) async throws -> Void = { _ in }
    ) async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            request.method == "CONNECT" ? tunnel : [.respond(body: "ok")]
        }
        try await HTTP2FaultServer.run(script, options: .init(settings: Self.settings)) { server in
            var configuration = SessionConfiguration.http2()
            configuration.healthTimes.lingering = lingering
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                var options = WebSocketOptions()
                options.receiveBuffer = receiveBuffer
                let socket = session.webSocket(for: try Request(to: server.baseURL + "/chat"), options: options)
                socket.resume()
                try await work(server, socket)
            }
            try await afterwards(server)
        }
    }

    @Test func `a WebSocket shares the connection of requests`() async throws {
        let hello: [UInt8] = [0x81, 2] + Array("hi".utf8)
        try await run([.head(200), .body(hello, endStream: false)]) { server, socket in
            try await socket.expect(.text("hi"))
            let request = try #require(server.requests.last)
            #expect(request.value(of: ":protocol") == "websocket" && request.path == "/chat")
            #expect(request.value(of: "sec-websocket-version") == "13")
            for name in ["sec-websocket-key", "upgrade", "connection"] { #expect(request.value(of: name) == nil) }
            try await socket.send("abc")
            try await server.wait("a frame of the client") { $0.requests.last?.bodyLength == 9 }
            #expect(server.connections.count == 1)
            socket.cancel()
            try await server.wait("the end of the stream") { $0.connections[0].resetCode(of: 3) == .cancel }
        }
    }

    @Test func `a tunnel that both sides end is not reset`() async throws {
        // RFC 9113 §8.5: a proxy resets the TCP connection behind it, and may lose what was sent.
        let end = HTTP2FaultStep.onStream { [.data([UInt8](), stream: $0, endStream: true)] }
        try await run([.head(200), .readEnd, end], lingering: .hours(1)) { server, socket in
            try await socket.send("abc")
            try await server.wait("a frame of the client") { $0.requests.last?.bodyLength == 9 }
            socket.cancel()
            try await server.wait("the end of the stream") { $0.requests.last?.isWhole == true }
        } afterwards: { server in
            try await server.waitUntilClosed()
            #expect(server.requests[1].bodyLength == 9 + 8)
            #expect(server.connections.count == 1 && server.connections[0].resetCode(of: 3) == nil)
        }
    }

    @Test func `a server that does not end a closed tunnel has its stream reset`() async throws {
        try await run([.head(200)], lingering: .milliseconds(50)) { server, socket in
            try await socket.send("abc")
            try await server.wait("a frame of the client") { $0.requests.last?.bodyLength == 9 }
            socket.cancel()
            try await server.wait("the reset") { $0.connections[0].resetCode(of: 3) == .cancel }
            #expect(server.requests.last?.isWhole == true)
        }
    }

    @Test func `a server that goes on sending on a closed tunnel has its stream reset`() async throws {
        let steps: [HTTP2FaultStep] = [.head(200), .readEnd, .fill(0x61, blocks: 1000)]
        try await run(steps, lingering: .hours(1)) { server, socket in
            try await socket.send("abc")
            try await server.wait("a frame of the client") { $0.requests.last?.bodyLength == 9 }
            socket.cancel()
            try await server.wait("the reset") { $0.connections[0].resetCode(of: 3) == .cancel }
        }
    }

    @Test func `a WebSocket may be the first that a session sends over HTTP 2`() async throws {
        let script = HTTP2FaultServer.Script.heads { _ in
            [.head(200), .body([0x81, 2] + Array("hi".utf8), endStream: false)]
        }
        try await HTTP2FaultServer.run(script, options: .init(settings: Self.settings)) { server in
            try await withSession(.http2()) { session in
                let socket = session.webSocket(for: try Request(to: server.baseURL + "/chat"))
                try await socket.expect(.text("hi"))
                #expect(server.requests.map { $0.value(of: ":protocol") } == ["websocket"])
                socket.cancel()
            }
        }
    }

    @Test func `a server without tunnels is an error where HTTP 2 is required`() async throws {
        try await HTTP2FaultServer.run(.heads { _ in [.respond(body: "ok")] }) { server in
            try await withSession(.http2()) { session in
                for _ in 0..<2 {
                    let socket = session.webSocket(for: try Request(to: server.baseURL + "/chat"))
                    let error = try await networkingError { try await socket.receive() }
                    #expect(error.code == .unsupportedHTTPVersion, "\(error)")
                }
                _ = try await session.data(for: Request(to: server.baseURL))
            }
            #expect(server.requests.map(\.method) == ["GET"])
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a WebSocket on a new connection waits for the settings of the server`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            guard request.method == "CONNECT" else { return [.respond(body: "ok"), .goAway(lastStream: 1)] }
            return [.head(200), .body([0x81, 2] + Array("hi".utf8), endStream: false)]
        }
        try await HTTP2FaultServer.run(script, options: .init(settings: Self.settings)) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                try await server.waitUntilClosed()
                let socket = session.webSocket(for: try Request(to: server.baseURL + "/chat"))
                socket.resume()
                try await socket.expect(.text("hi"))
                #expect(server.connections.count == 2)
            }
        }
    }

    @Test func `settings that do not come end a WebSocket in its time`() async throws {
        let script = HTTP2FaultServer.Script.connections([
            [
                .send(.settings([(.enableConnectProtocol, 1)])), .readRequest, .respond(body: "ok"),
                .goAway(lastStream: 1),
            ],
            [.stall],
        ])
        try await HTTP2FaultServer.run(script, options: .init(settings: nil, acknowledges: false)) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                try await server.waitUntilClosed()
                let timeouts = Timeouts(firstByte: .milliseconds(300))
                let socket = session.webSocket(for: try Request(to: server.baseURL + "/chat", timeouts: timeouts))
                socket.resume()
                let error = try await networkingError { try await socket.receive() }
                #expect(error.code == .firstByteTimeout, "\(error)")
            }
        }
    }

    @Test func `the windows of a WebSocket that sends much are no flood`() async throws {
        // The server gives each window back for each frame.
        try await run([.head(200)]) { server, socket in
            for _ in 0..<6000 { try await socket.send("x") }
            try await server.wait("all frames") { $0.requests.last?.bodyLength == 6000 * 7 }
            #expect(server.connections.count == 1 && !server.connections[0].isClosed)
            socket.cancel()
        }
    }

    @Test func `a server that refuses a tunnel is an error with its response`() async throws {
        try await run([.respond(403, body: "no")]) { server, socket in
            let error = try await networkingError { for try await _ in socket {} }
            #expect(error.response?.statusCode == 403)
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a tunnel whose stream is reset ends with an error`() async throws {
        try await run([.head(200), .resetStream(.internalError)]) { _, socket in
            let error = try await networkingError { for try await _ in socket {} }
            #expect(error.code == .streamReset)
        }
    }

    @Test func `a WebSocket whose stream was reset is opened again`() async throws {
        let openings = Notes<String>()
        let script = HTTP2FaultServer.Script.heads { request in
            guard request.method == "CONNECT" else { return [.respond(body: "ok")] }
            openings.note(request.path)
            if openings.all.count == 1 { return [.head(200), .resetStream(.cancel)] }
            return [.head(200), .body([0x81, 2] + Array("hi".utf8), endStream: false)]
        }
        try await HTTP2FaultServer.run(script, options: .init(settings: Self.settings)) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                var options = WebSocketOptions()
                options.reconnection = WebSocketReconnection(backoff: RetryBackoff(first: .milliseconds(1)))
                let socket = session.webSocket(for: try Request(to: server.baseURL + "/chat"), options: options)
                try await socket.expect(.text("hi"))
                #expect(server.connections.count == 1)
                socket.cancel()
            }
        }
        #expect(openings.all == ["/chat", "/chat"])
    }

    @Test func `a field section on a tunnel resets it`() async throws {
        // RFC 9113 §8.5
        try await run([.head(200), .trailers([("a", "b")])]) { server, socket in
            let error = try await networkingError { for try await _ in socket {} }
            #expect(error.code == .protocolViolation, "\(error)")
            try await server.wait("the end of the stream") { record in
                record.connections[0].resetCode(of: 3) == .protocolError
            }
        }
    }

    @Test func `the end of a stream without a Close frame is the end of the WebSocket`() async throws {
        let hello: [UInt8] = [0x81, 2] + Array("hi".utf8)
        try await run([.head(200), .body(hello, endStream: true)]) { _, socket in
            try await socket.expect(.text("hi"))
            let error = try await networkingError { try await socket.receive() }
            #expect(error.code == .connectionLost)
        }
    }

    @Test(arguments: [true, false])
    func `what came before the end is read before it, and nothing is sent any more`(isInOrder: Bool) async throws {
        let frames = (0..<100).flatMap { WebSocketFrame.text("\($0)").bytes } + WebSocketFrame.close(1000).bytes
        let end: [HTTP2FaultStep] = isInOrder ? [] : [.resetStream(.internalError)]
        let steps: [HTTP2FaultStep] = [.head(200), .body(frames, endStream: isInOrder)] + end
        try await run(steps, receiveBuffer: 100) { _, socket in
            _ = try await socket.value
            // The server has ended the connection; that there is a Close frame is not read yet.
            let error = try await networkingError {
                while true { try await socket.send("late") }
            }
            #expect(error.code == (isInOrder ? .connectionLost : .streamReset))
            let all = try await socket.all()
            #expect(all == (0..<100).map { .text("\($0)") })
            #expect(socket.closure?.code == .normalClosure)
        }
    }
}
