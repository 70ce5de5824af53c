import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
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
            let response = try await RawResponse.fetch("/etag/x", headers: [(name, value)], from: server)
            #expect(response.status == status)
            #expect(response.value(of: "etag") == "\"x\"")
            #expect(response.body.isEmpty == (status != 200))
        }
    }

    @Test func `the cache endpoint responds to a condition with 304`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/cache", from: server)
            #expect(response.status == 200)
            let tag = try #require(response.value(of: "etag"))
            let date = try #require(response.value(of: "last-modified"))
            #expect(date.hasSuffix(" GMT") && date.count == 29)
            for field in [(name: "If-None-Match", value: tag), (name: "If-Modified-Since", value: date)] {
                #expect(try await RawResponse.fetch("/cache", headers: [field], from: server).status == 304)
            }
        }
    }

    @Test func `the cache endpoint sends Cache-Control with the seconds of its path`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/cache/60", from: server)
            #expect(response.value(of: "cache-control") == "public, max-age=60")
        }
    }

    @Test func `the response-headers endpoint sends the fields of the query`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/response-headers?X-A=1&X-B=2&X-B=3", from: server)
            #expect(response.value(of: "x-a") == "1")
            #expect(response.values(of: "x-b") == ["2", "3"])
            let object = try response.object()
            #expect(object["X-B"] as? [String] == ["2", "3"])
            #expect(object["Content-Length"] as? String == response.value(of: "content-length"))
            let typed = try await RawResponse.fetch("/response-headers?Content-Type=text/plain", from: server)
            #expect(typed.values(of: "content-type") == ["text/plain"])
            #expect(try await RawResponse.fetch("/response-headers?a%20b=1", from: server).status == 400)
        }
    }
}
