import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(5)))
struct WebSocketTaskTests {
    // MARK: Messages

    @Test func `messages are sent and received in their order`() async throws {
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            for number in 0..<1000 {
                try await socket.send(number.isMultiple(of: 2) ? "\(number)" : .binary(Data([1])))
            }
            for number in 0..<1000 {
                let expected: WebSocketMessage = number.isMultiple(of: 2) ? .text("\(number)") : .binary(Data([1]))
                try await socket.expect(expected)
            }
            #expect(await socket.close().code == .normalClosure)
            try await socket.expect(nil)
            #expect(socket.state == .completed)
        }
    }

    @Test func `large messages go both ways`() async throws {
        let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            try await socket.send(.binary(bytes))
            try await socket.expect(.binary(bytes))
            let text = String(repeating: "κόσμε ", count: 100_000)
            try await socket.send(.text(text))
            try await socket.expect(.text(text))
            #expect(socket.currentProgress.download.completed >= 3_000_000)
        }
    }

    @Test func `messages and pings that come behind the response in one read are not lost`() async throws {
        try await withWebSocket(to: { peer, _ in
            _ = try await peer.readRequest()
            try await peer.send(peer.response() + WebSocketFrame.text("first").bytes + WebSocketFrame.ping([7]).bytes)
            let pong = try await peer.readFrame()
            try await peer.send(.text("\(pong.opcode) \(pong.payload)"))
            try await peer.finish()
        }) { socket in
            try await socket.expect(.text("first"))
            try await socket.expect(.text("10 [7]"))
            await socket.close()
        }
    }

    @Test func `a message is cut anywhere, and read all the same`() async throws {
        let frames = WebSocketFrame.text("whole").bytes + WebSocketFrame.close(1000).bytes
        try await withWebSocket(to: { peer, _ in
            _ = try await peer.readRequest()
            for byte in peer.response() + frames { try await peer.send([byte]) }
            try await peer.readClose()
        }) { socket in
            let all = try await socket.all()
            #expect(all == [.text("whole")])
        }
    }

    @Test func `the frames of the client are masked, and its text is UTF-8`() async throws {
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            let frame = try await peer.readFrame()
            #expect(frame.mask != nil && frame.isFinal && frame.opcode == 1 && frame.text == "grüße")
            try await peer.send(.text(frame.mask == nil ? "open" : "masked"))
            try await peer.finish()
        }) { socket in
            try await socket.send("grüße")
            try await socket.expect(.text("masked"))
            await socket.close()
        }
    }

    @Test func `a ping has its pong, with its payload`() async throws {
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            try await peer.send(.ping(Array(0..<125)))
            let pong = try await peer.readFrame()
            #expect(pong.opcode == 10 && pong.payload == Array(0..<125))
            try await peer.send(.text(pong.opcode == 10 ? "pong" : "other"))
            try await peer.finish()
        }) { socket in
            try await socket.expect(.text("pong"))
            await socket.close()
        }
    }

    @Test func `pings measure the round trip, several at once`() async throws {
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            #expect(try await socket.ping() > .zero)
            async let first = socket.ping()
            async let second = socket.ping()
            let times = try await [first, second]
            #expect(times.allSatisfy { $0 > .zero })
            await socket.close()
            await #expect(throws: NetworkingError.self) { try await socket.ping() }
        }
    }

    @Test func `several readers share the messages`() async throws {
        try await withWebSocket(to: { peer, _ in
            try await peer.open()
            for number in 0..<100 { try await peer.send(.text("\(number)")) }
            try await peer.close(1000)
        }) { socket in
            async let first = socket.all()
            async let second = socket.all()
            let all = try await first + second
            #expect(Set(all.compactMap(\.text)) == Set((0..<100).map(String.init)))
        }
    }

    // MARK: The opening

    @Test func `the opening request asks as the standard says, with the fields of the user`() async throws {
        let names = ["chat.v2", "chat.v1"]
        try await WebSocketServer.run { peer, _ in
            let request = try await peer.readRequest()
            let problems = [
                request.line == "GET / HTTP/1.1", request.fields["upgrade"] == "websocket",
                request.fields["connection"] == "Upgrade", request.fields["sec-websocket-version"] == "13",
                Data(base64Encoded: request.fields["sec-websocket-key"] ?? "")?.count == 16,
                request.fields["sec-websocket-protocol"] == "chat.v2, chat.v1",
                request.fields["sec-websocket-extensions"] == "permessage-deflate; client_max_window_bits",
                request.fields["x-user"] == "7", request.fields["content-length"] == nil,
            ]
            try await peer.send(peer.response(["Sec-WebSocket-Protocol: chat.v1"]))
            try await peer.send(.text(problems.map(String.init).joined(separator: " ")))
            try await peer.finish()
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                var request = Request(url: try #require(URL(string: server.url)))
                request.headerFields[try #require(HTTPField.Name("X-User"))] = "7"
                let socket = session.webSocket(for: request, protocols: names)
                let opening = try await socket.value
                #expect(opening.subprotocol == "chat.v1")
                #expect(opening.head.statusCode == 101)
                #expect(!opening.isCompressed && opening.number == 1)
                let answer = try await socket.receive()
                #expect(answer?.text?.contains("false") == false, "\(answer?.text ?? "")")
                #expect(session.webSocketTasks.count == 1 && session.tasks.count == 1)
                await socket.close()
                #expect(session.webSocketTasks.isEmpty)
                #expect(socket.metrics?.transactions.count == 1)
            }
        }
    }

    @Test func `each opening has another key`() async throws {
        let keys = Notes<String>()
        try await WebSocketServer.run { peer, _ in
            keys.note(try await peer.open().fields["sec-websocket-key"] ?? "")
            try await peer.finish()
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                for _ in 0..<5 {
                    let socket = try session.webSocket(to: server)
                    _ = try await socket.value
                    await socket.close()
                }
            }
        }
        #expect(Set(keys.all).count == 5)
    }

    @Test func `compression is agreed upon and used both ways`() async throws {
        let text = String(repeating: "compressible ", count: 1000)
        try await withWebSocket(to: { peer, _ in
            try await peer.open(["Sec-WebSocket-Extensions: permessage-deflate"])
            let frame = try await peer.readFrame()
            // What came goes back as it is: both directions have the same format.
            let isSmall = frame.reservedBits == 0b100 && frame.payload.count < text.utf8.count / 10
            if isSmall { try await peer.send(WebSocketFrame(1, frame.payload, reservedBits: 0b100)) }
            let short = try await peer.readFrame()
            if short.reservedBits == 0 { try await peer.send(.text(short.text)) }
            try await peer.finish()
        }) { socket in
            let opening = try await socket.value
            #expect(opening.isCompressed)
            try await socket.send(.text(text))
            try await socket.expect(.text(text))
            try await socket.send("short")
            try await socket.expect(.text("short"))
            await socket.close()
        }
    }

    @Test func `redirects are followed, also to the schemes of WebSockets`() async throws {
        try await WebSocketServer.run(WebSocketServer.echo) { target in
            try await WebSocketServer.run { peer, _ in
                _ = try await peer.readRequest()
                let head = "HTTP/1.1 302 Found\r\nLocation: \(target.url)\r\nContent-Length: 0\r\n\r\n"
                try await peer.send(Array(head.utf8))
                _ = try await peer.drain()
            } _: { server in
                try await withSession(SessionConfiguration()) { session in
                    let socket = try session.webSocket(to: server)
                    try await socket.send("moved")
                    try await socket.expect(.text("moved"))
                    await socket.close()
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `subprotocols are for the origin that they were meant for`(isSame: Bool) async throws {
        let seen = Notes<String?>()
        try await WebSocketServer.run { peer, _ in
            seen.note(try await peer.readRequest().fields["sec-websocket-protocol"])
            try await peer.send(peer.response(["Sec-WebSocket-Protocol: chat.v1"]))
            try await peer.finish()
        } _: { other in
            try await WebSocketServer.run { peer, number in
                let request = try await peer.readRequest()
                guard number > 1, isSame else {
                    let location = isSame ? "/moved" : other.url
                    let head = "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n"
                    try await peer.send(Array((head + "Connection: close\r\n\r\n").utf8))
                    return
                }
                seen.note(request.fields["sec-websocket-protocol"])
                try await peer.send(peer.response(["Sec-WebSocket-Protocol: chat.v1"]))
                try await peer.finish()
            } _: { server in
                try await withSession(SessionConfiguration()) { session in
                    let socket = try session.webSocket(to: server, protocols: ["chat.v1", "bearer.secret"])
                    if isSame {
                        let opening = try await socket.value
                        #expect(opening.subprotocol == "chat.v1")
                    } else {
                        // The server chooses one that it was not offered (RFC 6455 §4.1).
                        let error = try await networkingError { try await socket.value }
                        #expect(error.code == .webSocketRefused)
                    }
                }
            }
        }
        #expect(seen.all == [isSame ? "chat.v1, bearer.secret" : nil])
    }

    @Test func `cookies, credentials and interceptors are those of the session`() async throws {
        let seen = Notes<[String: String]>()
        try await WebSocketServer.run { peer, number in
            var request = try await peer.readRequest()
            if request.fields["authorization"] == nil {
                let head = """
                    HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="feed"\r\n\
                    Set-Cookie: visit=1\r\nContent-Length: 0\r\n\r\n
                    """
                try await peer.send(Array(head.utf8))
                request = try await peer.readRequest()
            }
            seen.note(request.fields)
            try await peer.send(peer.response())
            try await peer.finish()
        } _: { server in
            let configuration = SessionConfiguration { $0.cookieJar = CookieJar() }
            try await withSession(configuration) { session in
                var request = Request(url: try #require(URL(string: server.url)))
                request.credential = Credential(user: "mike", password: "secret")
                let socket = session.webSocket(for: request)
                _ = try await socket.value
                await socket.close()
            }
        }
        let fields = try #require(seen.all.last)
        #expect(fields["authorization"]?.hasPrefix("Basic ") == true)
        #expect(fields["cookie"] == "visit=1")
    }

    @Test func `TLS and its trust are those of the session`() async throws {
        let certificates = try TestCertificates.shared()
        let tls = ServerTLS(certificates.localhost, applicationProtocols: ["h2", "http/1.1"])
        try await WebSocketServer.run(tls: tls, WebSocketServer.echo) { server in
            try await withSession(SessionConfiguration(trusting: certificates.authority)) { session in
                let socket = try session.webSocket(to: server)
                try await socket.send("secure")
                try await socket.expect(.text("secure"))
                #expect(await socket.close().code == .normalClosure)
            }
            try await withSession(SessionConfiguration()) { session in
                let socket = try session.webSocket(to: server)
                let error = try await networkingError { try await socket.value }
                #expect(error.code.family == .trust)
            }
        }
    }

    // MARK: The task

    @Test func `reading, sending, pinging and awaiting each start the task`() async throws {
        try await WebSocketServer.run { peer, _ in
            try await peer.open()
            try await peer.send(.text("hello"))
            try await peer.finish()
        } _: { server in
            try await withSession(SessionConfiguration()) { session in
                let read = try session.webSocket(to: server)
                #expect(read.state == .suspended)
                try await read.expect(.text("hello"))
                let sent = try session.webSocket(to: server)
                try await sent.send("x")
                #expect(sent.state == .running)
                let awaited = try session.webSocket(to: server)
                _ = try await awaited.value
                for socket in [read, sent, awaited] { await socket.close() }
            }
        }
    }

    @Test func `a request that opens no WebSocket fails before it is sent`() async throws {
        try await withSession(SessionConfiguration()) { session in
            let url = try #require(URL(string: "ws://127.0.0.1:1/"))
            let post = session.webSocket(for: Request(method: .post, url: url))
            let postError = try await networkingError { try await post.value }
            #expect(postError.code == .invalidRequest)
            let names = session.webSocket(url, protocols: ["a b"])
            let namesError = try await networkingError { try await names.value }
            #expect(namesError.code == .invalidRequest)
            let twice = session.webSocket(url, protocols: ["a", "a"])
            let twiceError = try await networkingError { try await twice.value }
            #expect(twiceError.code == .invalidRequest)
        }
    }

    @Test func `progress counts the messages, and a task is told of as others are`() async throws {
        try await withWebSocket(to: WebSocketServer.echo) { socket in
            try await socket.send("12345")
            try await socket.expect(.text("12345"))
            #expect(socket.currentProgress.upload.completed == 5)
            #expect(socket.currentProgress.download.completed == 5)
            let completed = Notes<NetworkingError?>()
            socket.whenComplete { completed.note($0) }
            await socket.close()
            try await until("the end is told") { !completed.all.isEmpty }
            #expect(completed.all.first == .some(nil))
        }
    }
}
