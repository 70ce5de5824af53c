import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SampleEndpointsTests {
    @Test(
        arguments: [
            ("/json", "application/json", "\"slideshow\""), ("/xml", "application/xml", "<?xml version"),
            ("/html", "text/html; charset=utf-8", "<h1>"), ("/robots.txt", "text/plain", "Disallow: /deny"),
            ("/deny", "text/plain", "Robots"), ("/encoding/utf8", "text/html; charset=utf-8", "∀x∈ℝ"),
            ("/", "text/html; charset=utf-8", "/anything"),
            ("/base64/Qmx1ZWJvbm5ldCDDvA", "text/html; charset=utf-8", "Bluebonnet ü"),
        ]
    )
    func `the sample endpoints send each document with its content type`(target: String, type: String, part: String)
        async throws
    {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch(target, from: server)
            #expect(response.status == 200)
            #expect(response.value(of: "content-type") == type)
            #expect(response.text.contains(part))
        }
    }

    @Test func `the sample image is a PNG`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/image/png", from: server)
            #expect(response.value(of: "content-type") == "image/png")
            #expect(Array(response.body.prefix(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            #expect(Array(response.body.suffix(8).prefix(4)) == Array("IEND".utf8))
        }
    }

    @Test func `the uuid endpoint returns a new UUID each time`() async throws {
        try await LocalServer.run { server in
            let first = try await RawResponse.fetch("/uuid", from: server).object()["uuid"] as? String
            #expect(first?.count == 36)
            #expect(try await RawResponse.fetch("/uuid", from: server).object()["uuid"] as? String != first)
        }
    }

    @Test func `the base64 endpoint refuses a text that is not base64`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/base64/!!", from: server)
            #expect(response.status == 400)
        }
    }
}
