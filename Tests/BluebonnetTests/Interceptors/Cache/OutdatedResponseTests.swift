import BluebonnetTesting
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Responses that are outdated while they are received (RFC 9111 §4.4), and renewals of requests
/// that have other cookies by now.
@Suite(.timeLimit(.minutes(5)))
struct OutdatedResponseTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    @Test(arguments: [false, true])
    func `a response under way when a POST invalidates its URL is not stored`(_ comesInPieces: Bool) async throws {
        let (gate, isAtServer) = (Gate(), Gate())
        let bench = CacheBench { request, number in
            guard request.method == .get else { return StubResponse() }
            if number == 1 {
                isAtServer.open()
                await gate.wait()
            }
            var response = StubResponse.numbered(number, Self.fresh)
            if comesInPieces {
                let body = response.body
                response.body = Data()
                response.streamedBody = .stream(
                    AsyncStream { continuation in
                        continuation.yield(body)
                        continuation.finish()
                    }
                )
            }
            return response
        }
        let first = Task { try await bench.send() }
        await isAtServer.wait()
        try await bench.send(.post)
        gate.open()
        #expect(try await first.value.text == "body 1")
        #expect(try await bench.cache.records().isEmpty)
        #expect(try await bench.send().text == "body 3")
        #expect(try await bench.send().isFromCache)
    }

    @Test func `only the keys that were invalidated since count, as long as they are not too many`() {
        let invalidations = Invalidations()
        let first = invalidations.generation
        invalidations.add("a")
        #expect(invalidations.contains("a", since: first) && !invalidations.contains("b", since: first))
        let second = invalidations.generation
        #expect(!invalidations.contains("a", since: second))
        for number in 0..<Invalidations.most { invalidations.add("k\(number)") }
        // Beyond the bound everything that was sent before counts.
        #expect(invalidations.contains("b", since: second))
        #expect(!invalidations.contains("b", since: invalidations.generation))
    }

    /// A store in memory that does something at the next look-up.
    private final class WatchedStore: CacheStore {
        private let memory = MemoryCacheStore()
        private let action = Mutex<(@Sendable () -> Void)?>(nil)

        private let refuses = Mutex(false)

        var bodyLimit: Int { memory.bodyLimit }

        func refuseRemovals(_ refuses: Bool) {
            self.refuses.withLock { $0 = refuses }
        }

        func atNextLookup(_ body: @escaping @Sendable () -> Void) {
            action.withLock { $0 = body }
        }

        func records(for key: String) -> [CacheRecord] {
            let body = action.withLock { action in
                defer { action = nil }
                return action
            }
            body?()
            return memory.records(for: key)
        }

        func body(of record: CacheRecord, range: Range<Int>?) -> ResponseBody? { memory.body(of: record, range: range) }
        func writer(for record: CacheRecord) -> any CacheBodyWriter { memory.writer(for: record) }
        func update(_ record: CacheRecord) { memory.update(record) }
        func remove(_ record: CacheRecord) { memory.remove(record) }
        func removeAll(for key: String) throws {
            if refuses.withLock({ $0 }) { throw NetworkingError(.storeFailed, "It is away.") }
            memory.removeAll(for: key)
        }
        func removeAll() { memory.removeAll() }
        func allRecords() -> [CacheRecord] { memory.allRecords() }
    }

    @Test func `what a store could not remove is not used, and is removed when the store is back`() async throws {
        let store = WatchedStore()
        let bench = CacheBench(store: store) { _, number in .numbered(number, Self.fresh) }
        for path in ["/a", "/b"] { try await bench.send(.get, path) }
        store.refuseRemovals(true)
        for path in ["/a", "/b"] { try await bench.send(.post, path) }
        #expect(bench.failures.events.count == 1)
        #expect(try await bench.send().text == "body 5")
        // Other processes have the store too: it is removed with the next request of this one.
        store.refuseRemovals(false)
        bench.move(by: 1)
        try await bench.send(.get, "/c")
        #expect(store.allRecords().map(\.key) == [try bench.request(.get, "/c").cacheKey])
        #expect(try await bench.send(.get, "/b").text == "body 7")
        #expect(try await bench.send(.get, "/b").isFromCache)
    }

    @Test func `the keys that a store could not remove are bounded, and tried once in a second`() {
        let invalidations = Invalidations()
        for number in 0...Invalidations.most { invalidations.note("k\(number)", isOwed: true) }
        #expect(invalidations.due(at: 7).count == Invalidations.most)
        #expect(invalidations.due(at: 7).isEmpty)
        for number in 0...Invalidations.most { invalidations.note("k\(number)", isOwed: false) }
        #expect(!invalidations.isOwing && invalidations.due(at: 8).isEmpty)
    }

    @Test func `a renewal whose cookies have changed is sent with the new ones`() async throws {
        let (store, jar) = (WatchedStore(), CookieJar())
        let bench = CacheBench(store: store) {
            $0.cookieJar = jar
        } respond: { _, number in
            .numbered(number, [.cacheControl: "max-age=60, stale-while-revalidate=60"])
        }
        let url = try bench.request().url
        try await bench.send()
        bench.move(by: 70)
        store.atNextLookup { jar.set("a=1", from: url) }
        #expect(try await bench.send().text == "body 1")
        let renewal = await bench.transport.requests(count: 2).last
        #expect(renewal?.headerFields[.cookie] == "a=1")
        try await until("it is renewed") {
            store.allRecords().map { Int($0.receivedAt.timeIntervalSince1970) } == [bench.now]
        }
        #expect(try await bench.send().text == "body 2")
    }
}
