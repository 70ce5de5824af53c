import LocalServer
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CacheEndpointsTests {
    @Test(
        arguments: [
            ("If-None-Match", "\"x\"", 304), ("If-None-Match", "W/\"x\"", 304), ("If-None-Match", "\"a\", \"x\"", 304),
            ("If-None-Match", "*", 304), ("If-None-Match", "\"y\"", 200), ("If-Match", "\"x\"", 200),
            ("If-Match", "*", 200), ("If-Match", "\"y\"", 412), ("If-Match", "W/\"x\"", 412),
        ]
    )
    func `the etag endpoint compares the entity tag`(name: String, value: String, status: Int) async throws {
        try await LocalServer.run { server in
            let answer = try await Answer.fetch("/etag/x", headers: [(name, value)], from: server)
            #expect(answer.status == status)
            #expect(answer.value(of: "etag") == "\"x\"")
            #expect(answer.body.isEmpty == (status != 200))
        }
    }

    @Test func `the cache endpoint responds 304 to a condition`() async throws {
        try await LocalServer.run { server in
            let answer = try await Answer.fetch("/cache", from: server)
            #expect(answer.status == 200)
            let tag = try #require(answer.value(of: "etag"))
            let date = try #require(answer.value(of: "last-modified"))
            #expect(date.hasSuffix(" GMT") && date.count == 29)
            for field in [(name: "If-None-Match", value: tag), (name: "If-Modified-Since", value: date)] {
                #expect(try await Answer.fetch("/cache", headers: [field], from: server).status == 304)
            }
        }
    }

    @Test func `the cache endpoint sends a Cache-Control of so many seconds`() async throws {
        try await LocalServer.run { server in
            let answer = try await Answer.fetch("/cache/60", from: server)
            #expect(answer.value(of: "cache-control") == "public, max-age=60")
        }
    }

    @Test func `the response-headers endpoint sends the fields of the query`() async throws {
        try await LocalServer.run { server in
            let answer = try await Answer.fetch("/response-headers?X-A=1&X-B=2&X-B=3", from: server)
            #expect(answer.value(of: "x-a") == "1")
            #expect(answer.values(of: "x-b") == ["2", "3"])
            let object = try answer.object()
            #expect(object["X-B"] as? [String] == ["2", "3"])
            #expect(object["Content-Length"] as? String == answer.value(of: "content-length"))
            let typed = try await Answer.fetch("/response-headers?Content-Type=text/plain", from: server)
            #expect(typed.values(of: "content-type") == ["text/plain"])
            #expect(try await Answer.fetch("/response-headers?a%20b=1", from: server).status == 400)
        }
    }
}
