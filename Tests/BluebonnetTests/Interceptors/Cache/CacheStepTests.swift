import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sessions with a cache, over a stub of the server.
@Suite(.timeLimit(.minutes(5)))
struct CacheStepTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    @Test func `a fresh response is used without a request, and tells its age`() async throws {
        let bench = CacheBench { _, number in .numbered(number, Self.fresh) }
        let first = try await bench.send()
        bench.move(by: 20)
        let second = try await bench.send()
        #expect(bench.requestCount == 1 && first.text == "body 1" && second.text == "body 1")
        #expect(!first.isFromCache && !first.headerFields.contains(.age))
        #expect(second.isFromCache && second.headerFields[.age] == "20")
        #expect(first.cacheStatus?.description == "Bluebonnet; fwd=uri-miss; stored")
        #expect(second.cacheStatus?.description == "Bluebonnet; hit; ttl=40")
    }

    @Test func `a stored response without a Date gets the time at which it came`() async throws {
        let bench = CacheBench { request, number in
            .numbered(number, request.url.path() == "/a" ? Self.fresh : [.cacheControl: "max-age=60", .date: "x"])
        }
        #expect(try await bench.send().headerFields[.date] == nil)
        bench.move(by: 20)
        #expect(try await bench.send().headerFields[.date] == httpDate(CacheBench.start))
        for _ in 0..<2 { #expect(try await bench.send(.get, "/b").headerFields[values: .date] == ["x"]) }
    }

    @Test func `the metrics of a hit have one transaction, which sent nothing`() async throws {
        let bench = CacheBench { _, number in .numbered(number, Self.fresh) }
        #expect(try await bench.send().metrics.transactions.map(\.resourceFetchType) == [.networkLoad])
        let metrics = try await bench.send().metrics
        #expect(metrics.transactions.map(\.resourceFetchType) == [.localCache] && metrics.retryCount == 0)
        #expect(metrics.bytes.sent == 0 && metrics.bytes.received == 0)
        let transaction = try #require(metrics.transactions.first)
        #expect(transaction.end != nil && transaction.sending == nil && transaction.receiving == nil)
    }

    @Test func `a session without a cache stores nothing, and has no status`() async throws {
        let bench = CacheBench {
            $0.cache = nil
        } respond: { _, number in
            .numbered(number, Self.fresh)
        }
        try await bench.send()
        #expect(try await bench.send().cacheStatus == nil)
        #expect(bench.requestCount == 2)
    }

    @Test func `a stale response is confirmed by the server, and its head updated`() async throws {
        let name = try #require(HTTPField.Name("X-New"))
        let bench = CacheBench { request, number in
            guard number > 1 else {
                return .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"x\"", .lastModified: httpDate(5)])
            }
            #expect(request.headerFields[.ifNoneMatch] == "\"x\"")
            #expect(request.headerFields[.ifModifiedSince] == httpDate(5))
            return StubResponse(
                status: .notModified,
                headerFields: [.cacheControl: "max-age=30", .eTag: "\"x\"", name: "1"]
            )
        }
        try await bench.send()
        bench.move(by: 61)
        let confirmed = try await bench.send()
        #expect(confirmed.status == .ok && confirmed.text == "body 1" && confirmed.headerFields[name] == "1")
        #expect(confirmed.isFromCache && !confirmed.headerFields.contains(.age))
        #expect(confirmed.cacheStatus?.description == "Bluebonnet; fwd=stale; fwd-status=304; ttl=30")
        #expect(confirmed.request.headerFields[.ifNoneMatch] == nil)
        #expect(confirmed.metrics.transactions.map(\.response?.status.code) == [304])
        bench.move(by: 29)
        #expect(try await bench.send().cacheStatus?.isHit == true)
        bench.move(by: 2)
        #expect(try await bench.send().cacheStatus?.isHit == false)
    }

    @Test func `a new response takes the place of a stale one`() async throws {
        let bench = CacheBench { _, number in
            .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"\(number)\""])
        }
        try await bench.send()
        bench.move(by: 61)
        #expect(try await bench.send().text == "body 2")
        #expect(try await bench.send().text == "body 2")
        #expect(bench.requestCount == 2)
        #expect(try await bench.cache.records().count == 1)
    }

    @Test func `a 304 about another response is followed by a request without conditions`() async throws {
        let bench = CacheBench { request, number in
            guard request.headerFields.contains(.ifNoneMatch) else {
                return .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"\(number)\""])
            }
            return StubResponse(status: .notModified, headerFields: [.eTag: "\"other\""])
        }
        try await bench.send()
        bench.move(by: 61)
        #expect(try await bench.send().text == "body 3")
    }

    @Test func `a 304 that says no-store removes what is stored`() async throws {
        let bench = CacheBench { request, number in
            request.headerFields.contains(.ifNoneMatch)
                ? StubResponse(status: .notModified, headerFields: [.cacheControl: "no-store"])
                : .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"x\""])
        }
        try await bench.send()
        bench.move(by: 61)
        #expect(try await bench.send().text == "body 1")
        #expect(try await bench.cache.records().isEmpty)
    }

    @Test func `a response with no-store removes the one that was stored`() async throws {
        let bench = CacheBench { _, number in
            .numbered(number, number == 1 ? Self.fresh : [.cacheControl: "no-store"])
        }
        try await bench.send()
        let second = try await bench.send(policy: .reload)
        #expect(second.cacheStatus?.description == "Bluebonnet; fwd=request; detail=\"no-store\"")
        #expect(try await bench.cache.records().isEmpty)
    }

    // MARK: Policies

    @Test func `each policy uses, asks and stores as it says, and tells the caches on the way`() async throws {
        let controls = EventLog<String?>()
        let bench = CacheBench { request, number in
            controls.append(request.headerFields[.cacheControl])
            return .numbered(number, Self.fresh)
        }
        try await bench.send(policy: .noStore)
        #expect(try await bench.cache.records().isEmpty)
        #expect(try await bench.send(policy: .forceCache).text == "body 2")
        bench.move(by: 1_000)
        #expect(try await bench.send(policy: .forceCache).text == "body 2")
        #expect(try await bench.send(policy: .onlyIfCached).text == "body 2")
        #expect(try await bench.send(policy: .noStore).text == "body 3")
        #expect(try await bench.send(policy: .onlyIfCached).text == "body 2")
        #expect(try await bench.send(policy: .reload).text == "body 4")
        #expect(try await bench.send().text == "body 4")
        #expect(try await bench.send(policy: .noCache).text == "body 5")
        #expect(controls.events == ["no-cache", nil, "no-cache", "no-cache", "max-age=0"])
    }

    @Test func `a Cache-Control of the request's own is not changed`() async throws {
        let bench = CacheBench { request, number in
            #expect(request.headerFields[values: .cacheControl] == ["max-stale"])
            return .numbered(number, Self.fresh)
        }
        try await bench.send(.get, "/a", [.cacheControl: "max-stale"], policy: .reload)
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .post, .put, .delete, .patch])
    func `onlyIfCached never sends, whatever the method`(_ method: HTTPRequest.Method) async throws {
        for hasCache in [true, false] {
            let bench = CacheBench {
                if !hasCache { $0.cache = nil }
            } respond: { _, number in
                .numbered(number, [:])
            }
            let error = try await networkingError { try await bench.send(method, policy: .onlyIfCached) }
            #expect(error.code == .notCached && error.request?.method == method && bench.requestCount == 0)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `only-if-cached as a directive is a 504 without a stored response`(_ method: HTTPRequest.Method) async throws {
        let bench = CacheBench { _, number in .numbered(number, Self.fresh) }
        let response = try await bench.send(method, "/a", [.cacheControl: "only-if-cached"])
        #expect(response.status == .gatewayTimeout && bench.requestCount == 0)
    }

    // MARK: Conditions, ranges and HEAD

    @Test func `a condition of the request is answered from a fresh response`() async throws {
        let bench = CacheBench { _, number in .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"x\""]) }
        try await bench.send()
        let same = try await bench.send(.get, "/a", [.ifNoneMatch: "\"x\""])
        #expect(same.status == .notModified && same.value.isEmpty && same.cacheStatus?.isHit == true)
        #expect(try await bench.send(.get, "/a", [.ifNoneMatch: "\"y\""]).text == "body 1")
        #expect(bench.requestCount == 1)
    }

    @Test func `a condition of the request goes to the server when the response is stale, and freshens it`()
        async throws
    {
        let bench = CacheBench { request, number in
            guard number > 1 else { return .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"x\""]) }
            #expect(request.headerFields[values: .ifNoneMatch] == ["\"x\", \"y\""])
            return StubResponse(status: .notModified, headerFields: [.eTag: "\"x\"", .cacheControl: "max-age=90"])
        }
        try await bench.send()
        bench.move(by: 61)
        #expect(try await bench.send(.get, "/a", [.ifNoneMatch: "\"x\", \"y\""]).status == .notModified)
        #expect(try await bench.send().cacheStatus?.timeToLive == 90)
        #expect(bench.requestCount == 2)
    }

    @Test func `a range is cut out of a stored response, and a part without a strong entity tag is not stored`()
        async throws
    {
        let bench = CacheBench { request, number in
            request.headerFields.contains(.range)
                ? StubResponse(
                    status: .partialContent,
                    headerFields: [.cacheControl: "max-age=60", .contentRange: "bytes 0-3/6"],
                    body: Data("part".utf8)
                ) : .numbered(number, Self.fresh)
        }
        #expect(try await bench.send(.get, "/a", [.range: "bytes=0-3"]).text == "part")
        #expect(try await bench.cache.records().isEmpty)
        try await bench.send()
        let part = try await bench.send(.get, "/a", [.range: "bytes=1-3"])
        #expect(part.status == .partialContent && part.text == "ody" && part.cacheStatus?.isHit == true)
        #expect(try await bench.send(.get, "/a", [.range: "bytes=0-1,3-4"]).text == "part")
        #expect(try await bench.send(.get, "/a", [.range: "bytes=77-"]).status == .rangeNotSatisfiable)
        #expect(bench.requestCount == 3)
    }

    @Test func `a HEAD is answered from a stored GET, and updates a stale one`() async throws {
        let bench = CacheBench { request, number in
            request.method == .head
                ? StubResponse(headerFields: [.eTag: "\"x\"", .contentLength: "6", .cacheControl: "max-age=90"])
                : .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"x\"", .contentLength: "6"])
        }
        try await bench.send()
        let head = try await bench.send(.head)
        #expect(head.cacheStatus?.isHit == true && head.value.isEmpty && head.headerFields[.contentLength] == "6")
        bench.move(by: 61)
        #expect(try await bench.send(.head).cacheStatus?.isHit == false)
        #expect(try await bench.send().cacheStatus?.description == "Bluebonnet; hit; ttl=90")
    }

    @Test(
        arguments: [
            [.eTag: "\"y\"", .contentLength: "6"], [.eTag: "\"x\"", .contentLength: "7"],
            [.eTag: "\"x\"", .contentLength: "6", .cacheControl: "no-store"],
        ] as [HTTPFields]
    )
    func `a HEAD about another response, or with no-store, removes the stored one`(_ fields: HTTPFields) async throws {
        let bench = CacheBench { request, number in
            request.method == .head
                ? StubResponse(headerFields: fields)
                : .numbered(number, [.cacheControl: "max-age=60", .eTag: "\"x\"", .contentLength: "6"])
        }
        try await bench.send()
        bench.move(by: 61)
        try await bench.send(.head)
        #expect(try await bench.cache.records().isEmpty)
    }

    @Test func `the response to a HEAD is not stored`() async throws {
        let bench = CacheBench { _, _ in StubResponse(headerFields: Self.fresh) }
        try await bench.send(.head)
        #expect(try await bench.cache.records().isEmpty)
    }

    // MARK: Vary

    @Test func `each variant is stored by itself, at most sixteen of them`() async throws {
        let bench = CacheBench { _, number in .numbered(number, [.cacheControl: "max-age=60", .vary: "Accept"]) }
        #expect(try await bench.send(.get, "/a", [.accept: "a/a"]).text == "body 1")
        let other = try await bench.send(.get, "/a", [.accept: "b/b"])
        #expect(other.text == "body 2" && other.cacheStatus?.forward == .varyMiss)
        #expect(try await bench.send(.get, "/a", [.accept: "a/a"]).text == "body 1")
        for number in 0..<40 { try await bench.send(.get, "/a", [.accept: "c/\(number)"]) }
        #expect(try await bench.cache.records().count == HTTPCache.mostVariants)
    }

    @Test func `what varies by Accept-Encoding is found again by the codings that are offered`() async throws {
        let bench = CacheBench { request, number in
            #expect(request.headerFields[.acceptEncoding]?.contains("gzip") == true)
            return .numbered(number, [.cacheControl: "max-age=60", .vary: "Accept-Encoding"])
        }
        try await bench.send()
        #expect(try await bench.send().cacheStatus?.isHit == true)
        #expect(try await bench.send(.get, "/a", [.acceptEncoding: "gzip, x-none"]).cacheStatus?.forward == .varyMiss)
    }

    @Test func `a Host of the request's own is another resource`() async throws {
        let bench = CacheBench { _, number in .numbered(number, Self.fresh) }
        let host = try #require(HTTPField.Name("Host"))
        try await bench.send()
        #expect(try await bench.send(.get, "/a", [host: "other.test"]).text == "body 2")
        #expect(try await bench.send(.get, "/a", [host: "x.test"]).text == "body 1")
    }
}
