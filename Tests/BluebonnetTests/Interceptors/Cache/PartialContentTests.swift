import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parts of responses that are stored, used and put together (RFC 9111 §3.3, §3.4).
@Suite(.timeLimit(.minutes(5)))
struct PartialContentTests {
    private func bench(_ origin: RangedOrigin) -> CacheBench {
        CacheBench { request, _ in origin.respond(to: request) }
    }

    @Test func `a range within a stored part is answered without a request`() async throws {
        let bench = bench(RangedOrigin("0123456789"))
        let first = try await bench.send(2, 7)
        #expect(first.text == "234567" && first.cacheStatus?.description == "Bluebonnet; fwd=uri-miss; stored")
        bench.move(by: 5)
        let second = try await bench.send(3, 4)
        #expect(second.text == "34" && second.status == .partialContent && second.isFromCache)
        #expect(second.headerFields[.contentRange] == "bytes 3-4/10" && second.headerFields[.contentLength] == "2")
        #expect(second.headerFields[.age] == "5" && bench.requestCount == 1)
        #expect(try await bench.cache.records().map(\.part) == [2..<8])
    }

    @Test func `when all parts are there the whole is stored`() async throws {
        let bench = bench(RangedOrigin("0123456789"))
        for (first, last) in [(6, 9), (0, 2), (3, 5)] { try await bench.send(first, last) }
        let record = try #require(try await bench.cache.records().first)
        #expect(record.part == nil && record.byteCount == 10)
        #expect(try await bench.cache.records().count == 1)
        let whole = try await bench.send()
        #expect(whole.text == "0123456789" && whole.status == .ok && whole.isFromCache)
        #expect(whole.headerFields[.contentLength] == "10" && whole.headerFields[.contentRange] == nil)
        #expect(bench.requestCount == 3)
    }

    @Test func `of a range that is stored in part only the rest is asked for`() async throws {
        let bench = bench(RangedOrigin("0123456789"))
        try await bench.send(0, 5)
        let second = try await bench.send(4, 7)
        #expect(second.text == "4567" && second.headerFields[.contentRange] == "bytes 4-7/10")
        #expect(second.cacheStatus?.description == "Bluebonnet; fwd=partial; stored")
        #expect(second.request.headerFields[.range] == "bytes=4-7" && second.request.headerFields[.ifRange] == nil)
        #expect(bench.ranges == ["bytes=0-5", "bytes=6-7"])
        #expect(bench.transport.requests.last?.headerFields[.ifRange] == "\"1\"")
        #expect(try await bench.send(0, 7).isFromCache)
    }

    @Test func `of a whole whose middle is missing only that is asked for`() async throws {
        let bench = bench(RangedOrigin("0123456789"))
        try await bench.send(0, 3)
        try await bench.send(8, 9)
        let whole = try await bench.send()
        #expect(whole.text == "0123456789" && whole.status == .ok && whole.headerFields[.contentLength] == "10")
        #expect(whole.cacheStatus?.description == "Bluebonnet; fwd=partial; fwd-status=206; stored")
        #expect(bench.ranges.last == "bytes=4-7")
        #expect(try await bench.send().cacheStatus?.isHit == true)
    }

    @Test func `a response that the connection cut is completed by the next request`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = CacheBench { request, number in number == 1 ? origin.cut(after: 4) : origin.respond(to: request) }
        await #expect(throws: NetworkingError.self) { try await bench.send() }
        #expect(try await bench.cache.records().map(\.part) == [0..<4])
        #expect(try await bench.send().text == "0123456789")
        #expect(bench.ranges == ["-", "bytes=4-9"])
        #expect(try await bench.send().isFromCache)
    }

    @Test func `a part that the connection cut keeps what has come of it`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = CacheBench { request, number in
            guard number == 2 else { return origin.respond(to: request) }
            var response = origin.respond(to: request)
            response.streamedBody = origin.cut(after: 3).streamedBody
            return response
        }
        try await bench.send(0, 1)
        // The stub sends the beginning of the file in place of the part.
        await #expect(throws: NetworkingError.self) { try await bench.send(5, 9) }
        #expect(Set(try await bench.cache.records().map(\.part)) == [0..<2, 5..<8])
    }

    @Test func `another version takes the place of the parts`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = bench(origin)
        try await bench.send(0, 5)
        origin.change { ($0.bytes, $0.tag) = (Data("abcdefghij".utf8), "\"2\"") }
        let range = try await bench.send(4, 7)
        #expect(range.text == "abcdefghij" && range.status == .ok)
        #expect(try await bench.send(0, 1).text == "ab")
        #expect(bench.requestCount == 2)
    }

    @Test(arguments: ["bytes 4-9/20", "bytes 5-9/10", "bytes 9-4/10", "bytes 0-9/10", "bytes */10", "lines 4-9/10", ""])
    func `what does not fit to the parts is asked for again, as a whole`(_ contentRange: String) async throws {
        let origin = RangedOrigin("0123456789")
        let bench = CacheBench { request, number in
            var response = origin.respond(to: request)
            if number == 2 { response.headerFields[.contentRange] = contentRange }
            return response
        }
        try await bench.send(0, 3)
        #expect(try await bench.send().text == "0123456789")
        #expect(bench.ranges == ["bytes=0-3", "bytes=4-9", "-"])
    }

    @Test func `a part of another version is not put behind the stored one`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = CacheBench { request, number in
            var request = request
            // A server that does not know If-Range.
            request.headerFields[.ifRange] = nil
            return origin.respond(to: request)
        }
        try await bench.send(0, 3)
        origin.change { ($0.bytes, $0.tag) = (Data("abcdefghij".utf8), "\"2\"") }
        #expect(try await bench.send().text == "abcdefghij")
        #expect(bench.ranges == ["bytes=0-3", "bytes=4-9", "-"])
        #expect(try await bench.cache.records().map(\.part) == [nil])
    }

    @Test func `a file that became shorter is asked for again`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = CacheBench { request, number in
            number == 2
                ? StubResponse(status: .rangeNotSatisfiable, headerFields: [.contentRange: "bytes */4"])
                : origin.respond(to: request)
        }
        try await bench.send(0, 5)
        #expect(try await bench.send().text == "0123456789")
        #expect(bench.ranges == ["bytes=0-5", "bytes=6-9", "-"])
    }

    @Test func `parts with other bytes in common are all dropped`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = bench(origin)
        try await bench.send(0, 5)
        origin.change { $0.bytes = Data("abcdefghij".utf8) }
        var request = try bench.request(.get, "/a", [.range: "bytes=4-8"], policy: .reload)
        #expect(try await bench.session.data(for: request).text == "efghi")
        #expect(try await bench.cache.records().isEmpty)
        request.headerFields[.range] = "bytes=4-5"
        #expect(try await bench.session.data(for: request).text == "ef")
    }

    @Test func `another length of the same version drops what was stored`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = bench(origin)
        try await bench.send(0, 5)
        origin.change { $0.bytes = Data("0123456789abc".utf8) }
        let response = try await bench.send(11, 12)
        #expect(response.text == "bc" && response.cacheStatus?.isStored == false)
        #expect(try await bench.cache.records().isEmpty)
    }

    @Test func `a part confirms the whole of the same version, and removes that of another one`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = bench(origin)
        try await bench.send()
        bench.move(by: 70)
        #expect(try await bench.send(2, 3).text == "23")
        #expect(try await bench.send().cacheStatus?.timeToLive == 60)
        #expect(bench.requestCount == 2)
        bench.move(by: 70)
        origin.change { ($0.bytes, $0.tag) = (Data("abcdefghij".utf8), "\"2\"") }
        #expect(try await bench.send(2, 3).text == "cd")
        #expect(try await bench.cache.records().map(\.part) == [2..<4])
    }

    @Test func `stale parts are confirmed by the range that is missing`() async throws {
        let bench = bench(RangedOrigin("0123456789"))
        try await bench.send(0, 5)
        bench.move(by: 70)
        #expect(try await bench.send(2, 3).isFromCache == false)
        bench.move(by: 70)
        let whole = try await bench.send()
        #expect(whole.text == "0123456789" && bench.ranges == ["bytes=0-5", "bytes=2-3", "bytes=6-9"])
        #expect(whole.cacheStatus?.description == "Bluebonnet; fwd=stale; fwd-status=206; stored")
        #expect(try await bench.send().cacheStatus?.timeToLive == 60)
    }

    @Test func `parts answer no HEAD, no condition, and no range that is not stored`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = bench(origin)
        try await bench.send(0, 5)
        try await bench.send(.head)
        #expect(try await bench.send(99, 100).status == .rangeNotSatisfiable)
        try await bench.send(.get, "/a", [.ifNoneMatch: "\"1\""])
        #expect(bench.ranges == ["bytes=0-5", "-", "bytes=99-100", "-"])
    }

    @Test func `an If-Range of the request's own is answered from parts of the same version alone`() async throws {
        let origin = RangedOrigin("0123456789")
        let bench = bench(origin)
        try await bench.send(0, 5)
        #expect(try await bench.send(1, 2, [.ifRange: "\"1\""]).isFromCache)
        #expect(try await bench.send(1, 2, [.ifRange: "\"0\""]).status == .ok)
        #expect(bench.requestCount == 2)
    }

    @Test func `a part in answer to If-Range is stored beside others alone, because it may be without fields`()
        async throws
    {
        let origin = RangedOrigin("0123456789")
        let bench = bench(origin)
        origin.change { $0.fields[.contentType] = "a/b" }
        try await bench.send(.get, "/a", [.range: "bytes=0-1", .ifRange: "\"1\""])
        #expect(try await bench.cache.records().isEmpty)
        try await bench.send(0, 4)
        origin.change { $0.fields[.contentType] = nil }
        #expect(try await bench.send(2, 9).headerFields[.contentType] == "a/b")
        #expect(try await bench.send().headerFields[.contentType] == "a/b")
    }

    @Test func `the cache explains what it would do with a part`() async throws {
        let bench = bench(RangedOrigin("0123456789"))
        try await bench.send(0, 5)
        func status(_ fields: HTTPFields) async throws -> String {
            await bench.cache.status(for: try bench.request(.get, "/a", fields)).description
        }
        #expect(try await status([:]) == "Bluebonnet; fwd=partial; ttl=60; detail=\"a part is stored\"")
        #expect(try await status([.range: "bytes=1-2"]) == "Bluebonnet; hit; ttl=60")
        #expect(bench.requestCount == 1)
    }

    @Test func `policies use parts as they use the whole`() async throws {
        let bench = bench(RangedOrigin("0123456789"))
        try await bench.send(0, 5)
        bench.move(by: 100)
        func status(_ policy: CachePolicy, _ fields: HTTPFields = [:]) async throws -> String? {
            try await bench.session.data(for: bench.request(.get, "/a", fields, policy: policy)).cacheStatus?
                .description
        }
        #expect(try await status(.onlyIfCached, [.range: "bytes=1-2"]) == "Bluebonnet; hit; ttl=-40")
        await #expect(throws: NetworkingError.self) { try await status(.onlyIfCached) }
        #expect(try await status(.reload) == "Bluebonnet; fwd=request; stored")
        #expect(bench.ranges == ["bytes=0-5", "-"])
    }

    @Test func `many parts stay few, and become the whole`() async throws {
        let bytes = Data((0..<4_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) })
        let bench = bench(RangedOrigin(bytes))
        // Each number from 0 to 39 once: 17 and 40 have no common divisor.
        for number in 0..<40 {
            let start = number * 17 % 40 * 100
            #expect(try await bench.send(start, start + 99).value == bytes[start..<start + 100])
            #expect(try await bench.cache.records().count <= StoredParts.most)
        }
        #expect(try await bench.send().value == bytes)
        #expect(try await bench.send().isFromCache)
    }
}
