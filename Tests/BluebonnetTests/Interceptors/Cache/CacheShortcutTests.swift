import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The short way past the rules of the cache comes to the same end as the long one.
@Suite(.timeLimit(.minutes(5)))
struct CacheShortcutTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    @Test(arguments: [[:], [.cacheControl: "no-store"], [.cacheControl: "no-store", .eTag: "\"x\""]] as [HTTPFields])
    func `a response that is not stored tells why, each time`(_ fields: HTTPFields) async throws {
        let bench = CacheBench { _, number in .numbered(number, fields) }
        var statuses: [String?] = []
        for _ in 0..<4 { statuses.append(try await bench.send().cacheStatus?.description) }
        let reason = fields.isEmpty ? "neither lifetime nor validator" : "no-store"
        #expect(statuses == Array(repeating: "Bluebonnet; fwd=uri-miss; detail=\"\(reason)\"", count: 4))
        #expect(bench.requestCount == 4)
    }

    @Test func `a response that can be stored after others that could not is stored`() async throws {
        let bench = CacheBench { _, number in .numbered(number, number < 4 ? [:] : Self.fresh) }
        for _ in 0..<3 { try await bench.send() }
        let stored = try await bench.send()
        #expect(stored.cacheStatus?.description == "Bluebonnet; fwd=uri-miss; stored")
        bench.move(by: 7)
        let hit = try await bench.send()
        #expect(hit.isFromCache && hit.text == "body 4" && hit.headerFields[.age] == "7")
    }

    @Test func `what another cache of the store has stored is used at once`() async throws {
        let store = MemoryCacheStore()
        let bench = CacheBench(store: store) { _, number in .numbered(number, [:]) }
        let other = CacheBench(store: store) { _, _ in .numbered(99, Self.fresh) }
        for _ in 0..<3 { try await bench.send() }
        try await other.send()
        let hit = try await bench.send()
        #expect(hit.isFromCache && hit.text == "body 99" && bench.requestCount == 3)
    }

    @Test func `a request that nothing may be sent for is refused, also behind those that were sent`() async throws {
        let bench = CacheBench { _, number in .numbered(number, [:]) }
        for _ in 0..<3 { try await bench.send() }
        #expect(try await bench.send(.get, "/a", [.cacheControl: "only-if-cached"]).status == .gatewayTimeout)
        let error = try await networkingError { try await bench.send(policy: .onlyIfCached) }
        #expect(error.code == .notCached && bench.requestCount == 3)
    }

    @Test func `hits of one second, and those of another one, have their age`() async throws {
        let bench = CacheBench { _, number in .numbered(number, [.cacheControl: "max-age=60", .age: "5"]) }
        try await bench.send()
        for age in [0, 0, 3, 3, 50] {
            bench.move(by: age - (bench.now - CacheBench.start))
            let hit = try await bench.send()
            #expect(hit.headerFields[values: .age] == [String(5 + age)])
            #expect(hit.cacheStatus?.description == "Bluebonnet; hit; ttl=\(55 - age)")
        }
        bench.move(by: 5)
        #expect(try await bench.send().isFromCache == false)
    }

    @Test func `a hit is for a request of the same values of what it varies by`() async throws {
        let fields: HTTPFields = [.cacheControl: "max-age=60", .vary: "Accept-Language, Accept-Encoding"]
        let bench = CacheBench { _, number in .numbered(number, fields) }
        let (german, french): (HTTPFields, HTTPFields) = ([.acceptLanguage: "de"], [.acceptLanguage: "fr"])
        try await bench.send(.get, "/a", german)
        #expect(try await bench.send(.get, "/a", german).text == "body 1")
        #expect(try await bench.send(.get, "/a", french).text == "body 2")
        #expect(try await bench.send(.get, "/a", german).text == "body 1")
        #expect(try await bench.send(.get, "/a", [.acceptLanguage: "de", .acceptEncoding: "br"]).text == "body 3")
        #expect(bench.requestCount == 3)
    }

    @Test func `a stored response that has to be confirmed is confirmed each time`() async throws {
        let bench = CacheBench { request, number in
            let fields: HTTPFields = [.cacheControl: "no-cache, max-age=60", .eTag: "\"x\""]
            if request.headerFields[.ifNoneMatch] != nil {
                return StubResponse(status: .notModified, headerFields: fields)
            }
            return .numbered(number, fields)
        }
        for _ in 0..<3 { #expect(try await bench.send().text == "body 1") }
        #expect(bench.requestCount == 3)
    }

    @Test func `a request for another site of the same server is another one`() async throws {
        let bench = CacheBench { _, number in .numbered(number, Self.fresh) }
        let host = try #require(HTTPField.Name("Host"))
        try await bench.send()
        #expect(try await bench.send(.get, "/a", [host: "y.test"]).text == "body 2")
        #expect(try await bench.send().text == "body 1")
    }

    @Test func `the response to an unsafe request ends the hits`() async throws {
        let bench = CacheBench { _, number in .numbered(number, Self.fresh) }
        try await bench.send()
        #expect(try await bench.send().isFromCache)
        try await bench.send(.post)
        #expect(try await bench.send().isFromCache == false)
    }

    @Test func `no more keys are noted than the limit says`() async throws {
        let bench = CacheBench { _, number in .numbered(number, [:]) }
        for number in 0..<1_100 { bench.cache.notePassing(CacheFingerprint("\(number)"), mark: 0) }
        let noted = (0..<1_100).count { bench.cache.isPassing(CacheFingerprint("\($0)"), 0) }
        #expect(noted == 1_024)
    }
}
