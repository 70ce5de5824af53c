/// A Swift task that is suspended until it gets its result, or a signal that the result is ready.
/// Must be resumed exactly once.
///
/// The continuation is not checked, because every request is suspended once and must not pay for a
/// check. That is safe, because each owner keeps it under a lock, and takes it out there before it
/// resumes it.
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
    /// Suspends the present Swift task and hands it to the closure.
    static func suspend(_ body: (SuspendedCaller) -> Void) async throws -> Output {
        try await unsafe withUnsafeThrowingContinuation { continuation in
            body(unsafe SuspendedCaller(continuation: continuation))
        }
    }
}

extension SuspendedCaller where Failure == Never {
    /// Suspends the present Swift task and hands it to the closure.
    static func suspend(_ body: (SuspendedCaller) -> Void) async -> Output {
        await unsafe withUnsafeContinuation { continuation in
            body(unsafe SuspendedCaller(continuation: continuation))
        }
    }
}

extension SuspendedCaller where Output == Void, Failure == Never {
    func resume() {
        resume(returning: ())
    }
}
