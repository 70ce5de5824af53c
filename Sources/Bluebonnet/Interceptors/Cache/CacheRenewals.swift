import Synchronization

/// The renewals of a session: requests for responses in the place of stale ones that are used
/// meanwhile (RFC 5861 §3). One at a time for each stored response; they end with the session.
final class CacheRenewals: Sendable {
    /// The longest time of one, whatever the timeouts.
    static let time = Duration.seconds(60)

    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var isInvalid = false
    }

    private let state = Mutex(State())

    /// Begins a renewal, unless there is one for the same response, or the session has ended.
    func begin(_ identifier: UInt64, _ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isInvalid, state.tasks[identifier] == nil else { return }
            // Held until it ends, and cancelled with the session.
            state.tasks[identifier] = Task {
                await work()
                self.state.withLock { $0.tasks[identifier] = nil }
            }
        }
    }

    /// Cancels all.
    func invalidate() {
        let tasks = state.withLock { state in
            state.isInvalid = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Returns when those that are under way have ended.
    func waitUntilIdle() async {
        for task in state.withLock({ Array($0.tasks.values) }) { await task.value }
    }
}
