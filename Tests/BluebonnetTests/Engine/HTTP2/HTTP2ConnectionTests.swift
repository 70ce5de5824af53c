import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Requests over HTTP/2, and what the frames of the server do to them.
@Suite(.timeLimit(.minutes(3)))
struct HTTP2ConnectionTests {
    private typealias Server = HTTP2FaultServer

    /// Runs with a server without TLS, and a session that knows that it speaks HTTP/2.
    private func run(
        _ script: HTTP2FaultServer.Script,
        settings: [WireFrame.Setting: UInt32]? = [:],
        _ change: (inout SessionConfiguration) -> Void = { _ in },
        _ work: (HTTP2FaultServer, SessionManager) async throws -> Void
    ) async throws {
        let configuration = SessionConfiguration {
            $0.httpVersions = .http2PriorKnowledge
            change(&$0)
        }
        try await Server.run(script, options: .init(settings: settings)) { server in
            try await withSession(configuration) { try await work(server, $0) }
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

    @Test func `the settings refuse pushed streams, and give streams 8 MiB`() async throws {
        try await run(Self.echoing) { server, session in
            _ = try await session.data(for: Request(to: server.baseURL))
            let settings = server.connections[0].settings
            #expect(settings[2] == 0 && settings[4] == 8 << 20)
        }
    }

    @Test func `many requests share one connection`() async throws {
        try await run(Self.echoing) { server, session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let response = try await session.data(for: Request(to: server.baseURL + "/\(number)"))
                        #expect(response.value == Data("GET /\(number) 0".utf8))
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.connections.count == 1)
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

    @Test func `a body of unknown length is sent`() async throws {
        try await run(Self.echoing) { server, session in
            let pieces = AsyncStream<Data> { stream in
                for _ in 0..<100 { stream.yield(Data(repeating: 97, count: 1000)) }
                stream.finish()
            }
            let request = try Request(.put, to: server.baseURL, body: .stream(pieces))
            let response = try await session.data(for: request)
            #expect(response.value == Data("PUT / 100000".utf8))
            #expect(server.requests[0].value(of: "content-length") == nil)
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
            #expect(!server.connections[0].frames(.windowUpdate).isEmpty)
        }
    }

    @Test func `a reader that takes nothing holds up its stream alone`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            request.path == "/large" ? [.head(), .fill(98, blocks: 1500)] : [.respond(body: "small")]
        }
        try await run(script) { server, session in
            let large = try await session.open(Request(to: server.baseURL + "/large"))
            for _ in 0..<20 {
                let small = try await session.data(for: Request(to: server.baseURL + "/small"))
                #expect(small.value == Data("small".utf8))
            }
            #expect(server.connections.count == 1 && server.connections[0].bodyBytesSent <= 16 << 20)
            let body = try await large.body.collect(upTo: 1500 * 16_384)
            #expect(body.count == 1500 * 16_384)
        }
    }

    @Test func `trailers and informational responses are handed over`() async throws {
        let script: HTTP2FaultServer.Script = [
            .readRequest, .head(103, [("link", "</a>")]), .head(), .body("x", endStream: false),
            .trailers([("x-sum", "1")]),
        ]
        try await run(script) { server, session in
            let response = try await session.open(Request(to: server.baseURL))
            #expect(response.informational.map(\.statusCode) == [103])
            let body = response.body
            #expect(try await body.collect() == Data("x".utf8))
        }
    }

    @Test func `a body waits for 100 Continue`() async throws {
        let script: HTTP2FaultServer.Script = [.readHead, .head(100), .readEnd, .respond(body: "ok")]
        try await run(script) { server, session in
            var request = try Request(.post, to: server.baseURL, body: .string("body"))
            request.expectsContinue = true
            let response = try await session.data(for: request)
            #expect(response.value == Data("ok".utf8) && server.requests[0].body == Array("body".utf8))
            #expect(server.requests[0].value(of: "expect") == "100-continue")
        }
    }

    @Test func `a request that is cancelled resets its stream, and the connection stays`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            request.path == "/stall" ? [.stall] : [.respond(body: "ok")]
        }
        try await run(script) { server, session in
            let task = session.dataTask(for: try Request(to: server.baseURL + "/stall"))
            task.resume()
            try await server.waitForHeads(1)
            task.cancel()
            _ = await task.result
            let response = try await session.data(for: Request(to: server.baseURL))
            #expect(response.value == Data("ok".utf8))
            #expect(server.connections.count == 1)
            #expect(server.connections[0].resetCode(of: 1) == .cancel)
        }
    }

    @Test func `a stream that was refused is sent again, whatever its method`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            request.number == 0 ? [.resetStream(.refusedStream)] : [.respond(body: "again")]
        }
        try await run(script) { server, session in
            let request = try Request(.post, to: server.baseURL, body: .string("body"))
            let response = try await session.data(for: request)
            #expect(response.value == Data("again".utf8) && response.retries == 1)
        }
    }

    @Test func `GOAWAY sends again what the server has not processed, and nothing else`() async throws {
        let gate = FaultGate()
        let script = HTTP2FaultServer.Script.heads { request in
            guard request.connection == 0 else { return [.respond(body: "second")] }
            switch request.stream {
            case 1: return [.hold(gate), .respond(body: "first")]
            case 3: return [.goAway(lastStream: 1)]
            default: return []
            }
        }
        try await run(script) { server, session in
            let processed = session.dataTask(for: try Request(.post, to: server.baseURL, body: .string("a")))
            processed.resume()
            try await server.waitForHeads(1)
            let other = try await session.data(for: Request(.post, to: server.baseURL, body: .string("b")))
            #expect(other.value == Data("second".utf8) && other.retries == 1)
            gate.open()
            #expect(try await processed.value == Data("first".utf8))
            #expect(server.requests.map(\.connection) == [0, 0, 1])
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `a connection that is lost before a response repeats idempotent requests only`(
        method: HTTPRequest.Method
    ) async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            request.connection == 0 && request.stream == 3 ? [.cut] : [.respond(body: "ok")]
        }
        try await run(script) { server, session in
            _ = try await session.data(for: Request(to: server.baseURL))
            let request = try Request(method, to: server.baseURL, body: method == .post ? .string("x") : nil)
            if method == .get {
                #expect(try await session.data(for: request).retries == 1)
            } else {
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .connectionLost)
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test(arguments: [1, 2, 5])
    func `no more streams are open than the server allows`(limit: UInt32) async throws {
        let script = HTTP2FaultServer.Script.requests { _ in [.wait(.milliseconds(5)), .respond(body: "ok")] }
        try await run(script, settings: [.maxConcurrentStreams: limit], { $0.maximumConnectionsPerHost = 1 }) {
            server,
            session in
            _ = try await session.data(for: Request(to: server.baseURL))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<30 {
                    group.addTask { _ = try await session.data(for: Request(to: server.baseURL)) }
                }
                try await group.waitForAll()
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a second connection is made where the limit is low and requests wait`() async throws {
        let gate = FaultGate()
        let script = HTTP2FaultServer.Script.requests { request in
            request.path == "/" ? [.respond(body: "ok")] : [.hold(gate), .respond(body: "ok")]
        }
        try await run(script, settings: [.maxConcurrentStreams: 1]) { server, session in
            _ = try await session.data(for: Request(to: server.baseURL))
            let tasks = try (0..<3).map { _ in session.dataTask(for: try Request(to: server.baseURL + "/held")) }
            tasks.forEach { $0.resume() }
            try await server.waitForHeads(4)
            #expect(server.connections.count == 3)
            gate.open()
            for task in tasks { _ = try await task.value }
        }
    }

    @Test(arguments: [
        (WireFrame.ErrorCode.internalError, NetworkingError.Code.streamReset),
        (.enhanceYourCalm, .streamReset), (.cancel, .streamReset),
    ])
    func `a stream that the server ends is an error with its code`(
        code: WireFrame.ErrorCode,
        expected: NetworkingError.Code
    ) async throws {
        try await run([.readRequest, .resetStream(code), .readRequest, .respond(body: "ok")]) { server, session in
            let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            #expect(error.code == expected)
            #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("ok".utf8))
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a malformed response ends its stream alone`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            request.path == "/bad" ? [.head(200, [("Bad", "1")])] : [.respond(body: "ok")]
        }
        try await run(script) { server, session in
            let error = try await networkingError { try await session.data(for: Request(to: server.baseURL + "/bad")) }
            #expect(error.code == .malformedHeader)
            #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("ok".utf8))
            #expect(server.connections.count == 1)
            #expect(server.connections[0].resetCode(of: 1) == .protocolError)
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
