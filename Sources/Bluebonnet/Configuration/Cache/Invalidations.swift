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
        /// The keys whose responses the store could not remove.
        var owed: Set<String> = []
        /// The second since 1970 in which their removal was tried again.
        var triedAt = -1
    }

    private let count = Atomic<UInt64>(0)
    private let owedCount = Atomic<Int>(0)
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

    // MARK: What the store could not remove

    /// Whether the store has something that it could not remove.
    var isOwing: Bool { owedCount.load(ordering: .acquiring) > 0 }

    /// Whether the store has something outdated for a key.
    func isOwed(_ key: String) -> Bool { state.withLock { $0.owed.contains(key) } }

    /// Notes whether the store has something outdated for a key.
    func note(_ key: String, isOwed: Bool) {
        state.withLock { state in
            if isOwed {
                // Any of them is forgotten: each costs memory.
                if state.owed.count >= Self.most, let some = state.owed.first { state.owed.remove(some) }
                state.owed.insert(key)
            } else {
                state.owed.remove(key)
            }
            owedCount.store(state.owed.count, ordering: .releasing)
        }
    }

    /// The keys whose removal is to be tried again, once in a second.
    func due(at time: Int) -> [String] {
        state.withLock { state in
            guard state.triedAt != time else { return [] }
            state.triedAt = time
            return Array(state.owed)
        }
    }
}

extension HTTPCache {
    /// Removes the responses of a key that an unsafe request has made outdated, and has none of
    /// those under way stored.
    func invalidate(_ key: String) async {
        // First, so that a response that is stored meanwhile is removed by one of the two.
        invalidations.add(key)
        await removeOutdated(key)
    }

    /// Whether the store still has something outdated for a key, because it failed when that was
    /// to be removed. It is tried again, for all keys.
    func hasOutdated(_ key: String) async -> Bool {
        for other in invalidations.due(at: time) {
            // Where it fails again it would for the others.
            guard await removeOutdated(other) else { break }
        }
        return invalidations.isOwed(key)
    }

    @discardableResult
    private func removeOutdated(_ key: String) async -> Bool {
        do {
            try await store.removeAll(for: key)
        } catch {
            invalidations.note(key, isOwed: true)
            note(error)
            return false
        }
        if invalidations.isOwing { invalidations.note(key, isOwed: false) }
        return true
    }

    /// The generation of a request that is sent now.
    var generation: UInt64 { invalidations.generation }

    /// Whether the response to a request of a generation is outdated.
    func isInvalidated(_ key: String, since generation: UInt64) -> Bool {
        invalidations.contains(key, since: generation)
    }
}
