import Foundation
import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamEndpointsTests {
    @Test func `the stream endpoint sends lines of JSON in chunks`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/stream/3?x=1", from: server)
            #expect(response.value(of: "transfer-encoding") == "chunked")
            let lines = response.text.split(separator: "\n")
            #expect(lines.count == 3)
            for (index, line) in lines.enumerated() {
                let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                #expect(object["id"] as? Int == index)
                #expect(object["args"] as? [String: String] == ["x": "1"])
            }
        }
    }

    @Test func `server-sent events go on behind the one that was seen last`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/sse?count=2&delay=0", from: server)
            #expect(response.value(of: "content-type") == "text/event-stream")
            #expect(
                response.text == """
                    id: 0
                    event: tick
                    data: {"id": 0, "left": 1}

                    id: 1
                    event: tick
                    data: {"id": 1, "left": 0}


                    """
            )
            let seen = [("Last-Event-ID", "0")]
            let rest = try await RawResponse.fetch("/sse?count=2&delay=0", headers: seen, from: server)
            #expect(rest.text.hasPrefix("id: 1\n"))
            let end = [("Last-Event-ID", "\(Int.max)")]
            #expect(try await RawResponse.fetch("/sse?count=2&delay=0", headers: end, from: server).body.isEmpty)
            #expect(try await RawResponse.fetch("/sse?count=-1", from: server).status == 400)
        }
    }

    @Test func `the bytes endpoints send the same bytes for the same seed, in any chunks`() async throws {
        try await LocalServer.run { server in
            let whole = try await RawResponse.fetch("/bytes/100000?seed=7", from: server)
            #expect(whole.body.count == 100_000)
            #expect(whole.value(of: "content-length") == "100000")
            let chunked = try await RawResponse.fetch("/stream-bytes/100000?seed=7&chunk_size=777", from: server)
            #expect(chunked.value(of: "transfer-encoding") == "chunked")
            #expect(chunked.body == whole.body)
            #expect(try await RawResponse.fetch("/bytes/100000?seed=8", from: server).body != whole.body)
            #expect(try await RawResponse.fetch("/bytes/0", from: server).body.isEmpty)
        }
    }

    @Test(arguments: ["/bytes/x", "/bytes/-1", "/stream/x", "/delay/x", "/delay/-1"])
    func `a path with an invalid count is not found`(target: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch(target, from: server)
            #expect(response.status == 404)
        }
    }

    @Test(arguments: [
        "/drip?delay=1e30", "/drip?duration=1e30", "/drip?delay=inf", "/drip?duration=nan", "/range/9?duration=1e30",
    ])
    func `a time that no clock can wait for is refused`(target: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch(target, from: server)
            #expect(response.status == 400)
        }
    }

    @Test func `the drip endpoint sends the first byte before it waits for the next one`() async throws {
        try await LocalServer.run { server in
            let connection = try await RawConnection.connect(port: server.port)
            // The second byte is sent after half an hour, when the test has failed.
            try await connection.send("GET /drip?numbytes=2&duration=3600 HTTP/1.1\r\nHost: x\r\n\r\n")
            var text = ""
            while !text.hasSuffix("\r\n\r\n*"), let piece = try await connection.receive() { text += piece }
            #expect(text.hasPrefix("HTTP/1.1 200 "))
            #expect(text.hasSuffix("\r\n\r\n*"))
        }
    }

    @Test func `the drip endpoint takes as long as its delay and duration say`() async throws {
        try await LocalServer.run { server in
            let clock = ContinuousClock()
            let start = clock.now
            let response = try await RawResponse.fetch(
                "/drip?numbytes=5&duration=0.1&delay=0.05&code=206",
                from: server
            )
            #expect(clock.now - start >= .milliseconds(120))
            #expect(response.status == 206)
            #expect(response.value(of: "content-length") == "5")
            #expect(response.text == "*****")
            #expect(try await RawResponse.fetch("/drip?numbytes=0", from: server).status == 400)
            #expect(try await RawResponse.fetch("/drip?duration=soon", from: server).status == 400)
        }
    }

    @Test(arguments: ["GET", "POST"]) func `the delay endpoint accepts fractions of a second`(method: String)
        async throws
    {
        try await LocalServer.run { server in
            let clock = ContinuousClock()
            let start = clock.now
            let response = try await RawResponse.fetch("/delay/0.1", method: method, from: server)
            #expect(clock.now - start >= .milliseconds(100))
            #expect(response.status == 200)
            #expect(
                Set(try response.object().keys) == ["args", "data", "files", "form", "headers", "origin", "url"]
            )
        }
    }
}
