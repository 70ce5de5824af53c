import Synchronization

/// One attempt to connect, as the pool knows it: ends it when nobody waits for it any more, also
/// before it has begun.
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

    /// The attempt has begun: the closure ends it. Runs at once when that is wanted already.
    func whenCancelled(_ cancel: @escaping @Sendable (NetworkingError) -> Void) {
        let error = state.withLock { state in
            if state.error == nil { state.cancel = cancel }
            return state.error
        }
        if let error { cancel(error) }
    }
}
