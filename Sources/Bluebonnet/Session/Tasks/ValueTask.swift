import Synchronization

/// A task that ends with a value, or with an error: a ``DataTask`` or a ``DownloadTask``.
///
/// No counterpart: the tasks of AFNetworking and Alamofire know no type of value.
public protocol ValueTask<Output>: SessionTask {
    /// The value.
    associatedtype Output: Sendable

    /// The response or the error, as one value; starts the task if it was not started. Cancelling
    /// the Swift task that awaits cancels this task.
    var result: Result<Response<Output>, NetworkingError> { get async }

    /// Calls the closure once when the task is over, on no particular thread; at once if it is
    /// over.
    func whenComplete(_ body: @escaping @Sendable (Result<Response<Output>, NetworkingError>) -> Void)

    /// Calls the closure whenever bytes were transferred, on no particular thread; unlike
    /// ``SessionTask/progress``, it leaves no change out.
    func onProgress(_ body: @escaping @Sendable (TaskProgress) -> Void)
}

extension ValueTask {
    /// The value; starts the task if it was not started. Cancelling the Swift task that awaits
    /// cancels this task.
    ///
    /// - Throws: ``NetworkingError``.
    public var value: Output {
        get async throws(NetworkingError) { try await result.get().value }
    }

    /// The value with everything that was received; starts the task if it was not started.
    /// Cancelling the Swift task that awaits cancels this task.
    ///
    /// - Throws: ``NetworkingError``.
    public var response: Response<Output> {
        get async throws(NetworkingError) { try await result.get() }
    }
}

/// The outcome of a task, which comes once, and those who wait for it.
final class TaskEnding<Outcome: Sendable>: Sendable {
    private struct State {
        var outcome: Outcome?
        var listeners: [@Sendable (Outcome) -> Void] = []
    }

    private let state = Mutex(State())

    /// Whether somebody waits. When their task is released meanwhile, it has never started: they
    /// hold those that have.
    var isAwaited: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Notes the outcome, and tells those who wait.
    func end(_ outcome: Outcome) {
        let listeners = state.withLock { state in
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
