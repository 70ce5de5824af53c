import Synchronization

/// An outcome that comes once, as that of a task, and those who wait for it.
final class TaskEnding<Outcome: Sendable>: Sendable {
    private struct State {
        var outcome: Outcome?
        var listeners: [@Sendable (Outcome) -> Void] = []
    }

    private let state = Mutex(State())

    /// Whether somebody waits. When their task is released meanwhile, it has never started: they
    /// hold those that have.
    var isAwaited: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Notes the outcome, and tells those who wait. Only the first outcome counts.
    func end(_ outcome: Outcome) {
        let listeners = state.withLock { state -> [@Sendable (Outcome) -> Void] in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener(outcome) }
    }

    /// Calls the closure once, when the outcome is there.
    func whenThere(_ body: @escaping @Sendable (Outcome) -> Void) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.listeners.append(body) }
            return state.outcome
        }
        if let outcome { body(outcome) }
    }

    /// Waits for the outcome.
    ///
    /// - Parameter cancel: Called when the Swift task is cancelled meanwhile.
    /// - Returns: The outcome.
    func outcome(onCancel cancel: @Sendable () -> Void) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                whenThere { continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancel()
        }
    }
}
