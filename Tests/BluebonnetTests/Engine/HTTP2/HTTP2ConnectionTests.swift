import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Requests over HTTP/2, and what the frames of the server do to them.
@Suite(.timeLimit(.minutes(3)))
struct HTTP2ConnectionTests {
    /// Runs with a server without TLS, and a session that knows that it speaks HTTP/2.
    private func run(
        _ script: HTTP2FaultServer.Script,
        settings: [WireFrame.Setting: UInt32]? = [:],
        _ work: (HTTP2FaultServer, SessionManager) async throws -> Void
    ) async throws {
        try await HTTP2FaultServer.run(script, options: .init(settings: settings)) { server in
            try await withSession(.http2()) { try await work(server, $0) }
        }
    }

    private static let echoing = HTTP2FaultServer.Script.requests { request in
        [.respond(body: "\(request.method) \(request.path) \(request.bodyLength)")]
    }

    @Test func `a response over HTTP/2 is handed over with its version and its stream`() async throws {
        try await run(Self.echoing) { server, session in
            for stream in [1, 3] {
                let task = session.dataTask(for: try Request(to: server.baseURL + "/a"))
                task.resume()
                let response = try await task.response
                #expect(response.text == "GET /a 0")
                #expect(response.head.httpVersion == .http2 && response.timings.isConnectionReused == (stream == 3))
                let transaction = try #require(task.metrics?.transactions.first)
                #expect(transaction.protocolName == "h2" && transaction.streamIdentifier == stream)
            }
            #expect(server.connections.count == 1)
            #expect(server.requests.map(\.authority) == Array(repeating: "127.0.0.1:\(server.port)", count: 2))
        }
    }

    @Test func `the settings refuse pushed streams, and give streams 256 KiB`() async throws {
        try await run(Self.echoing) { server, session in
            _ = try await session.data(for: Request(to: server.baseURL))
            let settings = server.connections[0].settings
            #expect(settings[2] == 0 && settings[4] == 256 << 10)
        }
    }

    @Test(arguments: [0, 10, 60_000, 200_000, 3_000_000])
    func `a body is sent within the windows of the server`(length: Int) async throws {
        try await run(Self.echoing) { server, session in
            let request = try Request(.post, to: server.baseURL, body: .data(Data(repeating: 97, count: length)))
            let response = try await session.data(for: request)
            #expect(response.value == Data("POST / \(length)".utf8))
            #expect(server.requests[0].value(of: "content-length") == "\(length)")
        }
    }

    @Test func `a window of 0 stops a body, and settings let it go on`() async throws {
        let script: HTTP2FaultServer.Script = [
            .readHead, .send(.settings([(.initialWindowSize, 100_000)])), .readEnd, .respond(body: "all"),
        ]
        try await run(script, settings: [.initialWindowSize: 0]) { server, session in
            // The first request may be on its way before the settings have come.
            let request = try Request(.post, to: server.baseURL, body: .data(Data(repeating: 97, count: 90_000)))
            let response = try await session.data(for: request)
            #expect(response.value == Data("all".utf8))
        }
    }

    @Test func `a large body is received, and the windows are given back`() async throws {
        let blocks = 2000
        try await run([.readRequest, .head(), .fill(98, blocks: blocks), .startOver]) { server, session in
            let response = try await session.data(for: Request(to: server.baseURL))
            #expect(response.value.count == blocks * 16_384)
            #expect(server.connections[0].frames(.windowUpdate).contains { $0.stream == 1 })
        }
    }

    @Test func `informational responses are handed over`() async throws {
        let script: HTTP2FaultServer.Script = [.readRequest, .head(103, [("link", "</a>")]), .respond(body: "x")]
        try await run(script) { server, session in
            let link = try #require(HTTPField.Name("Link"))
            let response = try await session.open(Request(to: server.baseURL))
            #expect(response.informational.map(\.statusCode) == [103])
            #expect(response.informational.first?.headerFields[link] == "</a>")
            #expect(try await response.body.collect() == Data("x".utf8))
        }
    }

    @Test func `a change of priority is told while a request is under way`() async throws {
        let gate = FaultGate()
        try await run([.readRequest, .hold(gate), .respond(body: "ok")]) { server, session in
            let task = session.dataTask(for: try Request(to: server.baseURL))
            task.resume()
            try await server.waitForHeads(1)
            task.priority = .responsive
            try await until("the frame has come") {
                server.connections[0].frames.contains { $0.kind == .priorityUpdate }
            }
            let frame = try #require(server.connections[0].frames.first { $0.kind == .priorityUpdate })
            #expect(frame.payload == [0, 0, 0, 1] + Array("u=1".utf8))
            gate.open()
            _ = try await task.value
        }
    }

    @Test func `a server that has too much to do gets no repetition at once`() async throws {
        try await run(.requests { _ in [.goAway(lastStream: 0, .enhanceYourCalm)] }) { server, session in
            let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            #expect(error.code == .connectionLost && error.message.contains("ENHANCE_YOUR_CALM"), "\(error)")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a server that wants HTTP 1 ends the stream, and what follows goes there`() async throws {
        let script = HTTP2FaultServer.Script.requests { _ in [.resetStream(.http11Required)] }
        try await run(script) { server, session in
            // With prior knowledge there is no other version to go to.
            let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            #expect(error.code == .streamReset && error.message.contains("HTTP_1_1_REQUIRED"))
            // Nor is it sent again in vain.
            #expect(server.requests.count == 1)
        }
    }
}
