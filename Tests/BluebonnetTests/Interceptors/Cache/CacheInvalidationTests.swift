import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What unsafe methods make outdated (RFC 9111 §4.4), hooks, credentials, and stores that fail.
@Suite(.timeLimit(.minutes(5)))
struct CacheInvalidationTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    private func bench(_ fields: HTTPFields = [:], status: HTTPResponse.Status = .ok) -> CacheBench {
        CacheBench { request, number in
            request.method == .get
                ? .numbered(number, Self.fresh) : StubResponse(status: status, headerFields: fields)
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "PURGE"])
    func `an unsafe method removes what is stored for its URL`(_ name: String) async throws {
        let bench = bench()
        for path in ["/a", "/b"] { try await bench.send(.get, path) }
        let response = try await bench.send(try #require(HTTPRequest.Method(name)))
        #expect(response.cacheStatus?.description == "Bluebonnet; fwd=method")
        #expect(try await bench.send().isFromCache == false)
        #expect(try await bench.send(.get, "/b").isFromCache)
    }

    @Test(arguments: [HTTPRequest.Method.options, .trace, .head])
    func `a safe method removes nothing`(_ method: HTTPRequest.Method) async throws {
        let bench = bench()
        try await bench.send()
        try await bench.send(method)
        #expect(try await bench.send().isFromCache)
    }

    @Test(arguments: [(302, false), (204, false), (400, true), (500, true)])
    func `an error removes nothing`(_ status: Int, _ isKept: Bool) async throws {
        let bench = bench(status: .init(code: status))
        try await bench.send()
        try await bench.send(.post)
        #expect(try await bench.send().isFromCache == isKept)
    }

    @Test func `Location and Content-Location are outdated too, where they have the same origin`() throws {
        let request = try Request(.post, to: "http://x.test/list")
        func keys(_ location: String, _ content: String) -> [String] {
            CacheInvalidation.keys(
                after: ResponseHead(status: .created, headerFields: [.location: location, .contentLocation: content]),
                to: request
            )
        }
        #expect(
            keys("/list/1", "http://x.test/other") == [
                "http://x.test:80/list", "http://x.test:80/list/1", "http://x.test:80/other",
            ]
        )
        #expect(keys("http://y.test/list", "https://x.test/other") == ["http://x.test:80/list"])
        #expect(keys("::", "") == ["http://x.test:80/list"])
        #expect(keys("/a%20b?c[]", "").last == "http://x.test:80/a%20b?c%5B%5D")
    }

    @Test func `also with the policy that stores nothing`() async throws {
        let bench = bench()
        try await bench.send()
        try await bench.send(.put, policy: .noStore)
        #expect(try await bench.send().isFromCache == false)
    }

    // MARK: The hook

    @Test func `the hook changes what is stored, or refuses it`() async throws {
        let seen = EventLog<String>()
        let bench = CacheBench { configuration in
            configuration.hooks.dataTaskWillCacheResponse = { task, head in
                seen.append(task.originalRequest.url.path())
                if task.originalRequest.url.path() == "/refused" { return nil }
                var head = head
                head.headerFields[.cacheControl] = "max-age=600"
                return head
            }
        } respond: { _, number in
            .numbered(number, Self.fresh)
        }
        #expect(try await bench.send().headerFields[.cacheControl] == "max-age=60")
        bench.move(by: 100)
        let second = try await bench.send()
        #expect(second.isFromCache && second.headerFields[.cacheControl] == "max-age=600")
        try await bench.send(.get, "/refused")
        #expect(try await bench.send(.get, "/refused").isFromCache == false)
        #expect(seen.events == ["/a", "/refused", "/refused"])
    }

    // MARK: Credentials

    @Test func `a challenge is not stored, and what its answer brings is`() async throws {
        let bench = CacheBench { request, number in
            request.headerFields.contains(.authorization)
                ? .numbered(number, Self.fresh)
                : StubResponse(
                    status: .unauthorized,
                    headerFields: [.wwwAuthenticate: "Basic realm=\"x\"", .cacheControl: "max-age=60"]
                )
        }
        var request = try bench.request()
        request.credential = Credential(user: "u", password: "p")
        #expect(try await bench.session.data(for: request).text == "body 2")
        let second = try await bench.session.data(for: request)
        #expect(second.isFromCache && second.text == "body 2" && bench.requestCount == 2)
    }

    // MARK: Stores that fail

    /// A store of which everything fails.
    private struct BrokenStore: CacheStore {
        struct Fault: Error {}

        let bodyLimit = 1_000_000

        func records(for key: String) throws -> [CacheRecord] { throw Fault() }
        func body(of record: CacheRecord, range: Range<Int>?) throws -> ResponseBody? { throw Fault() }
        func writer(for record: CacheRecord) throws -> any CacheBodyWriter { throw Fault() }
        func update(_ record: CacheRecord) throws { throw Fault() }
        func remove(_ record: CacheRecord) throws { throw Fault() }
        func removeAll(for key: String) throws { throw Fault() }
        func removeAll() throws { throw Fault() }
        func allRecords() throws -> [CacheRecord] { throw Fault() }
    }

    @Test func `a store that fails fails no request, and is told of once`() async throws {
        let bench = CacheBench(store: BrokenStore()) { _, number in .numbered(number, Self.fresh) }
        for number in 1...3 { #expect(try await bench.send().text == "body \(number)") }
        try await bench.send(.post)
        #expect(bench.failures.events.map(\.code) == [.storeFailed])
        #expect(try await networkingError { try await bench.cache.removeAll() }.code == .storeFailed)
    }

    @Test func `a body that is not there any more is fetched again`() async throws {
        struct BodilessStore: CacheStore {
            let memory = MemoryCacheStore()
            var bodyLimit: Int { memory.bodyLimit }

            func records(for key: String) -> [CacheRecord] { memory.records(for: key) }
            func body(of record: CacheRecord, range: Range<Int>?) -> ResponseBody? { nil }
            func writer(for record: CacheRecord) -> any CacheBodyWriter { memory.writer(for: record) }
            func update(_ record: CacheRecord) { memory.update(record) }
            func remove(_ record: CacheRecord) { memory.remove(record) }
            func removeAll(for key: String) { memory.removeAll(for: key) }
            func removeAll() { memory.removeAll() }
            func allRecords() -> [CacheRecord] { memory.allRecords() }
        }
        let bench = CacheBench(store: BodilessStore()) { _, number in .numbered(number, Self.fresh) }
        for number in 1...3 { #expect(try await bench.send().text == "body \(number)") }
        #expect(bench.failures.events.isEmpty)
    }
}
