import Bluebonnet
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.enabled(if: InteropServer.nginx.isExpected, "nginx is not running"), .timeLimit(.minutes(2)))
struct NginxTests {
    private func get(_ path: String, headerFields: HTTPFields = [:]) async throws -> Response<Data> {
        let request = try InteropServer.nginx.request(path, headerFields: headerFields)
        return try await withSession { try await $0.data(for: request) }
    }

    @Test func `a small file of nginx is received`() async throws {
        let response = try await get("/tiny.txt")
        #expect(response.status == .ok)
        #expect(response.value == Data("Hello, world!".utf8))
        #expect(response.head.mediaType == "text/plain")
        #expect(response.headerFields[.contentLength] == "13")
    }

    @Test(arguments: [
        "/1m.bin", "/1m.txt", "/empty.txt", "/data.json",
        "/gzip/1m.txt", "/gzip/data.json", "/gzip/1m.bin", "/gzip/empty.txt",
        "/chunked/1m.bin", "/chunked/1m.txt", "/chunked/tiny.txt",
        "/close/1m.bin", "/close/tiny.txt", "/slow/tiny.txt",
    ])
    func `files of nginx are received byte for byte`(path: String) async throws {
        let response = try await get(path)
        let name = path.split(separator: "/").last ?? ""
        let file = try InteropServer.file(String(name))
        #expect(response.status == .ok)
        #expect(response.value == file)
    }

    @Test func `nginx responds with gzip and in chunks where these tests expect it`() async throws {
        let gzip = try await get("/gzip/1m.txt")
        #expect(gzip.headerFields[.contentEncoding] == "gzip")
        let chunked = try await get("/chunked/1m.bin")
        #expect(chunked.headerFields[.transferEncoding]?.lowercased() == "chunked")
        #expect(chunked.headerFields[.contentLength] == nil)
    }

    @Test func `a body that nginx refuses at once is not sent`() async throws {
        var request = try InteropServer.nginx.request("/tiny.txt")
        request.method = .post
        let source = AsyncStream<[UInt8]>(unfolding: {
            Issue.record("the body source was read")
            return nil
        })
        request.body = .stream(source)
        request.expectsContinue = true
        request.timeouts = Timeouts(continueWait: nil)
        let response = try await withSession { try await $0.data(for: request) }
        #expect(response.status == .methodNotAllowed)
    }

    @Test func `a megabyte that nginx sends slowly can be streamed`() async throws {
        let request = try InteropServer.nginx.request("/slow/1m.bin")
        let file = try InteropServer.file("1m.bin")
        let body = try await withSession { session in
            let response = try await session.stream(request)
            var body = Data()
            for try await piece in response.body { body.append(piece) }
            return body
        }
        #expect(body == file)
    }

    @Test func `a range of nginx is a part of the file`() async throws {
        let response = try await get("/1m.bin", headerFields: [.range: "bytes=1000-1099"])
        let file = try InteropServer.file("1m.bin")
        #expect(response.status == .partialContent)
        #expect(response.headerFields[.contentRange] == "bytes 1000-1099/1048576")
        #expect(response.value == file[1000..<1100])
    }

    @Test func `nginx responds with 304 and no body to a matching ETag`() async throws {
        let first = try await get("/tiny.txt")
        let tag = try #require(first.headerFields[.eTag])
        let second = try await get("/tiny.txt", headerFields: [.ifNoneMatch: tag])
        #expect(second.status == .notModified)
        #expect(second.value.isEmpty)
    }

    @Test func `a HEAD response of nginx has no body`() async throws {
        let request = try InteropServer.nginx.request("/1m.bin", method: .head)
        let response = try await withSession { try await $0.data(for: request) }
        #expect(response.headerFields[.contentLength] == "1048576")
        #expect(response.value.isEmpty)
    }

    @Test func `requests to nginx one after the other share a connection`() async throws {
        try await withSession { session in
            var responses: [[Substring]] = []
            for _ in 0..<3 {
                let request = try InteropServer.nginx.request("/connection")
                let text = try await session.response(for: request, as: .string).value
                responses.append(text.split { $0 == " " || $0 == "\n" })
            }
            #expect(Set(responses.map { $0[0] }).count == 1)
            #expect(responses.map { $0[1] } == ["1", "2", "3"])
        }
    }

    @Test func `requests succeed although nginx closes connections early`() async throws {
        try await withSession { session in
            for _ in 0..<10 {
                let request = try InteropServer.impatientNginx.request("/tiny.txt")
                let text = try await session.response(for: request, as: .string).value
                #expect(text == "Hello, world!")
            }
        }
    }

    @Test func `many requests to nginx at the same time succeed`() async throws {
        let request = try InteropServer.nginx.request("/tiny.txt")
        try await withSession { session in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<200 {
                    group.addTask { try await session.response(for: request, as: .string).value }
                }
                var texts: [String] = []
                for try await text in group { texts.append(text) }
                #expect(texts == Array(repeating: "Hello, world!", count: 200))
            }
        }
    }

    @Test func `nginx receives uploads with a length and in chunks`() async throws {
        let size = 1_000_000
        let pieces = AsyncStream<[UInt8]> { continuation in
            for _ in 0..<10 { continuation.yield([UInt8](repeating: 7, count: size / 10)) }
            continuation.finish()
        }
        let bytes = RequestBody.data(Data(repeating: 7, count: size))
        let whole = try InteropServer.nginx.request("/upload", method: .put, body: bytes)
        let chunked = try InteropServer.nginx.request("/upload", method: .post, body: .stream(pieces))
        try await withSession { session in
            for request in [whole, chunked] {
                let text = try await session.response(for: request, as: .string).value
                #expect(text == "\(size)\n")
            }
        }
    }

    @Test func `the error about a status of nginx has the error page`() async throws {
        let request = try InteropServer.nginx.request("/nowhere")
        try await withSession { session in
            let error = await #expect(throws: NetworkingError.self) {
                try await session.response(for: request, as: .string)
            }
            #expect(error?.code == .unacceptableStatusCode)
            #expect(error?.response?.status == .notFound)
            #expect(error?.bodyString?.contains("404 Not Found") == true)
        }
    }

    @Test func `redirects of nginx are followed, and a loop is an error`() async throws {
        let response = try await get("/redirect")
        #expect(response.value == Data("Hello, world!".utf8))
        #expect(response.redirects.count == 1)
        let error = try await InteropServer.nginx.failure("/redirect-loop")
        #expect(error.code == .tooManyRedirects)
    }

    @Test func `a response of nginx with status 204 has no body`() async throws {
        let response = try await get("/no-content")
        #expect(response.status == .noContent)
        #expect(response.value.isEmpty)
    }

    @Test func `nginx serves the same site over a Unix-domain socket`() async throws {
        let request = try InteropServer.nginxSocket.request("/echo", headerFields: [.userAgent: "interop"])
        let text = try await withSession { try await $0.response(for: request, as: .string).value }
        #expect(text.hasPrefix("GET /echo\n"))
        #expect(text.contains("HTTP/1.1"))
    }
}
