import FoundationEssentials
import Synchronization

/// The requests that others wait for, by key: tasks of this process, and other processes where the
/// store has a turn for each.
final class CacheFetches: Sendable {
    /// The store of several processes; nil for any other, which costs nothing.
    let sharing: (any FetchSharingStore)?
    private let work = SharedWork<String, HTTPCache.FetchOutcome>()
    private let leases = Mutex<[String: Data]>([:])

    init(_ store: any CacheStore) {
        sharing = store as? any FetchSharingStore
    }

    /// The number of tasks that wait, for tests.
    var waiterCount: Int { work.waiterCount }

    /// Begins a request, if none is under way in this process.
    func begin(_ key: String) -> Bool { work.begin(key) }

    /// Waits for the request under way in this process.
    func outcome(of key: String) async -> HTTPCache.FetchOutcome? { await work.outcome(of: key) }

    /// Notes the right of this process to send the request under way.
    func hold(_ lease: Data, of key: String) {
        leases.withLock { $0[key] = lease }
    }

    /// Ends the request, for all who wait.
    func end(_ key: String, with outcome: HTTPCache.FetchOutcome?) {
        // The lease first: whoever begins after the end takes one of its own.
        if let sharing, let lease = leases.withLock({ $0.removeValue(forKey: key) }) {
            sharing.endFetch(lease, of: key, isStored: outcome.map { $0 == .stored })
        }
        work.end(key, with: outcome)
    }
}
