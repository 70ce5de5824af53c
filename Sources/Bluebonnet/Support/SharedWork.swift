import Synchronization

/// Has one of many callers do a piece of work, and the others wait for what comes of it.
final class SharedWork<Key: Hashable & Sendable, Outcome: Sendable>: Sendable {
    private struct State {
        /// The waiters of the work under way.
        var work: [Key: [Int: SuspendedCaller<Outcome?, Never>]] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Begins the work, if it is not under way. Who gets true does it, and calls ``end(_:with:)``
    /// in every case.
    func begin(_ key: Key) -> Bool {
        state.withLock { state in
            guard state.work[key] == nil else { return false }
            state.work[key] = [:]
            return true
        }
    }

    /// Waits for the work under way. Cancelling the Swift task ends the wait.
    ///
    /// - Returns: The outcome; nil where there is no work, whoever did it gave up, or the wait was
    ///   cancelled.
    func outcome(of key: Key) async -> Outcome? {
        await wait(key) { false }
    }

    /// Waits for the work, which the closure begins if it is not under way. Cancelling the Swift
    /// task ends the wait, not the work.
    ///
    /// - Parameters:
    ///   - key: The work.
    ///   - isWanted: Whether the work is to be begun; asked in the same step in which the work
    ///     under way is looked for. It must not call this object.
    ///   - begin: Begins the work.
    /// - Returns: The outcome; nil where the wait was cancelled, or nothing was to be begun.
    func outcome(
        of key: Key,
        ifWanted isWanted: @Sendable () -> Bool,
        begin: @Sendable () -> Void
    ) async -> Outcome? {
        await wait(key, begins: isWanted, begin: begin)
    }

    /// The number of all who wait, for tests.
    var waiterCount: Int { state.withLock { $0.work.values.reduce(0) { $0 + $1.count } } }

    /// Ends the work, and hands the outcome to all who wait.
    func end(_ key: Key, with outcome: Outcome?) {
        let waiters = state.withLock { $0.work.removeValue(forKey: key) }
        for waiter in (waiters ?? [:]).sorted(by: { $0.key < $1.key }) { waiter.value.resume(returning: outcome) }
    }

    private func wait(
        _ key: Key,
        begins: @Sendable () -> Bool,
        begin: @Sendable () -> Void = {}
    ) async -> Outcome? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await SuspendedCaller.suspend { (caller: SuspendedCaller<Outcome?, Never>) in
                let (isWaiting, isFirst) = state.withLock { state -> (Bool, Bool) in
                    if state.work[key] != nil {
                        state.work[key]?[number] = caller
                        return (true, false)
                    }
                    guard begins() else { return (false, false) }
                    state.work[key] = [number: caller]
                    return (true, true)
                }
                guard isWaiting else { return caller.resume(returning: nil) }
                if isFirst { begin() }
                // The handler may have run before there was anything to cancel.
                if Task.isCancelled { leave(key, number) }
            }
        } onCancel: {
            leave(key, number)
        }
    }

    private func leave(_ key: Key, _ number: Int) {
        state.withLock { $0.work[key]?.removeValue(forKey: number) }?.resume(returning: nil)
    }
}
