import Synchronization

/// The writes to a file that are under way. Whoever gives the file to others waits for them: a
/// source that does not end when it is stopped may still write.
final class OngoingWrites: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        /// Those who wait for the last write.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Runs a write.
    ///
    /// - Throws: What the write throws; `CancellationError`, and nothing is run, after ``close()``.
    func perform<Value>(_ write: () throws -> Value) throws -> Value {
        try state.withLock { state in
            guard !state.isClosed else { throw CancellationError() }
            state.count += 1
        }
        defer { end() }
        return try write()
    }

    private func end() {
        let waiters = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Lets no other write begin, and returns when none is under way.
    func close() async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            let waits = state.withLock { state in
                state.isClosed = true
                if state.count > 0 { state.waiters.append(waiter) }
                return state.count > 0
            }
            if !waits { waiter.resume() }
        }
    }
}
