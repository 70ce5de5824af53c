import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bodies that are stored, and those that are not, over a stub and over sockets.
@Suite(.timeLimit(.minutes(5)))
struct CachedBodyTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    private static func stream(_ pieces: [String], _ fields: HTTPFields = fresh) -> StubResponse {
        var response = StubResponse(headerFields: fields)
        response.streamedBody = .stream(
            AsyncStream { continuation in
                for piece in pieces { continuation.yield(Data(piece.utf8)) }
                continuation.finish()
            }
        )
        return response
    }

    @Test func `a body that comes piece by piece is stored when it was read to its end`() async throws {
        let bench = CacheBench { _, _ in Self.stream(["one ", "two ", "three"]) }
        #expect(try await bench.send().text == "one two three")
        let second = try await bench.send()
        #expect(second.text == "one two three" && second.isFromCache && bench.requestCount == 1)
    }

    @Test func `a body whose reader stops is not stored`() async throws {
        let bench = CacheBench { _, _ in Self.stream(["one ", "two"]) }
        let response = try await bench.session.open(bench.request())
        var iterator = response.body.makeAsyncIterator()
        _ = try await iterator.next()
        _ = consume iterator
        _ = consume response
        #expect(try await bench.cache.records().isEmpty)
    }

    @Test func `a body that fails, or is shorter than it says, is not stored`() async throws {
        struct Fault: Error {}
        let bench = CacheBench { request, _ in
            guard request.url.path() == "/fails" else {
                return Self.stream(["short"], [.cacheControl: "max-age=60", .contentLength: "99"])
            }
            var response = StubResponse(headerFields: Self.fresh)
            response.streamedBody = .stream(
                AsyncThrowingStream<Data, any Error> { continuation in
                    continuation.yield(Data("half".utf8))
                    continuation.finish(throwing: Fault())
                }
            )
            return response
        }
        await #expect(throws: NetworkingError.self) { try await bench.send(.get, "/fails") }
        #expect(try await bench.send(.get, "/short").text == "short")
        #expect(try await bench.cache.records().isEmpty)
    }

    @Test func `a body that is too large is delivered and not stored`() async throws {
        let store = MemoryCacheStore(capacity: 40_000)
        let bench = CacheBench(store: store) { request, _ in
            request.url.path() == "/whole"
                ? StubResponse(headerFields: Self.fresh, body: Data(count: 20_000))
                : Self.stream([String(repeating: "a", count: 9_000), String(repeating: "b", count: 9_000)])
        }
        #expect(try await bench.send(.get, "/whole").value.count == 20_000)
        #expect(try await bench.send(.get, "/pieces").value.count == 18_000)
        #expect(try await bench.cache.records().isEmpty && store.byteCount == 0)
        #expect(bench.failures.events.isEmpty)
    }

    @Test func `who changes the bytes of a hit does not change what is stored`() async throws {
        let large = Data(repeating: 7, count: 100_000)
        let bench = CacheBench { _, _ in StubResponse(headerFields: Self.fresh, body: large) }
        for _ in 0..<3 {
            var data = try await bench.send().value
            #expect(data == large)
            data[0] = 1
            data.replaceSubrange(500..<600, with: Data(count: 100))
        }
        for _ in 0..<2 {
            var part = try await bench.send(.get, "/a", [.range: "bytes=0-49999"]).value
            #expect(part == large.prefix(50_000))
            part[0] = 1
        }
        for _ in 0..<2 {
            let response = try await bench.session.open(bench.request())
            for try await var piece in response.body { piece[piece.startIndex] = 9 }
        }
        #expect(try await bench.send().value == large && bench.requestCount == 1)
    }

    @Test func `an encoded body is stored as it came, and decoded for each reader`() async throws {
        let text = String(repeating: "bluebonnet ", count: 1_000)
        let packed = try #require(Data(base64Encoded: Self.packed))
        let bench = CacheBench { _, _ in
            StubResponse(headerFields: [.cacheControl: "max-age=60", .contentEncoding: "gzip"], body: packed)
        }
        for _ in 0..<3 { #expect(try await bench.send().text == text) }
        let record = try #require(try await bench.cache.records().first)
        #expect(record.byteCount == packed.count && bench.requestCount == 1)
    }

    /// `printf 'bluebonnet %.0s' $(seq 1000) | gzip -9n | base64`
    private static let packed =
        "H4sIAAAAAAACA+3GsQ0AIAwDsFe4LVI3VBb6P28w2JOzp3K6666oqqqqqqqqqqqqqqqqqqqqqqqqqqr+2gdhcxNY+CoAAA=="

    @Test func `trailer fields are stored too`() async throws {
        let bench = CacheBench { _, _ in
            StubResponse(headerFields: Self.fresh, body: Data("x".utf8), trailers: [.eTag: "\"t\""])
        }
        for _ in 0..<2 { #expect(try await bench.send().trailers == [.eTag: "\"t\""]) }
    }

    @Test func `a download is answered from the cache, and fills it`() async throws {
        let bench = CacheBench { _, _ in Self.stream(["some ", "bytes"]) }
        try await withDirectory { directory in
            for number in 0..<2 {
                let file = directory.appending(path: "file-\(number)")
                let response = try await bench.session.downloadTask(for: bench.request(), to: file).response
                #expect(try Data(contentsOf: response.value) == Data("some bytes".utf8))
                #expect(response.isFromCache == (number == 1))
            }
        }
        #expect(bench.requestCount == 1)
    }

    // MARK: Over sockets

    @Test func `a response that the connection cut is not stored`() async throws {
        let length = "Content-Length: 10\r\nCache-Control: max-age=60\r\n\r\n"
        let whole = "HTTP/1.1 200 OK\r\n" + length + "0123456789"
        let script = FaultServer.Script.connections([
            [.readRequest, .send("HTTP/1.1 200 OK\r\n" + length + "01234"), .close],
            [.readRequest, .send(whole), .stall],
        ])
        try await FaultServer.run(script) { server in
            let cache = HTTPCache()
            try await withSession(SessionConfiguration { $0.cache = cache }) { session in
                let request = try Request(to: server.baseURL)
                await #expect(throws: NetworkingError.self) { try await session.data(for: request) }
                #expect(try await cache.records().isEmpty)
                #expect(try await session.data(for: request).text == "0123456789")
                #expect(try await session.data(for: request).isFromCache)
            }
        }
    }

    @Test func `a permanent redirect is stored with its body, and followed without a request`() async throws {
        let script = FaultServer.Script.requests { request in
            request.target == "/old"
                ? [
                    .respond(
                        301,
                        headers: [("Location", "/new"), ("Cache-Control", "max-age=60")],
                        body: "moved"
                    )
                ] : [.respond(200, headers: [("Cache-Control", "max-age=60")], body: "here")]
        }
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration { $0.cache = HTTPCache() }) { session in
                let request = try Request(to: server.baseURL + "/old")
                #expect(try await session.data(for: request).text == "here")
                let second = try await session.data(for: request)
                #expect(second.text == "here" && second.redirects.count == 1 && second.isFromCache)
                #expect(second.metrics.transactions.map(\.resourceFetchType) == [.localCache, .localCache])
                #expect(server.record.requests.count == 2)
            }
        }
    }
}
