import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `SessionManager.stream`, and bodies in memory.
@Suite(.timeLimit(.minutes(5)))
struct StreamingTests {
    @Test func `a session is not released while a body is read`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"), .hold(gate), .send("cd"),
        ]
        try await FaultServer.run(script) { server in
            func open() async throws -> TransportResponse {
                try await SessionManager().open(Request(to: server.baseURL))
            }
            let response = try await open()
            #expect(response.head.status == .ok)
            gate.open()
            let body = try await response.body.collect()
            #expect(body == Data("abcd".utf8))
        }
    }

    @Test func `the request timeout holds in the middle of a stream`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"),
            .drip(String(repeating: "a", count: 1000), every: .milliseconds(10)),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                var request = try Request(to: server.baseURL)
                request.timeouts = Timeouts(request: .seconds(2))
                // On a machine that is busy enough, the time may be over before the head is there.
                let error = try await networkingError { [request] in
                    try await session.open(request).body.collect()
                }
                #expect(error.code == .requestTimeout)
            }
        }
    }

    @Test func `cancelling the Swift task ends a stream that waits for its head`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let streaming = Task { try await session.open(request) }
                try await server.waitForRequests(1)
                streaming.cancel()
                let error = try await networkingError { try await streaming.value }
                #expect(error.code == .cancelled)
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test func `lines of a stream of JSON texts can be parsed one by one`() async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let response = try await session.open(Request(to: server.baseURL + "/stream/3"))
                var numbers: [Int?] = []
                for try await line in response.body.lines {
                    numbers.append(try JSONValue(parsing: line)["id"]?.int)
                }
                #expect(numbers == [0, 1, 2])
            }
        }
    }

    // MARK: Bodies in memory

    @Test func `a response body in memory is one piece, and none when it is empty`() async throws {
        var pieces: [Data] = []
        for try await piece in ResponseBody.data(Data("abc".utf8)) { pieces.append(piece) }
        #expect(pieces == [Data("abc".utf8)])
        for try await _ in ResponseBody.data(Data()) { Issue.record("an empty body has no pieces") }
    }

    @Test func `a response body in memory obeys the limit`() async throws {
        let body = ResponseBody.data(Data("abc".utf8))
        let whole = try await body.collect(upTo: 3)
        #expect(whole.count == 3)
        let error = try await networkingError { try await body.collect(upTo: 2) }
        #expect(error.code == .bodyTooLarge)
    }

    @Test func `a response body in memory has its trailers from the start`() {
        let body = ResponseBody.data(Data(), trailers: [.eTag: "x"])
        #expect(body.trailers[.eTag] == "x")
        #expect(ResponseBody.data(Data()).trailers.isEmpty)
    }
}
