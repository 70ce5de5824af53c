import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Bodies that are read while they arrive.
@Suite(.timeLimit(.minutes(5)))
struct ResponseBodyTests {
    private static let endless: FaultServer.Script = [
        .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .fill(7, count: .max),
    ]

    /// Reads at least this many bytes.
    private func read(_ count: Int, from iterator: inout ResponseBody.AsyncIterator) async throws -> Data {
        var bytes = Data()
        while bytes.count < count, let piece = try await iterator.next() { bytes.append(piece) }
        return bytes
    }

    @Test func `response body pieces arrive before the response ends`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst"), .hold(gate), .send("-last"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let response = try await session.open(Request(to: server.baseURL))
                #expect(response.head.status.code == 200)
                var iterator = response.body.makeAsyncIterator()
                let first = try await read(5, from: &iterator)
                #expect(first == Data("first".utf8))
                gate.open()
                let last = try await read(5, from: &iterator)
                #expect(last == Data("-last".utf8))
                let end = try await iterator.next()
                #expect(end == nil)
            }
        }
    }

    @Test func `the response head arrives before the body`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .hold(gate), .send("ok"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let response = try await session.open(Request(to: server.baseURL))
                gate.open()
                let body = try await response.body.collect()
                #expect(body == Data("ok".utf8))
            }
        }
    }

    @Test func `a response body that is not read slows the server down`() async throws {
        try await FaultServer.run(Self.endless) { server in
            try await withSession { session in
                let response = try await session.open(Request(to: server.baseURL))
                // The buffers of the two kernels and of the client are far smaller than this.
                let bound = 48 << 20
                let unread = try await settled { server.connections[0].bytesSent }
                #expect(unread < bound)
                var iterator = response.body.makeAsyncIterator()
                var taken = 0
                for _ in 0..<3 {
                    let before = server.connections[0].bytesSent
                    while taken < before {
                        let bytes = try await read(1 << 20, from: &iterator)
                        #expect(bytes.first == 7 && bytes.last == 7)
                        taken += bytes.count
                    }
                    try await server.wait("more is sent once there is room") { $0.connections[0].bytesSent > before }
                    let sent = try await settled { server.connections[0].bytesSent }
                    #expect(sent - taken < bound)
                }
            }
        }
    }

    @Test func `a response body that is dropped closes its connection`() async throws {
        try await FaultServer.run(Self.endless) { server in
            try await withEngine { session, engine in
                let status = try await session.open(Request(to: server.baseURL)).head.status
                #expect(status.code == 200)
                try await server.waitUntilClosed(connection: 0)
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
            }
        }
    }

    @Test func `a reader that stops in the middle of a body closes the connection`() async throws {
        try await FaultServer.run(Self.endless) { server in
            try await withSession { session in
                try await readSome(of: server.baseURL, in: session)
                try await server.waitUntilClosed(connection: 0)
            }
        }
    }

    private func readSome(of url: String, in session: SessionManager) async throws {
        var count = 0
        for try await piece in try await session.open(Request(to: url)).body {
            count += piece.count
            if count > 3 << 20 { break }
        }
    }

    @Test func `cancelling the task that reads a body ends the body`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .stall,
        ]
        try await FaultServer.run(script) { server in
            try await withEngine { session, engine in
                let request = try Request(to: server.baseURL)
                let (signal, continuation) = AsyncStream.makeStream(of: Void.self)
                let reader = Task {
                    for try await _ in try await session.open(request).body { continuation.finish() }
                }
                for await _ in signal {}
                reader.cancel()
                let error = try await networkingError { try await reader.value }
                #expect(error.code == .cancelled, "\(error)")
                try await server.waitUntilClosed(connection: 0)
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
            }
        }
    }

    @Test func `a fault in the middle of a body comes after the pieces before it`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                // When head and end arrive in one read, the call itself may already fail.
                let error = try await networkingError {
                    var iterator = try await session.open(Request(to: server.baseURL)).body
                        .makeAsyncIterator()
                    let half = try await read(4, from: &iterator)
                    #expect(half == Data("half".utf8))
                    _ = try await iterator.next()
                }
                #expect(error.code == .truncatedResponse, "\(error)")
            }
        }
    }

    @Test func `trailers are available once the body has been read`() async throws {
        let sum = try #require(HTTPField.Name("X-Sum"))
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .hold(gate),
            .send("0\r\nX-Sum: 532\r\n\r\n"), .startOver,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let response = try await session.open(Request(to: server.baseURL))
                #expect(response.body.trailers.isEmpty)
                gate.open()
                let body = try await response.body.collect()
                #expect(body == Data("hello".utf8))
                #expect(response.body.trailers[sum] == "532")
                let whole = try await session.data(for: Request(to: server.baseURL))
                #expect(whole.trailers[sum] == "532")
                #expect(whole.timings.isConnectionReused)
            }
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `informational responses are kept with the final one`(reading: ResponseReading) async throws {
        let link = try #require(HTTPField.Name("Link"))
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"),
            .respond(body: "ok"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let informational =
                    switch reading {
                    case .collected: try await session.data(for: request).informational
                    case .streamed: try await session.open(request).informational
                    }
                #expect(informational.map(\.status.code) == [100, 103])
                #expect(informational.last?[link] == "</a.css>")
            }
        }
    }

    @Test func `a body is split into lines, wherever its pieces end`() async throws {
        let text = "one\ntwo\r\n\r\nfo\u{F6}r\nlast"
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .drip(text, every: .milliseconds(2)), .close,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                var lines: [String] = []
                let response = try await session.open(Request(to: server.baseURL))
                for try await line in response.body.lines { lines.append(line) }
                #expect(lines == ["one", "two", "", "fo\u{F6}r", "last"])
            }
        }
    }

    @Test(arguments: ResponseReading.allCases)
    func `a response body above the memory limit is refused`(reading: ResponseReading) async throws {
        try await FaultServer.run(Self.endless) { server in
            let configuration = SessionConfiguration { $0.limits.bodyInMemory = 5 << 20 }
            try await withSession(configuration) { session in
                let request = try Request(to: server.baseURL)
                let error = try await networkingError {
                    switch reading {
                    case .collected: _ = try await session.data(for: request)
                    case .streamed: _ = try await session.open(request).body.collect(upTo: 5 << 20)
                    }
                }
                #expect(error.code == .bodyTooLarge, "\(error)")
                try await server.waitUntilClosed(connection: 0)
            }
        }
    }
}
