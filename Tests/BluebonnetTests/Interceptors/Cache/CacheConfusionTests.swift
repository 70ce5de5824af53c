import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stored responses that look as if they were for a request, and are not.
@Suite(.timeLimit(.minutes(5)))
struct CacheConfusionTests {
    @Test func `a range is never a part of encoded bytes`() async throws {
        let bench = CacheBench { request, number in
            guard request.headerFields[.range] != nil else {
                return .numbered(number, [.cacheControl: "max-age=60", .contentEncoding: "x-unknown"])
            }
            return .numbered(number, [.contentRange: "bytes 0-5/100"], status: .partialContent)
        }
        try await bench.send()
        for policy in [CachePolicy.default, .forceCache] {
            let part = try await bench.send(.get, "/a", [.range: "bytes=0-5"], policy: policy)
            #expect(!part.isFromCache && part.head.status == .partialContent)
        }
        #expect(bench.requestCount == 3)
    }

    @Test func `what only the server can answer is not taken from the cache by force`() async throws {
        let bench = CacheBench { _, number in .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"1\""]) }
        try await bench.send()
        try await bench.send(.get, "/a", [.ifMatch: "\"2\""], policy: .forceCache)
        try await bench.send(.get, "/a", [.range: "bytes=0-1,3-4"], policy: .forceCache)
        #expect(bench.requestCount == 3)
        await #expect(throws: NetworkingError.self) {
            try await bench.send(.get, "/a", [.ifMatch: "\"2\""], policy: .onlyIfCached)
        }
        #expect(bench.requestCount == 3)
    }

    @Test func `a 304 to a condition of the request confirms nothing that has another validator`() async throws {
        let date = httpDate(CacheBench.start - 1000)
        let bench = CacheBench { request, number in
            if request.headerFields[.ifModifiedSince] != nil {
                return StubResponse(
                    status: .notModified,
                    headerFields: [.lastModified: date, .cacheControl: "max-age=60"]
                )
            }
            return .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        try await bench.send()
        bench.move(by: 70)
        _ = try? await bench.send(.get, "/a", [.ifModifiedSince: date])
        #expect(bench.age(of: "/a") == 70)
    }

    @Test func `a 304 with another date than the stored one leads to a new request`() async throws {
        let (old, new) = (httpDate(CacheBench.start - 1000), httpDate(CacheBench.start - 10))
        let bench = CacheBench { request, number in
            if number == 2 { return StubResponse(status: .notModified, headerFields: [.lastModified: new]) }
            #expect(number == 1 || request.headerFields[.ifModifiedSince] == nil)
            return .numbered(number, [.cacheControl: "max-age=60", .lastModified: old])
        }
        try await bench.send()
        bench.move(by: 70)
        #expect(try await bench.send().text == "body 3")
    }

    @Test(arguments: ["no-cache=\"content-encoding\", max-age=60", "max-age=60"])
    func `a response is not stored without the fields that say how to read it`(_ directives: String) async throws {
        var fields: HTTPFields = [.cacheControl: directives, .contentEncoding: "x-unknown"]
        if directives == "max-age=60" { fields[.connection] = "content-encoding" }
        let bench = CacheBench { [fields] _, number in .numbered(number, fields) }
        try await bench.send()
        #expect(try await !bench.send().isFromCache)
    }

    @Test func `a head that grows with each confirmation is not kept for ever`() async throws {
        let bench = CacheBench { _, number in
            var fields: HTTPFields = [.cacheControl: "max-age=0", .eTag: "\"1\""]
            guard number > 1, let name = HTTPField.Name("X-\(number)") else { return .numbered(number, fields) }
            fields[name] = String(repeating: "x", count: 20_000)
            return StubResponse(status: .notModified, headerFields: fields)
        }
        for _ in 0..<4 { try await bench.send() }
        #expect(try await bench.cache.records().count == 1)
        try await bench.send()
        #expect(try await bench.cache.records().isEmpty)
    }
}
