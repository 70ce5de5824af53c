import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// PINGs that find out whether a connection is alive, on the wire (RFC 9113 §6.7).
@Suite(.timeLimit(.minutes(3)))
struct HTTP2HealthCheckTests {
    private static func configuration(_ change: (inout HealthTimes) -> Void) -> SessionConfiguration {
        .http2 { change(&$0.healthTimes) }
    }

    @Test(arguments: [(TimeAmount.zero, 2), (.seconds(600), 0)])
    func `a connection that is used again after a pause is tested with a PING`(
        pause: TimeAmount,
        count: Int
    ) async throws {
        try await HTTP2FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession(Self.configuration { $0.pause = pause }) { session in
                for _ in 0..<2 {
                    let response = try await session.data(for: Request(to: server.baseURL))
                    #expect(response.value == Data("ok".utf8))
                }
            }
            #expect(server.connections.count == 1)
            #expect(server.connections[0].frames(.ping).count == count)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `a request on a dead connection is sent again if it is idempotent`(method: HTTPRequest.Method) async throws {
        let script = HTTP2FaultServer.Script.heads { request in
            // The second request finds a server that is gone.
            request.connection == 0 && request.number == 1 ? [] : [.readEnd, .respond(body: "\(request.connection)")]
        }
        let configuration = Self.configuration { times in
            times.pause = .zero
            times.patience = .seconds(1)
        }
        try await HTTP2FaultServer.run(script, options: .init(acknowledges: false)) { server in
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let request = try Request(method, to: server.baseURL, body: method == .post ? .string("x") : nil)
                if method == .get {
                    let response = try await session.data(for: request)
                    #expect(response.value == Data("1".utf8) && response.retries == 1)
                } else {
                    let error = try await networkingError { try await session.data(for: request) }
                    #expect(error.code == .connectionLost)
                    #expect(error.message.contains("is dead: a PING was not acknowledged within 1 second"), "\(error)")
                }
                try await server.waitUntilClosed()
            }
            #expect(server.requests.count == (method == .get ? 3 : 2))
        }
    }

    @Test func `a connection that acknowledges its PINGs waits for a slow response`() async throws {
        let gate = FaultGate()
        try await HTTP2FaultServer.run([.readRequest, .hold(gate), .respond(body: "late")]) { server in
            try await withSession(Self.configuration { $0.silence = .milliseconds(50) }) { session in
                let request = try Request(to: server.baseURL)
                let task = Task { try await session.data(for: request) }
                try await server.wait("three PINGs") { ($0.connections.first?.frames(.ping).count ?? 0) >= 3 }
                gate.open()
                #expect(try await task.value.value == Data("late".utf8))
            }
            #expect(server.connections.count == 1)
        }
    }
}
