import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// `bluebonnet ws` as a process.
@Suite(.timeLimit(.minutes(5))) struct WebSocketProcessTests {
    @Test func `lines are sent, and messages are printed`() async throws {
        try await WebSocketServer.run(WebSocketServer.echo) { server in
            let output = try await Command.run("ws", server.url, "--wait", "0", input: "one\ntwo\ngrüße")
            #expect(output.status == 0)
            #expect(output.text == "one\ntwo\ngrüße\n")
            #expect(output.errors == "bluebonnet: connected\nbluebonnet: closed with 1000 (normal closure)\n")
        }
    }

    @Test func `the server of the command sends messages back`() async throws {
        try await LocalServer.run { server in
            let url = server.baseURL + "/websocket"
            let output = try await Command.run("ws", url, "--subprotocol", "echo", input: "one\ntwo")
            #expect(output.status == 0)
            #expect(output.text == "one\ntwo\n")
            #expect(output.errors.contains("subprotocol echo"))
        }
    }

    @Test func `quiet says nothing but messages, and binary lines need not be text`() async throws {
        try await WebSocketServer.run { peer, _ in
            try await peer.open()
            let frame = try await peer.readFrame()
            try await peer.send(.text("opcode \(frame.opcode)"))
            try await peer.finish()
        } _: { server in
            let output = try await Command.run("ws", server.url, "--quiet", "--binary", "--wait", "0.3", input: "line")
            #expect(output.status == 0)
            #expect(output.text == "opcode 2\n")
            #expect(output.errors.isEmpty)
        }
    }

    @Test func `headers, query parameters and subprotocols are those of the arguments`() async throws {
        try await WebSocketServer.run { peer, _ in
            let request = try await peer.readRequest()
            try await peer.send(peer.response(["Sec-WebSocket-Protocol: b"]))
            let names = ["origin", "sec-websocket-protocol"]
            let fields = names.map { request.fields[$0] ?? "" }
            try await peer.send(.text(([request.line] + fields).joined(separator: "|")))
            try await peer.finish()
        } _: { server in
            let output = try await Command.run(
                "ws",
                server.url,
                "token==a b",
                "Origin:https://example.org",
                "--subprotocol",
                "a",
                "--subprotocol",
                "b"
            )
            #expect(output.text == "GET /?token=a%20b HTTP/1.1|https://example.org|a, b\n")
            #expect(output.errors.contains("subprotocol b"))
        }
    }

    @Test(arguments: [(404, 4), (503, 5), (200, 1)] as [(Int, Int32)])
    func `a refusal has the exit status of its response`(status: Int, exit: Int32) async throws {
        try await WebSocketServer.run { peer, _ in
            _ = try await peer.readRequest()
            try await peer.send(Array("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n".utf8))
            _ = try await peer.drain()
        } _: { server in
            let output = try await Command.run("ws", server.url, "--json-errors")
            #expect(output.status == exit)
            #expect(output.errors.contains("web-socket-refused"))
        }
    }

    @Test func `an end with an error is told, and is a failure`() async throws {
        try await WebSocketServer.run { peer, _ in
            try await peer.open()
            try await peer.send(.text("last"))
            try await peer.send(.close(1008, "no more"))
            _ = try await peer.drain()
        } _: { server in
            let output = try await Command.run("ws", server.url, "--stay")
            #expect(output.status == 1)
            #expect(output.text == "last\n")
            #expect(output.errors.contains("1008 (policy violation): no more"))
        }
    }

    @Test func `pings are shown with their round trip`() async throws {
        try await WebSocketServer.run { peer, _ in
            try await peer.open()
            for _ in 0..<2 {
                let frame = try await peer.readFrame()
                try await peer.send(.pong(frame.payload))
            }
            try await peer.send(.close(1000))
            _ = try await peer.drain()
        } _: { server in
            let output = try await Command.run("ws", server.url, "--stay", "--ping", "0.02")
            #expect(output.status == 0)
            #expect(output.errors.contains("pong after"))
        }
    }

    @Test func `pings go on after a reconnection, whose reason is told`() async throws {
        try await WebSocketServer.run { peer, number in
            try await peer.open()
            for _ in 0..<2 { try await peer.send(.pong(try await peer.readFrame().payload)) }
            if number == 1 { return }
            try await peer.send(.close(1000))
            _ = try await peer.drain()
        } _: { server in
            let output = try await Command.run("ws", server.url, "--stay", "--ping", "0.02", "--reconnect")
            #expect(output.status == 0)
            let parts = output.errors.components(separatedBy: "connected again")
            #expect(parts.count == 2 && parts.allSatisfy { $0.contains("pong after") }, "\(output.errors)")
            #expect(parts[0].contains("The next attempt is in "))
        }
    }

    @Test(arguments: [false, true])
    func `each opening that fails is told with the wait for the next one, unless quiet`(isQuiet: Bool) async throws {
        try await WebSocketServer.run { peer, number in
            if number == 1 {
                _ = try await peer.readRequest()
                return try await peer.send(Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8))
            }
            try await peer.open()
            try await peer.finish()
        } _: { server in
            let arguments = ["ws", server.url, "--reconnect", "--wait", "0"] + (isQuiet ? ["--quiet"] : [])
            let output = try await Command.run(arguments, input: "")
            #expect(output.status == 0)
            let told = "The server did not open it: the status is 503. The next attempt is in "
            #expect(output.errors.contains(told) == !isQuiet)
            if isQuiet { #expect(output.errors.isEmpty) }
        }
    }

    @Test func `verbose shows the heads and the connection of the opening, without secrets`() async throws {
        try await WebSocketServer.run(WebSocketServer.echo) { server in
            let output = try await Command.run(
                "ws",
                server.url,
                "-v",
                "--timings",
                "--wait",
                "0",
                "Authorization:Bearer secret",
                input: "line"
            )
            #expect(output.status == 0)
            #expect(output.text == "line\n")
            for text in ["GET / HTTP/1.1", "Upgrade: websocket", "HTTP/1.1 101 Switching Protocols", "connected"] {
                #expect(output.errors.contains(text), "\(output.errors)")
            }
            #expect(!output.errors.contains("secret"))
        }
    }

    @Test func `an archive has the opening, also where it was refused`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "opening-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        try await WebSocketServer.run { peer, _ in
            _ = try await peer.readRequest()
            try await peer.send(Array("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n".utf8))
            _ = try await peer.drain()
        } _: { server in
            let output = try await Command.run("ws", server.url, "--har", file.path)
            #expect(output.status == 4)
            #expect(try String(contentsOf: file, encoding: .utf8).contains("404"))
        }
    }
}
