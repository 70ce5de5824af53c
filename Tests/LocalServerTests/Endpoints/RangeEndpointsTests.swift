import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RangeEndpointsTests {
    @Test func `the range endpoint repeats the alphabet`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/range/30", from: server)
            #expect(response.status == 200)
            #expect(response.text == "abcdefghijklmnopqrstuvwxyzabcd")
            #expect(response.value(of: "etag") == "\"range30\"")
            #expect(response.value(of: "accept-ranges") == "bytes")
            #expect(response.value(of: "last-modified") != nil)
        }
    }

    @Test(
        arguments: [
            ("bytes=0-3", "abcd", "bytes 0-3/26"), ("bytes=23-", "xyz", "bytes 23-25/26"),
            ("bytes=-2", "yz", "bytes 24-25/26"), ("bytes=-100", "abcdefghijklmnopqrstuvwxyz", "bytes 0-25/26"),
            ("bytes=24-99", "yz", "bytes 24-25/26"), ("bytes=5-5", "f", "bytes 5-5/26"),
        ]
    )
    func `the range endpoint sends a part for a range`(range: String, text: String, contentRange: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/range/26", headers: [("Range", range)], from: server)
            #expect(response.status == 206)
            #expect(response.text == text)
            #expect(response.value(of: "content-range") == contentRange)
            #expect(response.value(of: "content-length") == "\(text.count)")
        }
    }

    @Test(arguments: ["bytes=26-", "bytes=30-40", "bytes=-0"])
    func `the range endpoint refuses a range outside of the body`(range: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/range/26", headers: [("Range", range)], from: server)
            #expect(response.status == 416)
            #expect(response.value(of: "content-range") == "bytes */26")
        }
    }

    @Test(arguments: ["bytes=3-1", "lines=1-2", "bytes=a-b", "bytes=-", "bytes=0-1,3-4"])
    func `the range endpoint ignores an invalid range`(range: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/range/26", headers: [("Range", range)], from: server)
            #expect(response.status == 200)
            #expect(response.body.count == 26)
        }
    }

    @Test(
        arguments: [
            ("\"range26\"", 206), ("\"other\"", 200), ("W/\"range26\"", 200), ("Mon, 02 Jan 2023 03:04:05 GMT", 206),
            ("Tue, 03 Jan 2023 03:04:05 GMT", 200),
        ]
    )
    func `the range endpoint sends a part for If-Range only when the validator matches`(validator: String, status: Int)
        async throws
    {
        try await LocalServer.run { server in
            let headers = [(name: "Range", value: "bytes=0-3"), (name: "If-Range", value: validator)]
            let response = try await RawResponse.fetch("/range/26", headers: headers, from: server)
            #expect(response.status == status)
        }
    }

    @Test func `the range endpoint responds to HEAD with the length and no body`() async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/range/26", method: "HEAD", from: server)
            #expect(response.status == 200)
            #expect(response.value(of: "content-length") == "26")
            #expect(response.body.isEmpty)
        }
    }
}
