import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Streams that were reset, and the frames that still come on them (RFC 9113 §5.1, §5.4.2).
@Suite(.timeLimit(.minutes(3)))
struct HTTP2ResetTests {
    /// Cancels a request on its own stream, and returns when the server knows.
    private func cancelRequest(in session: SessionManager, _ server: HTTP2FaultServer) async throws {
        let count = server.requests.count
        let request = try Request(to: server.baseURL + "/cancelled")
        let task = Task { try await session.data(for: request) }
        try await server.waitForHeads(count + 1)
        let stream = try #require(server.requests.last?.stream)
        task.cancel()
        try await server.waitForFrame("RST_STREAM") { $0.kind == .resetStream && $0.stream == stream }
        #expect(server.connections[0].resetCode(of: stream) == .cancel)
        let error = try await networkingError { try await task.value }
        #expect(error.code == .cancelled)
    }

    private static let readReset = HTTP2FaultStep.readFrame(.resetStream)

    @Test func `the field section on a stream that was reset fills the table`() async throws {
        // RFC 9113 §4.3: the state of the decoder belongs to the connection.
        let script = HTTP2FaultServer.Script.heads { request in
            request.path == "/cancelled"
                ? [
                    Self.readReset,
                    .onStream { stream in
                        let block = [0x88] + HeaderBlock.indexed([("x-field", "value")])
                        return [.headers(block: block, stream: stream), .data("late", stream: stream, endStream: true)]
                    },
                ]
                : [.onStream { [.headers(block: [0x88, 0xBE], stream: $0, endStream: true)] }]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                try await cancelRequest(in: session, server)
                let name = try #require(HTTPField.Name("X-Field"))
                let response = try await session.data(for: Request(to: server.baseURL + "/next"))
                #expect(response.headerFields[name] == "value")
                #expect(response.value.isEmpty)
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `content on streams that were reset comes back to the window of the connection`() async throws {
        // RFC 9113 §5.1: such DATA counts for the window of the connection. Each of the
        // streams has its whole window, together more than the quarter of that of the connection
        // after which it is given back.
        let blocks = HTTP2WindowBudget.first / 16_384
        let count = HTTP2FrameHandler.connectionWindow / 4 / HTTP2WindowBudget.first + 1
        let script = HTTP2FaultServer.Script.heads { request in
            request.path == "/cancelled"
                ? [Self.readReset, .head(), .fill(1, blocks: blocks)] : [.respond(body: "next")]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                for _ in 0..<count { try await cancelRequest(in: session, server) }
                try await server.wait("a WINDOW_UPDATE of the connection") { record in
                    // The first one is part of the preface.
                    record.connections[0].frames(.windowUpdate).count { $0.stream == 0 } == 2
                }
                #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("next".utf8))
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `late responses to hundreds of cancelled requests leave the connection to the others`() async throws {
        let count = HTTP2FrameHandler.StateMachine.mostReset + 100
        let script = HTTP2FaultServer.Script.heads { request in
            switch request.path {
            // It brings the settings, on stream 1.
            case "/first": [.respond()]
            case "/cancelled": [Self.readReset]
            default:
                [
                    .onStream { stream in
                        stride(from: 3, to: stream, by: 2).map { .headers(block: [0x88], stream: $0, endStream: true) }
                    },
                    .respond(body: "next"),
                ]
            }
        }
        let options = HTTP2FaultServer.Options(settings: [.maxConcurrentStreams: UInt32(2 * count)])
        let configuration = SessionConfiguration.http2 {
            $0.maximumConnectionsPerHost = 1
            // On a busy machine it takes long until all of them are there.
            $0.timeouts = Timeouts(waiting: nil, firstByte: nil, betweenBytes: nil)
        }
        try await HTTP2FaultServer.run(script, options: options) { server in
            let url = server.baseURL
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: url + "/first"))
                let task = Task { await bodies(of: count, in: session) { _ in try Request(to: url + "/cancelled") } }
                try await server.waitForHeads(1 + count, timeout: .seconds(120))
                task.cancel()
                try await server.wait("all streams are reset", timeout: .seconds(120)) { record in
                    let connection = record.connections[0]
                    // Counted where there may be enough of them.
                    return connection.frames.count > 2 * count && connection.frames(.resetStream).count == count
                }
                _ = await task.value
                #expect(try await session.data(for: Request(to: url)).value == Data("next".utf8))
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test(arguments: [false, true])
    func `a stream that the server resets is not reset again`(isUploading: Bool) async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            request.path == "/reset" ? [.head(), .resetStream(.internalError)] : [.respond(body: "next")]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                var request = try Request(to: server.baseURL + "/reset")
                if isUploading {
                    let endless = AsyncStream<[UInt8]>(unfolding: { [UInt8](repeating: 1, count: 16_384) })
                    request.method = .post
                    request.body = .stream(endless)
                }
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .streamReset, "\(error)")
                #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("next".utf8))
            }
            #expect(server.connections[0].frames(.resetStream).isEmpty)
            #expect(server.connections.count == 1)
        }
    }

    @Test(arguments: [WireFrame.ErrorCode.enhanceYourCalm, .internalError, .cancel])
    func `a request whose stream the server resets is sent again by the policy`(_ code: WireFrame.ErrorCode)
        async throws
    {
        let script = HTTP2FaultServer.Script.heads { request in
            request.number == 0
                ? [.head(), .body("ha", endStream: false), .resetStream(code)] : [.respond(body: "whole")]
        }
        try await HTTP2FaultServer.run(script) { server in
            let configuration = SessionConfiguration.http2 {
                $0.retryPolicy = .standard
                $0.retryPolicy?.backoff = RetryBackoff(first: .zero)
            }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.value == Data("whole".utf8))
                #expect(response.retries == 1)
            }
            #expect(server.requests.map(\.method) == ["GET", "GET"])
        }
    }

    @Test func `an event stream whose stream the server resets connects again`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            request.number == 0
                ? [
                    .head(200, [("content-type", "text/event-stream")]),
                    .body("retry: 0\nid: 7\ndata: a\n\n", endStream: false), .resetStream(.internalError),
                ] : [.respond(204)]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                var texts: [String] = []
                for try await event in api.stream("/").serverSentEvents(reconnects: true) { texts.append(event.data) }
                #expect(texts == ["a"])
            }
            #expect(server.requests.map { $0.value(of: "last-event-id") } == [nil, "7"])
        }
    }

    @Test func `an upload whose stream the server resets goes on where the server is`() async throws {
        let version = ("upload-draft-interop-version", "6")
        let script = HTTP2FaultServer.Script.heads { request in
            switch request.method {
            case "POST":
                [
                    .head(104, [version, ("location", "/uploads/1")]), .readFrame(.data),
                    .resetStream(.internalError),
                ]
            case "HEAD":
                [.respond(204, [version, ("upload-offset", "3"), ("upload-complete", "?0")])]
            default: [.readEnd, .respond(201, [version, ("upload-complete", "?1")])]
            }
        }
        try await HTTP2FaultServer.run(script) { server in
            let configuration = SessionConfiguration.http2 { $0.pauseOfUpload = { _ in .zero } }
            try await withSession(configuration) { session in
                let request = try Request(.post, to: server.baseURL + "/", body: .data(Data("012345".utf8)))
                _ = try await session.uploadTask(for: request).value
            }
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(server.requests.last?.body == Array("345".utf8))
        }
    }
}
