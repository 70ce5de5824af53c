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

/// Stores that give each process its turn.
@Suite(.timeLimit(.minutes(5)))
struct CacheSharingTests {
    /// A store whose answer comes late, also to a task that is cancelled.
    private final class LateStore: FetchSharingStore {
        let (asked, gate) = (Gate(), Gate())
        let ended = Mutex<[Data]>([])
        private let memory = MemoryCacheStore()

        var bodyLimit: Int { memory.bodyLimit }

        func turn(toFetch key: String, patience: Duration) async throws -> CacheFetchTurn {
            asked.open()
            await gate.wait()
            return .lease(Data(key.utf8))
        }

        func endFetch(_ lease: Data, of key: String, isStored: Bool?) {
            ended.withLock { $0.append(lease) }
        }

        func records(for key: String) -> [CacheRecord] { memory.records(for: key) }
        func body(of record: CacheRecord, range: Range<Int>?) -> ResponseBody? { memory.body(of: record, range: range) }
        func writer(for record: CacheRecord) -> any CacheBodyWriter { memory.writer(for: record) }
        func update(_ record: CacheRecord) { memory.update(record) }
        func remove(_ record: CacheRecord) { memory.remove(record) }
        func removeAll(for key: String) { memory.removeAll(for: key) }
        func removeAll() { memory.removeAll() }
        func allRecords() -> [CacheRecord] { memory.allRecords() }
    }

    @Test func `a right that comes when its task is over is given back`() async throws {
        let store = LateStore()
        let bench = CacheBench(store: store) { _, number in .numbered(number, [.cacheControl: "max-age=60"]) }
        let task = bench.session.dataTask(for: try bench.request())
        task.resume()
        await store.asked.wait()
        task.cancel()
        #expect(try await networkingError { try await task.value }.code == .cancelled)
        store.gate.open()
        try await until("the right is given back") { store.ended.withLock { $0.count } == 1 }
        #expect(bench.requestCount == 0)
        #expect(try await bench.send().text == "body 1")
        #expect(try await bench.send().isFromCache)
        #expect(store.ended.withLock { $0.count } == 2)
    }
}
