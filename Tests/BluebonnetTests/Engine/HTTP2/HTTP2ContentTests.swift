import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The content of responses over TLS, whose memory is used again for the next read.
@Suite(.timeLimit(.minutes(3)))
struct HTTP2ContentTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func run(
        _ script: HTTP2FaultServer.Script,
        _ work: (HTTP2FaultServer, SessionManager) async throws -> Void
    ) async throws {
        let tls = ServerTLS(certificates.localhost, applicationProtocols: ["h2"])
        try await HTTP2FaultServer.run(script, options: .init(tls: tls)) { server in
            try await withSession(SessionConfiguration(trusting: certificates.authority)) { session in
                try await work(server, session)
            }
        }
    }

    /// The pieces of a body, and the error that it ends with.
    private func pieces(of body: ResponseBody) async -> (pieces: [Data], error: NetworkingError?) {
        var pieces: [Data] = []
        do {
            for try await piece in body { pieces.append(piece) }
            return (pieces, nil)
        } catch {
            return (pieces, error)
        }
    }

    @Test func `what one read has for several streams is one piece for each of them`() async throws {
        let streams = [1, 3, 5]
        var frames: [WireFrame] = streams.map { .headers([(":status", "200")], stream: $0, endStream: false) }
        for number in UInt8(0)..<50 {
            frames.append(.data([number], stream: 1))
            frames.append(.data([number, number], stream: 3, padding: number))
            frames.append(.data([number, 0, number], stream: 5))
        }
        frames.append(.data([UInt8](), stream: 1, endStream: true))
        frames.append(.headers([("x-sum", "ok")], stream: 3, endStream: true))
        frames.append(.resetStream(.internalError, stream: 5))
        let script: HTTP2FaultServer.Script = [.readHead, .readHead, .readHead, .send(frames.flatMap(\.bytes))]
        try await run(script) { server, session in
            var opening: [Task<TransportResponse, any Error>] = []
            for count in 1...streams.count {
                opening.append(Task { try await session.open(Request(to: server.baseURL)) })
                try await server.waitForHeads(count)
            }
            let (first, second, third) = (
                try await pieces(of: opening[0].value.body), try await pieces(of: opening[1].value.body),
                try await pieces(of: opening[2].value.body)
            )
            #expect(first.pieces == [Data(0..<50)] && first.error == nil)
            #expect(second.pieces == [Data((UInt8(0)..<50).flatMap { [$0, $0] })] && second.error == nil)
            #expect(third.pieces == [Data((UInt8(0)..<50).flatMap { [$0, 0, $0] })])
            #expect(third.error?.code == .streamReset)
        }
    }

    @Test func `what came while a task was suspended is read behind other responses`() async throws {
        let gate = FaultGate()
        let script = HTTP2FaultServer.Script.requests { request in
            guard request.path == "/large" else { return [.respond(body: "small \(request.number)")] }
            return [.head(), .body("first", endStream: false), .hold(gate), .fill(7, blocks: 20)]
        }
        try await run(script) { server, session in
            let task = session.dataTask(for: try Request(to: server.baseURL + "/large"))
            task.resume()
            try await server.waitForHeads(1)
            task.suspend()
            gate.open()
            for number in 1...20 {
                let text = try await session.data(for: Request(to: server.baseURL)).text
                #expect(text == "small \(number)")
            }
            task.resume()
            let value = try await task.response.value
            #expect(value.prefix(5) == Data("first".utf8) && value.count == 5 + 20 * 16_384)
            #expect(value.dropFirst(5).allSatisfy { $0 == 7 })
        }
    }
}
