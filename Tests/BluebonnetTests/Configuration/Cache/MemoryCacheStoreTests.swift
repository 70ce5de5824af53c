import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The store in memory: its order, its bounds and its cost.
struct MemoryCacheStoreTests {
    private func record(_ key: String, _ number: Int = 0, varying: String? = nil) -> CacheRecord {
        CacheRecord(
            identifier: UInt64(number + 1),
            key: key,
            url: URL(filePath: "/"),
            head: ResponseHead(status: .ok),
            varying: varying.map { [.init(name: "accept", value: $0)] } ?? [],
            requestedAt: 0,
            receivedAt: 0
        )
    }

    @Test func `the response that was not used for the longest time makes room`() {
        let store = MemoryCacheStore(capacity: 40_000)
        for number in 0..<4 { store.store(record("k\(number)", number), .data(Data(count: 8_000))) }
        #expect(store.body(of: record("k0", 0), range: nil) != nil)
        store.store(record("k4", 4), .data(Data(count: 8_000)))
        #expect(store.allRecords().map(\.key) == ["k4", "k0", "k3", "k2"])
        #expect(store.byteCount <= 40_000)
    }

    @Test func `a response takes the place of that for the same requests`() async throws {
        let store = MemoryCacheStore()
        store.store(record("k", 1, varying: "a"), .data(Data("1".utf8)))
        store.store(record("k", 2, varying: "b"), .data(Data("2".utf8)))
        store.store(record("k", 3, varying: "a"), .data(Data("3".utf8)))
        #expect(Set(store.records(for: "k").map(\.identifier)) == [3, 4])
        #expect(store.body(of: record("k", 1), range: nil) == nil)
        #expect(try await store.body(of: record("k", 3), range: nil)?.collect() == Data("3".utf8))
    }

    @Test func `what is removed gives its room back`() {
        let store = MemoryCacheStore()
        for number in 0..<10 {
            store.store(record("k\(number % 2)", number, varying: "\(number)"), .data(Data(count: 100)))
        }
        store.remove(record("k0", 0))
        #expect(store.allRecords().count == 9)
        store.removeAll(for: "k1")
        #expect(store.allRecords().count == 4 && store.records(for: "k1").isEmpty)
        store.removeAll()
        #expect(store.byteCount == 0 && store.allRecords().isEmpty)
    }

    @Test func `many variants and many keys cost time in proportion`() {
        let store = MemoryCacheStore(capacity: 8 << 20)
        for number in 0..<50_000 {
            store.store(record("same", number, varying: "\(number)"), .data(Data(count: 10)))
        }
        #expect(store.records(for: "same").count == HTTPCache.mostVariants)
        for number in 0..<50_000 { store.store(record("k\(number)", number + 50_000), .data(Data(count: 10))) }
        #expect(store.byteCount <= 8 << 20)
    }

    @Test func `the bytes of a small body do not keep a large buffer alive`() async throws {
        let store = MemoryCacheStore()
        let writer = store.writer(for: record("k"))
        try await writer.write(Data(count: 100_000))
        try await writer.write(Data(count: 1_000))
        try await writer.finish(record("k").complete(byteCount: 101_000, trailers: [:]))
        #expect(store.byteCount < 210_000)
        #expect(try await store.body(of: record("k"), range: 50..<60)?.collect().count == 10)
    }

    @Test func `a writer that is cancelled stores nothing`() async throws {
        let store = MemoryCacheStore()
        let writer = store.writer(for: record("k"))
        try await writer.write(Data(count: 10))
        writer.cancel()
        #expect(store.allRecords().isEmpty)
    }

    @Test func `bodies that are being written count towards the capacity`() async throws {
        let store = MemoryCacheStore(capacity: 80_000)
        for number in 0..<3 { store.store(record("k\(number)", number), .data(Data(count: 8_000))) }
        let writers = (0..<8).map { store.writer(for: record("w\($0)", $0 + 10)) }
        for writer in writers { try await writer.write(Data(count: 9_000)) }
        #expect(store.allRecords().isEmpty)
        let late = store.writer(for: record("late", 30))
        await #expect(throws: NetworkingError.self) { try await late.write(Data(count: 9_000)) }
        late.cancel()
        for writer in writers.prefix(2) { writer.cancel() }
        store.removeAll()
        // What one gives back another one can have.
        let next = store.writer(for: record("next", 31))
        try await next.write(Data(count: 9_000))
        try await next.finish(record("next", 31).complete(byteCount: 9_000, trailers: [:]))
        #expect(store.allRecords().map(\.key) == ["next"])
        for writer in writers.dropFirst(2) { writer.cancel() }
        for number in 0..<3 { store.store(record("k\(number)", number), .data(Data(count: 8_000))) }
        #expect(store.allRecords().count == 4)
    }

    @Test func `a full memory is no failure of the store`() async throws {
        let origin = RangedOrigin(Data(count: 9_000))
        let store = MemoryCacheStore(capacity: 80_000)
        let writers = (0..<8).map { store.writer(for: record("w\($0)", $0)) }
        for writer in writers { try await writer.write(Data(count: 9_000)) }
        let bench = CacheBench(store: store) { _, _ in
            var response = origin.whole
            response.streamedBody = .stream(
                AsyncStream { [body = response.body] in
                    $0.yield(body)
                    $0.finish()
                }
            )
            return response
        }
        #expect(try await bench.send().value.count == 9_000)
        #expect(bench.failures.events.isEmpty && store.allRecords().isEmpty)
        for writer in writers { writer.cancel() }
        #expect(try await bench.send().value.count == 9_000)
        #expect(store.allRecords().count == 1)
    }
}
