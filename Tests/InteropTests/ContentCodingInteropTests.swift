import Bluebonnet
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Content codings of httpbin and nginx.
@Suite(.enabled(if: InteropServer.httpbin.isExpected, "httpbin is not running"), .timeLimit(.minutes(2)))
struct ContentCodingInteropTests {
    /// Paths of httpbin, and the member that is true in their encoded response.
    private static let endpoints: [(path: String, flag: String)] = {
        var endpoints = [(path: "gzip", flag: "gzipped"), (path: "deflate", flag: "deflated")]
        #if Brotli
            endpoints.append((path: "brotli", flag: "brotli"))
        #endif
        return endpoints
    }()

    /// Paths of nginx, and the content coding of their response.
    private static let files: [(path: String, coding: String)] = {
        var files = [(path: "/gzip/1m.txt", coding: "gzip")]
        #if Brotli
            files.append((path: "/brotli/1m.txt", coding: "br"))
        #endif
        #if Zstd
            files.append((path: "/zstd/1m.txt", coding: "zstd"))
        #endif
        return files
    }()

    /// What a request offers to httpbin.
    private static let offer: [String] = {
        var codings = ["gzip", "deflate"]
        #if Brotli
            codings.append("br")
        #endif
        #if Zstd
            codings.append("zstd")
        #endif
        return codings
    }()

    @Test(arguments: endpoints)
    func `content codings of httpbin are undone, and supported ones are offered`(
        path: String,
        flag: String
    ) async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            let value = try await api.get(path, as: .json)
            #expect(value[flag] == true)
            #expect(value["headers"]?["Accept-Encoding"]?.string == Self.offer.joined(separator: ", "))
        }
    }

    @Test(arguments: files)
    func `content codings of nginx are undone, whole and streamed`(path: String, coding: String) async throws {
        let file = try InteropServer.file("1m.txt")
        let request = try InteropServer.nginx.request(path)
        try await withSession { session in
            let response = try await session.data(for: request)
            #expect(response.headerFields[.contentEncoding] == coding)
            #expect(response.value == file)
            let streamed = try await ResponseStream(request, session: session).open()
            var body = Data()
            for try await piece in streamed.body { body.append(piece) }
            #expect(body == file)
            let progress = streamed.body.currentProgress
            #expect(progress.download.completed < file.count / 2)
            if coding != "gzip" { #expect(progress.download.completed == progress.download.total) }
        }
    }

    @Test(arguments: files)
    func `a HEAD response of nginx has the content coding and no body`(path: String, coding: String) async throws {
        let request = try InteropServer.nginx.request(path, method: .head)
        try await withSession { session in
            let response = try await session.data(for: request)
            #expect(response.headerFields[.contentEncoding] == coding)
            #expect(response.value.isEmpty)
        }
    }

    @Test func `a range of an encoded file of nginx is a part of the encoded bytes`() async throws {
        let encoded = try InteropServer.file("1m.txt.zst")
        let request = try InteropServer.nginx.request("/zstd/1m.txt", headerFields: [.range: "bytes=10-29"])
        try await withSession { session in
            let response = try await session.data(for: request)
            #expect(response.status == .partialContent)
            #expect(response.value == encoded[10..<30])
        }
    }

    @Test func `UTF-8 and XML of httpbin are received unchanged`() async throws {
        try await withAPI(at: InteropServer.httpbin.address) { api in
            let page = try await api.get("encoding/utf8", as: .string)
            #expect(page.contains("STARGΛ̊TE"))
            let xml = try await api.get("xml", as: .string)
            #expect(xml.hasPrefix("<?xml version='1.0' encoding='us-ascii'?>"))
        }
    }

    @Test func `a stream of httpbin is read as JSON lines`() async throws {
        struct Line: Decodable, Sendable {
            var id: Int
        }
        try await withAPI(at: InteropServer.httpbin.address) { api in
            var numbers: [Int] = []
            for try await line in api.stream("stream/20").jsonLines(of: Line.self) { numbers.append(line.id) }
            #expect(numbers == Array(0..<20))
            var lines = 0
            for try await line in api.stream("stream/20").lines where !line.isEmpty { lines += 1 }
            #expect(lines == 20)
        }
    }

    @Test func `the error of a stream that nginx refuses has the error page`() async throws {
        let request = try InteropServer.nginx.request("/nowhere")
        await withSession { session in
            let error = await #expect(throws: NetworkingError.self) {
                for try await _ in ResponseStream(request, session: session).lines {}
            }
            #expect(error?.code == .unacceptableStatusCode)
            #expect(error?.bodyString?.contains("404 Not Found") == true)
        }
    }
}
