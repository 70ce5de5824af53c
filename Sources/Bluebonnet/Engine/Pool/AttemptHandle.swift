import Synchronization

/// A connection attempt, as the pool knows it. The pool cancels it when no exchange waits for it
/// any more, also before it has begun.
final class AttemptHandle: Sendable {
    private struct State {
        var error: NetworkingError?
        var cancel: (@Sendable (NetworkingError) -> Void)?
    }

    private let state = Mutex(State())

    /// How far it came.
    let times = AttemptTimes()

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

/// The times of a connection that is being made, for an exchange that ends before it is there.
/// Apart from the handle, so that the exchange does not hold the attempt.
final class AttemptTimes: Sendable {
    private let times = Mutex(ConnectionTimes())

    var value: ConnectionTimes {
        get { times.withLock { $0 } }
        set { times.withLock { $0 = newValue } }
    }
}
