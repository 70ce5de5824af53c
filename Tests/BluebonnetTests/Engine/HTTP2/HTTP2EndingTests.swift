import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// What a server has not processed is sent again, and nothing else is (RFC 9113 §6.8, §8.7).
@Suite(.timeLimit(.minutes(5)))
struct HTTP2EndingTests {
    /// On the first connection, the server takes a hundred requests, says that it will process the
    /// first fifty, and then does with each of those what the steps say. So many requests before
    /// these have an ordinary response.
    private static func goAway(after count: Int = 0, _ processed: HTTP2FaultStep) -> HTTP2FaultServer.Script {
        let gate = FaultGate()
        return .heads { request in
            guard request.connection == 0 else { return [.readEnd, .respond(body: "second")] }
            guard request.number >= count else { return [.respond()] }
            let steps: [HTTP2FaultStep] = request.number < count + 50 ? [.hold(gate), processed] : [.stall]
            guard request.number == count + 99 else { return steps }
            gate.open()
            // The first stream is 1: the fiftieth is 99.
            return [.goAway(lastStream: 2 * count + 99), .stall]
        }
    }

    private static func body(of method: HTTPRequest.Method) -> RequestBody? {
        method == .post ? .string("body") : nil
    }

    /// How often each path was requested.
    private static func counts(_ server: HTTP2FaultServer) -> [String: Int] {
        Dictionary(server.requests.map { ($0.path, 1) }, uniquingKeysWith: +)
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `a GOAWAY in the middle of a hundred requests loses none`(method: HTTPRequest.Method) async throws {
        try await HTTP2FaultServer.run(Self.goAway(.respond(body: "first"))) { server in
            try await withSession(.http2()) { session in
                let results = await bodies(of: 100, in: session) { index in
                    try Request(method, to: server.baseURL + "/\(index)", body: Self.body(of: method))
                }
                let texts = try results.map { try $0.get() }
                #expect(texts.count { $0 == "first" } == 50)
                #expect(texts.count { $0 == "second" } == 50)
                let counts = Self.counts(server)
                for (index, text) in texts.enumerated() {
                    #expect(counts["/\(index)"] == (text == "first" ? 1 : 2))
                }
            }
            #expect(server.connections.count == 2)
        }
    }

    @Test func `a connection lost after GOAWAY sends no request again that may have been processed`() async throws {
        let processed = HTTP2FaultStep.group([.wait(.milliseconds(50)), .cut])
        try await HTTP2FaultServer.run(Self.goAway(processed)) { server in
            try await withSession(.http2()) { session in
                let results = await bodies(of: 100, in: session) { index in
                    try Request(.post, to: server.baseURL + "/\(index)", body: .string("x"))
                }
                let counts = Self.counts(server)
                var failures = 0
                for (index, result) in results.enumerated() {
                    switch result {
                    case .success(let text):
                        #expect(text == "second" && counts["/\(index)"] == 2)
                    case .failure(let error):
                        failures += 1
                        #expect((error as? NetworkingError)?.code == .connectionLost, "\(error)")
                        #expect(counts["/\(index)"] == 1)
                    }
                }
                #expect(failures == 50)
            }
        }
    }

    @Test func `a connection lost after GOAWAY sends idempotent requests again`() async throws {
        let processed = HTTP2FaultStep.group([.wait(.milliseconds(50)), .cut])
        try await HTTP2FaultServer.run(Self.goAway(after: 1, processed)) { server in
            try await withSession(.http2()) { session in
                _ = try await session.data(for: Request(to: server.baseURL + "/first"))
                let results = await bodies(of: 100, in: session) { try Request(to: server.baseURL + "/\($0)") }
                for result in results { #expect(try result.get() == "second") }
                let counts = Self.counts(server)
                #expect((0..<100).allSatisfy { counts["/\($0)"] == 2 })
            }
        }
    }

    @Test func `a server that ends its connection in two steps loses no request`() async throws {
        // RFC 9113 §6.8: the first GOAWAY only announces the end.
        let (announced, decided) = (FaultGate(), FaultGate())
        let script = HTTP2FaultServer.Script.heads { request in
            guard request.connection == 0 else { return [.readEnd, .respond(body: "second")] }
            guard request.number == 2 else { return [.hold(decided), .respond(body: "first")] }
            return [
                .goAway(lastStream: 0x7FFF_FFFF), .send(.ping()), .hold(announced), .goAway(lastStream: 3), .stall,
            ]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let task = Task {
                    await bodies(of: 3, in: session) { index in
                        try Request(.post, to: server.baseURL + "/\(index)", body: .string("body"))
                    }
                }
                try await server.waitForFrame("a PING") { $0.kind == .ping && $0.flags.contains(.acknowledgement) }
                // No further stream begins there.
                let next = try await session.data(for: Request(.post, to: server.baseURL + "/3", body: .string("x")))
                #expect(next.value == Data("second".utf8) && next.retries == 0)
                announced.open()
                try await server.waitForHeads(5)
                decided.open()
                let texts = try await task.value.map { try $0.get() }
                #expect(texts.sorted() == ["first", "first", "second"])
                let counts = Self.counts(server)
                for (index, text) in texts.enumerated() { #expect(counts["/\(index)"] == (text == "first" ? 1 : 2)) }
            }
            #expect(server.connections.count == 2)
        }
    }

    @Test func `a refused stream is sent again, with any method`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            request.number == 0 ? [.resetStream(.refusedStream)] : [.readEnd, .respond(body: "taken")]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let request = try Request(.post, to: server.baseURL, body: .string("body"))
                let response = try await session.data(for: request)
                #expect(response.value == Data("taken".utf8))
                #expect(server.requests.map(\.isWhole).last == true)
                #expect(server.requests.last?.body == Array("body".utf8))
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: [WireFrame.ErrorCode.internalError, .cancel, .protocolError, .enhanceYourCalm])
    func `a stream that the server resets is an error, and is not sent again`(code: WireFrame.ErrorCode) async throws {
        try await HTTP2FaultServer.run(.requests { _ in [.resetStream(code)] }) { server in
            try await withSession(.http2()) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .streamReset, "\(error)")
            }
            #expect(server.requests.count == 1)
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a stream that is reset in the middle of its body is an error there`() async throws {
        let script = HTTP2FaultServer.Script.requests { _ in
            [.head(), .body("half", endStream: false), .resetStream(.internalError)]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let response = try await session.open(Request(to: server.baseURL))
                let error = try await networkingError { try await response.body.collect() }
                #expect(error.code == .streamReset, "\(error)")
            }
        }
    }

    @Test func `a complete response counts, whatever becomes of the rest of its request`() async throws {
        // RFC 9113 §8.1: the server may stop a request with NO_ERROR after its response.
        let script = HTTP2FaultServer.Script.heads { _ in [.respond(413, body: "enough"), .resetStream(.noError)] }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let endless = AsyncStream<[UInt8]>(unfolding: { [UInt8](repeating: 1, count: 16_384) })
                let request = try Request(.post, to: server.baseURL, body: .stream(endless))
                let response = try await session.data(for: request)
                #expect(response.head.statusCode == 413)
                #expect(response.value == Data("enough".utf8))
                #expect(try await session.data(for: Request(to: server.baseURL)).head.statusCode == 413)
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `a cancelled request resets its stream, and the connection goes on`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            request.path == "/endless" ? [.head(), .fill(1, blocks: .max)] : [.respond(body: "next")]
        }
        try await HTTP2FaultServer.run(script) { server in
            try await withSession(.http2()) { session in
                let task = Task { try await session.data(for: Request(to: server.baseURL + "/endless")) }
                try await server.wait("some content") { ($0.connections.first?.bodyBytesSent ?? 0) > 100_000 }
                task.cancel()
                try await server.waitForFrame("RST_STREAM") { $0.kind == .resetStream }
                #expect(server.connections[0].resetCode(of: 1) == .cancel)
                let error = try await networkingError { try await task.value }
                #expect(error.code == .cancelled)
                #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("next".utf8))
            }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `an idempotent request is sent again when an idle connection was lost`() async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            request.connection == 0 && request.number == 1
                ? [.cut] : [.readEnd, .respond(body: "\(request.connection)")]
        }
        for (method, isSentAgain) in [(HTTPRequest.Method.get, true), (.post, false)] {
            try await HTTP2FaultServer.run(script) { server in
                try await withSession(.http2()) { session in
                    _ = try await session.data(for: Request(to: server.baseURL))
                    let request = try Request(method, to: server.baseURL, body: Self.body(of: method))
                    if isSentAgain {
                        #expect(try await session.data(for: request).value == Data("1".utf8))
                    } else {
                        let error = try await networkingError { try await session.data(for: request) }
                        #expect(error.code == .connectionLost, "\(error)")
                    }
                }
                #expect(server.requests.count == (isSentAgain ? 3 : 2))
            }
        }
    }
}
