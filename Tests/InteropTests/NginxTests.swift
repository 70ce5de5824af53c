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

    @Test func `a download that was cancelled is continued by nginx`() async throws {
        try await withSession { session in
            try await withDirectory { directory in
                let file = directory.appending(path: "a")
                let task = session.downloadTask(for: try InteropServer.nginx.request("/slow/1m.bin"), to: file)
                task.resume()
                let partial = directory.appending(path: "a.bluebonnet")
                while (try? Data(contentsOf: partial))?.isEmpty ?? true { try await Task.sleep(for: .milliseconds(5)) }
                let resumeData = try #require(await task.cancelProducingResumeData())
                let whole = try InteropServer.file("1m.bin")
                #expect(resumeData.byteCount < whole.count)
                #expect(resumeData.totalByteCount == whole.count)
                let rest = try InteropServer.nginx.request("/1m.bin")
                let response = try await session.downloadTask(for: rest, to: file, resuming: resumeData).response
                #expect(response.status == .partialContent)
                #expect(response.headerFields[.contentLength] == "\(whole.count - resumeData.byteCount)")
                #expect(try Data(contentsOf: file) == whole)
            }
        }
    }

    @Test func `a file that nginx sends slowly is received piece by piece`() async throws {
        let request = try InteropServer.nginx.request("/slow/1m.bin")
        let file = try InteropServer.file("1m.bin")
        try await withSession { session in
            var comesInPieces = false
            // All of it comes within four seconds, in which a machine that stands still sees no
            // piece of it.
            for _ in 0..<5 where !comesInPieces {
                let response = try await session.open(request)
                var body = Data()
                for try await piece in response.body {
                    if response.body.currentProgress.download.completed < file.count { comesInPieces = true }
                    body.append(piece)
                }
                #expect(body == file)
                #expect(response.body.currentProgress.download.completed == file.count)
            }
            #expect(comesInPieces)
        }
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

    // MARK: Connections

    /// A connection of an nginx, and how many requests it has had with this one.
    private struct Connection: Equatable {
        var number: Int
        var requests: Int
    }

    /// Which connection a request uses.
    private static func connection(
        of session: SessionManager,
        to server: InteropServer = .nginx
    ) async throws -> Connection {
        let text = try await session.response(for: server.request("/connection"), as: .string).value
        let numbers = text.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        try #require(numbers.count == 2)
        return Connection(number: numbers[0], requests: numbers[1])
    }

    @Test func `requests to nginx one after the other share a connection`() async throws {
        try await withSession { session in
            var connections: [Connection] = []
            for _ in 0..<3 { connections.append(try await Self.connection(of: session)) }
            #expect(Set(connections.map(\.number)).count == 1)
            #expect(connections.map(\.requests) == [1, 2, 3])
        }
    }

    /// On a slow machine nginx may close the connection earlier, after its time of rest. Then the
    /// next one is tried.
    @Test func `requests succeed although nginx closes each connection after three of them`() async throws {
        try await withSession { session in
            var last = try await Self.connection(of: session, to: .impatientNginx)
            for _ in 0..<100 where last.requests < 3 {
                last = try await Self.connection(of: session, to: .impatientNginx)
            }
            #expect(last.requests == 3)
            let next = try await Self.connection(of: session, to: .impatientNginx)
            #expect(next.number != last.number && next.requests == 1)
        }
    }

    /// nginx closes a connection after 100 ms of rest, on a slow machine later, or also between two
    /// requests that follow each other. Then there is another attempt.
    @Test func `requests succeed although nginx closes each connection that rests`() async throws {
        try await withSession { session in
            var hasClosed = false
            for _ in 0..<50 where !hasClosed {
                let first = try await Self.connection(of: session, to: .impatientNginx)
                let second = try await Self.connection(of: session, to: .impatientNginx)
                // Another request may follow on this connection, unless it rests too long.
                guard second.number == first.number, second.requests == 2 else { continue }
                try await Task.sleep(for: .milliseconds(150))
                let afterRest = try await Self.connection(of: session, to: .impatientNginx)
                hasClosed = afterRest.number != second.number
            }
            #expect(hasClosed)
        }
    }

    @Test func `requests to nginx at the same time are sent on several connections`() async throws {
        try await withSession { session in
            try await withThrowingTaskGroup(of: Connection.self) { group in
                for _ in 0..<200 { group.addTask { try await Self.connection(of: session) } }
                var requests: [Int: [Int]] = [:]
                for try await connection in group {
                    requests[connection.number, default: []].append(connection.requests)
                }
                // One after the other they would need one connection.
                #expect(requests.count > 1)
                // Each connection has counted its requests without a gap, and all of them are 200.
                for counted in requests.values { #expect(counted.sorted() == Array(1...counted.count)) }
                #expect(requests.values.reduce(0) { $0 + $1.count } == 200)
            }
        }
    }

    // MARK: Uploads and errors

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
        await withSession { session in
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
