import Synchronization

/// The keys that unsafe requests of the process have made outdated, so that a response whose
/// request was sent before is not stored behind them (RFC 9111 §4.4).
final class Invalidations: Sendable {
    /// The most keys that are noted. Beyond them, everything that is under way counts as outdated.
    static let most = 1024

    private struct State {
        /// The generation that an invalidation has begun, by key.
        var keys: [String: UInt64] = [:]
        /// What was sent before this one is outdated, whatever its key.
        var floor: UInt64 = 0
    }

    private let count = Atomic<UInt64>(0)
    private let state = Mutex(State())

    /// The number of invalidations so far.
    var generation: UInt64 { count.load(ordering: .acquiring) }

    /// Notes that what is under way for a key is outdated.
    func add(_ key: String) {
        state.withLock { state in
            let generation = count.load(ordering: .relaxed) + 1
            if state.keys.count >= Self.most, state.keys[key] == nil {
                state.keys = [:]
                state.floor = generation
            }
            state.keys[key] = generation
            count.store(generation, ordering: .releasing)
        }
    }

    /// Whether a key was made outdated since a generation.
    func contains(_ key: String, since generation: UInt64) -> Bool {
        guard generation != self.generation else { return false }
        return state.withLock { generation < $0.floor || generation < $0.keys[key] ?? 0 }
    }
}

extension HTTPCache {
    /// Removes the responses of a key that an unsafe request has made outdated, and has none of
    /// those under way stored.
    func invalidate(_ key: String) async {
        // First, so that a response that is stored meanwhile is removed by one of the two.
        invalidations.add(key)
        await attempt { try await $0.removeAll(for: key) }
    }

    /// The generation of a request that is sent now.
    var generation: UInt64 { invalidations.generation }

    /// Whether the response to a request of a generation is outdated.
    func isInvalidated(_ key: String, since generation: UInt64) -> Bool {
        invalidations.contains(key, since: generation)
    }
}
