import Foundation
import LocalServer
import Testing

/// curl is the client: it knows HTTP/2 from another library.
@Suite(.timeLimit(.minutes(5)), .needs("curl"))
struct HTTP2FaultServerTests {
    private func curl(_ server: HTTP2FaultServer, _ arguments: String...) async throws -> Program.Output {
        let options = ["-sS", "--insecure", "--max-time", "30", "--http2-prior-knowledge"]
        return try await Program.runBeside("curl", options + arguments + [server.baseURL + "/path"])
    }

    @Test(arguments: [false, true])
    func `a scripted response reaches a client, with and without TLS`(secure: Bool) async throws {
        let tls = secure ? ServerTLS(try TestCertificates.shared().localhost) : nil
        let script: HTTP2FaultServer.Script = [.readRequest, .respond(200, [("x-field", "1")], body: "scripted")]
        try await HTTP2FaultServer.run(script, options: .init(tls: tls)) { server in
            let output = try await curl(server, "-i")
            #expect(output.status == 0, "\(output.text)")
            #expect(output.text.hasPrefix("HTTP/2 200") && output.text.contains("x-field: 1"))
            #expect(output.text.hasSuffix("scripted"))
            try await server.waitUntilClosed()
            let connection = server.connections[0]
            #expect(connection.hasPreface && connection.clientClosed)
            #expect(connection.applicationProtocol == (secure ? "h2" : nil))
            #expect(connection.requests.map(\.path) == ["/path"] && connection.requests[0].isWhole)
        }
    }

    @Test func `a scripted reset is the client's error`() async throws {
        try await HTTP2FaultServer.run([.readHead, .resetStream(.internalError)]) { server in
            let output = try await curl(server)
            #expect(output.status == 92 && output.text.contains("INTERNAL_ERROR"), "\(output.text)")
        }
    }

    @Test func `a request with a body is recorded, and its window is given back`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            [.respond(body: "\(request.bodyLength) \(request.method)")]
        }
        try await HTTP2FaultServer.run(script) { server in
            let body = String(repeating: "0123456789", count: 20_000)
            let file = FileManager.default.temporaryDirectory.appending(path: "h2-\(UUID().uuidString)")
            try Data(body.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let output = try await curl(server, "--data-binary", "@\(file.path)")
            #expect(output.text == "200000 POST")
            #expect(server.requests[0].body == Array(body.utf8))
        }
    }

    @Test func `a body larger than the client's window is sent whole`() async throws {
        let script: HTTP2FaultServer.Script = [.readRequest, .head(), .fill(120, blocks: 3000)]
        try await HTTP2FaultServer.run(script) { server in
            let output = try await curl(server, "-o", "/dev/null", "-w", "%{size_download}")
            #expect(output.text == "\(3000 * 16_384)")
            #expect(server.connections[0].bodyBytesSent == 3000 * 16_384)
        }
    }

    @Test func `a padded body larger than the client's window is sent whole`() async throws {
        let script: HTTP2FaultServer.Script = [.readRequest, .head(), .padded(120, times: 50_000)]
        try await HTTP2FaultServer.run(script) { server in
            let output = try await curl(server, "-o", "/dev/null", "-w", "%{size_download}")
            #expect(output.text == "50000")
        }
    }

    @Test func `a script waits for frames of the client`() async throws {
        let script: HTTP2FaultServer.Script = [
            .readRequest, .send(.ping(7)), .readFrame { $0.kind == .ping && $0.flags.contains(.acknowledgement) },
            .send(.settings([(.maxConcurrentStreams, 1)])),
            .readFrame { $0.kind == .settings && $0.flags.contains(.acknowledgement) }, .respond(204),
        ]
        try await HTTP2FaultServer.run(script) { server in
            let output = try await curl(server, "-i")
            #expect(output.text.hasPrefix("HTTP/2 204"), "\(output.text)")
            #expect(server.connections[0].frames(.ping).map(\.payload) == [[0, 0, 0, 0, 0, 0, 0, 7]])
        }
    }

    @Test func `the steps of two requests run beside each other`() async throws {
        let gate = FaultGate()
        let script = HTTP2FaultServer.Script.heads { request in
            if request.stream == 3 { gate.open() }
            return request.stream == 1 ? [.hold(gate), .respond(body: "first")] : [.respond(body: "second")]
        }
        try await HTTP2FaultServer.run(script) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            let fields = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "x")]
            let frames = [WireFrame.settings()] + [1, 3].map { .headers(fields, stream: $0, endStream: true) }
            try await connection.send(frames.flatMap(\.bytes))
            var text = ""
            while !text.contains("first"), let more = try await connection.receive() { text += more }
            #expect(text.firstRange(of: "second") != nil)
        }
    }
}
