import Synchronization

/// A gate at which a scripted connection waits until the test opens it.
///
/// An open gate stays open.
package final class FaultGate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    package init() {}

    /// Opens the gate for all connections that wait now or later.
    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters {
            waiter()
        }
    }

    /// Calls back once the gate is open, at once when it is open already.
    package func whenOpen(_ callback: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen {
                state.waiters.append(callback)
            }
            return state.isOpen
        }
        if isOpen {
            callback()
        }
    }

    /// Returns when the gate is open, or the Swift task is cancelled.
    package func wait() async {
        let (opened, continuation) = AsyncStream.makeStream(of: Never.self)
        whenOpen { continuation.finish() }
        for await _ in opened {}
    }
}
