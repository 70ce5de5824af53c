import LocalServer
import NIOCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FaultServerTests {
    private static let get = "GET /path?q=1 HTTP/1.1\r\nHost: here\r\nX-Two: a\r\nx-two:  b \r\n\r\n"

    private func expectReset(_ connection: RawConnection) async {
        await #expect(throws: (any Error).self) {
            _ = try await connection.receiveAll()
        }
    }

    // MARK: Requests

    @Test func `a fault server records a request as it was sent`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "hello"), .close]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send(Self.get)
            let response = try await connection.receiveAllText()
            #expect(response == "HTTP/1.1 200 Scripted\r\nContent-Length: 5\r\n\r\nhello")
            let request = try #require(server.requests.first)
            #expect(request.headText == Self.get)
            #expect(request.requestLine == "GET /path?q=1 HTTP/1.1")
            #expect(request.method == "GET")
            #expect(request.target == "/path?q=1")
            #expect(request.value(of: "HOST") == "here")
            #expect(request.values(of: "x-two") == ["a", "b"])
            #expect(request.headers.map(\.name) == ["Host", "X-Two", "x-two"])
            #expect(server.connections.count == 1)
            #expect(server.connections[0].bytesReceived == Self.get.utf8.count)
            #expect(server.connections[0].bytesSent == response.utf8.count)
        }
    }

    @Test func `a fault script receives a whole body with a length before it responds`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok"), .close]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabc")
            try await server.wait("half a body") { $0.connections.first?.bytesReceived == 41 }
            #expect(server.requests.isEmpty)
            try await connection.send("def")
            _ = try await connection.receiveAll()
            #expect(server.requests[0].bodyText == "abcdef")
        }
    }

    @Test func `a fault server keeps a chunked body with and without its framing`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok"), .close]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            let body = "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n"
            try await connection.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
            _ = try await connection.receiveAll()
            let request = try #require(server.requests.first)
            #expect(request.bodyText == "abcde")
            #expect(request.rawBody == Array(body.utf8))
            #expect(request.trailers.map(\.name) == ["X-Sum"])
            #expect(request.trailers.map(\.value) == ["5"])
        }
    }

    @Test func `a fault script can respond to a head before the body has arrived`() async throws {
        let script: FaultServer.Script = [
            .readHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .readRequest, .respond(body: "done"), .close,
        ]
        try await FaultServer.run(script) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try await connection.receive() == "HTTP/1.1 100 Continue\r\n\r\n")
            #expect(server.requests.isEmpty)
            try await connection.send("ab")
            #expect(try await connection.receiveAllText().hasSuffix("done"))
            #expect(server.requests.map(\.bodyText) == ["ab"])
        }
    }

    @Test func `a fault script can wait for a number of bytes`() async throws {
        try await FaultServer.run([.readBytes(3), .send("three"), .close]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send("ab")
            try await connection.send("c")
            #expect(try await connection.receiveAllText() == "three")
        }
    }

    // MARK: Scripts

    @Test func `each connection follows its own fault script and the last one repeats`() async throws {
        let script = FaultServer.Script.connections([[.send("first"), .close], [.send("later"), .close]])
        try await FaultServer.run(script) { server in
            for expected in ["first", "later", "later"] {
                let connection = try await RawConnection.connect(port: server.port)
                #expect(try await connection.receiveAllText() == expected)
            }
            try await server.waitForConnections(3)
            try await server.waitForClosed(3)
        }
    }

    @Test func `a closure responds to each request of a connection that is kept alive`() async throws {
        let script = FaultServer.Script.requests { request in
            request.target == "/last" ? [.respond(404, body: "gone"), .close] : [.respond(body: request.target)]
        }
        try await FaultServer.run(script) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
            let expected = "HTTP/1.1 200 Scripted\r\nContent-Length: 2\r\n\r\n"
            let first = try await connection.receive(atLeast: 2 * (expected.count + 2))
            #expect(first == expected + "/a" + expected + "/b")
            try await connection.send("GET /last HTTP/1.1\r\n\r\n")
            #expect(try await connection.receiveAllText().hasPrefix("HTTP/1.1 404"))
            #expect(server.requests.map(\.target) == ["/a", "/b", "/last"])
            #expect(server.connections[0].requests.count == 3)
        }
    }

    @Test func `a fault script can start over`() async throws {
        try await FaultServer.run([.readRequest, .send("x"), .startOver]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            for _ in 0..<3 {
                try await connection.send(Self.get)
                #expect(try await connection.receive() == "x")
            }
            #expect(server.requests.count == 3)
        }
    }

    @Test func `a fault script that has ended leaves the connection open until the client closes it`() async throws {
        try await FaultServer.run([.send("x")]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            #expect(try await connection.receive() == "x")
            try await connection.send(Self.get)
            try await server.waitForRequests(1)
            #expect(!server.connections[0].isClosed)
            await connection.close()
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections[0].clientClosed)
        }
    }

    // MARK: Sending

    @Test func `a fault script sends bytes unchanged`() async throws {
        try await FaultServer.run([.send([0, 255, 13, 10]), .close]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            #expect(try await connection.receiveAll() == [0, 255, 13, 10])
        }
    }

    @Test func `a fault script's drip has a delay between two pieces`() async throws {
        let gate = FaultGate()
        let sent = Mutex<[(count: Int, time: ContinuousClock.Instant)]>([])
        let script: FaultServer.Script = [.hold(gate), .drip("abcde", pieces: 2, every: .milliseconds(40)), .close]
        try await FaultServer.run(script) { server in
            let connection = try await RawConnection.connect(port: server.port)
            // The server calls this whenever a number has changed, so the times are those of its
            // writes. The first call is that of the wait itself.
            try await server.wait("five bytes are sent") { record in
                let count = record.connections.first?.bytesSent ?? 0
                sent.withLock { if $0.last?.count != count { $0.append((count, .now)) } }
                gate.open()
                return count == 5
            }
            #expect(try await connection.receiveAllText() == "abcde")
        }
        let pieces = sent.withLock { $0 }
        #expect(pieces.map(\.count) == [0, 2, 4, 5])
        for (one, next) in zip(pieces.dropFirst(), pieces.dropFirst(2)) {
            #expect(next.time - one.time >= .milliseconds(40))
        }
    }

    @Test func `a fault script's fill sends its whole count`() async throws {
        let count = 1_000_003
        try await FaultServer.run([.fill(7, count: count), .close]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            let bytes = try await connection.receiveAll()
            #expect(bytes.count == count)
            #expect(bytes.allSatisfy { $0 == 7 })
            #expect(server.connections[0].bytesSent == count)
        }
    }

    @Test func `a fault script's endless fill ends when the client closes`() async throws {
        try await FaultServer.run([.fill(7, count: .max)]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            _ = try await connection.receive(atLeast: 1_000_000)
            await connection.close()
            try await server.waitUntilClosed(connection: 0)
        }
    }

    // MARK: Waiting

    @Test func `a gate holds a fault script until the test opens it`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.send("before"), .hold(gate), .send("after"), .close]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            #expect(try await connection.receive() == "before")
            // The server counts bytes after they were written, perhaps after the client has them.
            try await server.wait("six bytes are sent") { $0.connections[0].bytesSent == 6 }
            gate.open()
            #expect(try await connection.receiveAllText() == "after")
        }
    }

    @Test func `a fault script's wait lasts as long as it says`() async throws {
        try await FaultServer.run([.wait(.milliseconds(80)), .close]) { server in
            let start = ContinuousClock.now
            let connection = try await RawConnection.connect(port: server.port)
            _ = try await connection.receiveAll()
            #expect(ContinuousClock.now - start >= .milliseconds(80))
        }
    }

    @Test func `a fault script's stall ends when the client closes`() async throws {
        try await FaultServer.run([.readRequest, .stall, .send("never")]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send(Self.get)
            try await server.waitForRequests(1)
            try await connection.halfClose()
            #expect(try await connection.receiveAllText() == "")
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections[0].clientClosed)
        }
    }

    @Test func `a timeout of waiting for a fault server describes the connections`() async throws {
        try await FaultServer.run([.stall]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await server.waitForConnections(1)
            let error = await #expect(throws: FaultServer.WaitTimeout.self) {
                try await server.waitForRequests(1, timeout: .milliseconds(20))
            }
            #expect(error?.description.contains("#0: 0 requests") == true)
            await connection.close()
        }
    }

    @Test func `a cancelled wait for a fault server ends at once`() async throws {
        try await FaultServer.run([.stall]) { server in
            let task = Task { try await server.waitForRequests(1, timeout: .seconds(60)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    // MARK: Ending

    @Test func `a client sees a fault script's reset as an error, not as an end`() async throws {
        try await FaultServer.run([.readRequest, .reset]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            try await connection.send(Self.get)
            await expectReset(connection)
            try await server.waitUntilClosed(connection: 0)
            #expect(!server.connections[0].clientClosed)
        }
    }

    @Test func `a fault script can reset a connection before a request`() async throws {
        try await FaultServer.run([.reset]) { server in
            await #expect(throws: (any Error).self) {
                let connection = try await RawConnection.connect(port: server.port)
                _ = try await connection.receiveAll()
            }
        }
    }

    @Test func `after a half-close a fault server still reads`() async throws {
        try await FaultServer.run([.send("all"), .halfClose, .readRequest]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            #expect(try await connection.receiveAllText() == "all")
            try await connection.send(Self.get)
            try await server.waitForRequests(1)
            #expect(!server.connections[0].isClosed)
            await connection.close()
            try await server.waitUntilClosed(connection: 0)
        }
    }

    @Test(arguments: [FaultStep.close, .cut]) func `a fault script's close is an orderly end`(step: FaultStep)
        async throws
    {
        try await FaultServer.run([.send("x"), step]) { server in
            let connection = try await RawConnection.connect(port: server.port)
            #expect(try await connection.receiveAllText() == "x")
            try await server.waitUntilClosed(connection: 0)
        }
    }

    @Test func `shutting down a fault server ends open connections`() async throws {
        let server = try await FaultServer.start([.stall])
        let connection = try await RawConnection.connect(port: server.port)
        try await server.waitForConnections(1)
        await server.shutdown()
        #expect(try await connection.receiveAllText() == "")
    }
}
