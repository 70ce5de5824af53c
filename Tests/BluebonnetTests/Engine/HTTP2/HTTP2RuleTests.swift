import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Every rule that a client must check is checked, with the error that its section names.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2RuleTests {
    private static let configuration = SessionConfiguration { $0.httpVersions = .http2PriorKnowledge }

    /// Stream 1 has a response under way, the rule is about stream 3, and then stream 1 goes on.
    private static func script(_ rule: HTTP2Rule) -> HTTP2FaultServer.Script {
        var steps: [HTTP2FaultStep] = [.readRequest, .head(), rule.isUploading ? .readHead : .readRequest] + rule.steps
        switch rule.outcome {
        case .stream: steps.append(.readFrame(.resetStream))
        case .connection, .afterwards: steps.append(.stall)
        case .accepted: break
        }
        steps += [.send(.data("rest", stream: 1, endStream: true)), .readRequest, .respond(body: "next")]
        return .connections([steps, [.readRequest, .respond(body: "next")]])
    }

    @Test(arguments: HTTP2Rule.framing + HTTP2Rule.frames + HTTP2Rule.messages + HTTP2Rule.fields + HTTP2Rule.blocks)
    func `a client checks each rule of HTTP 2`(rule: HTTP2Rule) async throws {
        try await HTTP2FaultServer.run(Self.script(rule)) { server in
            try await withSession(Self.configuration) { session in
                let other = try await session.open(Request(to: server.baseURL + "/other"))
                let otherBody = Task { try await other.body.collect() }
                var request = try Request(to: server.baseURL + "/rule")
                let (body, end) = AsyncStream.makeStream(of: [UInt8].self)
                defer { end.finish() }
                request.method = rule.method
                if rule.isUploading { request.body = .stream(body) }
                switch rule.outcome {
                case .accepted(let text):
                    #expect(try await session.data(for: request).value == Data(text.utf8))
                    #expect(try await otherBody.value == Data("rest".utf8))
                case .afterwards(_, let code):
                    #expect(try await session.data(for: request).value == Data("ok".utf8))
                    let error = try await networkingError { try await otherBody.value }
                    #expect(error.code == code, "\(error)")
                case .stream(_, let code):
                    let error = try await networkingError { try await session.data(for: request) }
                    #expect(error.code == code, "\(error)")
                    #expect(error.request?.url == request.url)
                    #expect(try await otherBody.value == Data("rest".utf8))
                case .connection(_, let code):
                    for work in [{ _ = try await session.data(for: request) }, { _ = try await otherBody.value }] {
                        let error = try await networkingError(of: work)
                        #expect(error.code == code, "\(error)")
                    }
                }
                try await check(rule, server)
                let next = try await session.data(for: Request(to: server.baseURL + "/next"))
                #expect(next.value == Data("next".utf8))
            }
            #expect(server.connections.count == (rule.endsConnection ? 2 : 1))
        }
    }

    /// The server has learned of the fault.
    private func check(_ rule: HTTP2Rule, _ server: HTTP2FaultServer) async throws {
        switch rule.outcome {
        case .accepted: break
        case .stream(let code, _):
            #expect(server.connections[0].resetCode(of: HTTP2Rule.stream) == code)
            #expect(server.connections[0].goAwayCode == nil)
        case .connection(let code, _), .afterwards(let code, _):
            try await server.waitUntilClosed()
            #expect(server.connections[0].goAwayCode == code)
        }
    }

    @Test func `a connection whose first frame is not SETTINGS fails`() async throws {
        // RFC 9113 §3.4: the preface of a server is a SETTINGS frame.
        let script: HTTP2FaultServer.Script = [.readRequest, .send(.ping()), .stall]
        try await HTTP2FaultServer.run(script, options: .init(settings: nil)) { server in
            try await withSession(Self.configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .protocolViolation, "\(error)")
                try await server.waitUntilClosed()
                #expect(server.connections[0].goAwayCode == .protocolError)
            }
        }
    }

    @Test func `a server that speaks HTTP 1 to prior knowledge is an error`() async throws {
        try await FaultServer.run([.readBytes(24), .send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")]) {
            server in
            try await withSession(Self.configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code.family == .framing, "\(error)")
                try await server.waitUntilClosed()
            }
        }
    }
}

extension HTTP2Rule {
    fileprivate var endsConnection: Bool {
        switch outcome {
        case .connection, .afterwards: true
        case .stream, .accepted: false
        }
    }
}
