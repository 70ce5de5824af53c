/// A task that waits to be told that its result lies ready. Must be resumed exactly once.
///
/// Unchecked, because it stands for the one suspension of every request: whoever holds one keeps it under a lock and takes it out
/// when it resumes it.
@safe struct SuspendedCaller: Sendable {
    private let continuation: UnsafeContinuation<Void, Never>

    /// Suspends the present task and hands it over.
    static func suspend(_ body: (SuspendedCaller) -> Void) async {
        await unsafe withUnsafeContinuation { continuation in
            body(unsafe SuspendedCaller(continuation: continuation))
        }
    }

    func resume() {
        unsafe continuation.resume()
    }
}
