/// A task that waits for its result. Must be resumed exactly once.
///
/// Unchecked, because it stands for the one suspension of every request: whoever holds one keeps it under a lock and takes it out
/// when it resumes it.
@safe struct SuspendedCaller<Result: Sendable>: Sendable {
    private let continuation: UnsafeContinuation<Result, any Error>

    /// Suspends the present task and hands it over.
    static func suspend(_ body: (SuspendedCaller) -> Void) async throws -> Result {
        try await unsafe withUnsafeThrowingContinuation { continuation in
            body(unsafe SuspendedCaller(continuation: continuation))
        }
    }

    func resume(returning result: Result) {
        unsafe continuation.resume(returning: result)
    }

    func resume(throwing error: any Error) {
        unsafe continuation.resume(throwing: error)
    }
}
