import Synchronization

/// A connection attempt, as the pool knows it. The pool cancels it when no exchange waits for it
/// any more, also before it has begun.
final class AttemptHandle: Sendable {
    private struct State {
        var error: NetworkingError?
        var cancel: (@Sendable (NetworkingError) -> Void)?
    }

    private let state = Mutex(State())

    /// Ends the attempt, which then fails with the error.
    func cancel(with error: NetworkingError) {
        let cancel = state.withLock { state in
            state.error = error
            defer { state.cancel = nil }
            return state.cancel
        }
        cancel?(error)
    }

    /// Sets the closure that ends the attempt, when it has begun. Runs it at once when the attempt
    /// was cancelled already.
    func whenCancelled(_ cancel: @escaping @Sendable (NetworkingError) -> Void) {
        let error = state.withLock { state in
            if state.error == nil { state.cancel = cancel }
            return state.error
        }
        if let error { cancel(error) }
    }
}
