import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cache against real origins. The suite has a few sequences, the same in each run;
/// `scripts/cache-differential` has more.
@Suite(.enabled(if: InteropServer.nginxOrigin.isExpected, "nginx is not running"), .timeLimit(.minutes(20)))
struct CacheDifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// The number of sequences, and the seed of the first one.
    static let count = environment["BLUEBONNET_DIFFERENTIAL"].flatMap { Int($0) } ?? 4
    static let seed = environment["BLUEBONNET_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: CacheOrigin.allCases)
    func `a cache uses what it may, and what it does not use is as the origin sends it`(
        origin: CacheOrigin
    ) async throws {
        var hits = 0
        for number in 0..<UInt64(Self.count) {
            let seed = Self.seed &+ number
            do {
                hits += try await hitsOfSequence(origin, seed: seed)
            } catch {
                Issue.record(error, "BLUEBONNET_SEED=\(seed), \(origin)")
            }
        }
        // A cache that is never used would keep all rules.
        #expect(hits > 10 * Self.count)
    }

    /// The number of requests of a sequence that the cache has answered.
    private func hitsOfSequence(_ origin: CacheOrigin, seed: UInt64) async throws -> Int {
        let offset = CacheSequence.Offset()
        let cache = HTTPCache(store: MemoryCacheStore(), isShared: false, whenStoreFails: nil) {
            Date(timeIntervalSinceNow: Double(offset.seconds))
        }
        return try await withSession(SessionConfiguration { $0.cache = cache }) { cached in
            try await withSession { plain in
                var sequence = CacheSequence(
                    origin,
                    run: "\(origin)-\(seed)-\(UUID().uuidString)",
                    seed: seed,
                    cached: cached,
                    plain: plain,
                    offset: offset
                )
                try await sequence.perform(steps: 120)
                return sequence.hits
            }
        }
    }
}
