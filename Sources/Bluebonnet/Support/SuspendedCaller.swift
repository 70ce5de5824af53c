/// A task that waits for its result, or to be told that the result lies ready. Must be resumed
/// exactly once.
///
/// Unchecked, because it stands for the one suspension of every request: whoever holds one keeps it
/// under a lock and takes it out when it resumes it.
@safe struct SuspendedCaller<Output: Sendable, Failure: Error>: Sendable {
    private let continuation: UnsafeContinuation<Output, Failure>

    func resume(returning output: Output) {
        unsafe continuation.resume(returning: output)
    }

    func resume(throwing error: Failure) {
        unsafe continuation.resume(throwing: error)
    }
}

extension SuspendedCaller where Failure == any Error {
    /// Suspends the present task and hands it over.
    static func suspend(_ body: (SuspendedCaller) -> Void) async throws -> Output {
        try await unsafe withUnsafeThrowingContinuation { continuation in
            body(unsafe SuspendedCaller(continuation: continuation))
        }
    }
}

extension SuspendedCaller where Output == Void, Failure == Never {
    /// Suspends the present task and hands it over.
    static func suspend(_ body: (SuspendedCaller) -> Void) async {
        await unsafe withUnsafeContinuation { continuation in
            body(unsafe SuspendedCaller(continuation: continuation))
        }
    }

    func resume() {
        resume(returning: ())
    }
}
