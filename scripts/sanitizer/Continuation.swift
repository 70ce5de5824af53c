/// Replacements for the functions of the standard library that suspend a task until its
/// continuation is resumed. They tell ThreadSanitizer that the task goes on after it was resumed.
///
/// The runtime tells it so only when the task already waits. When another thread resumes the
/// continuation before the task begins to wait, the runtime reports the resume (the release) but
/// not that the task goes on (the acquire), and everything that the task then does with the result
/// is reported as a race. A program of 20 lines shows it: sleep at the end of the closure that
/// gives the continuation away. `scripts/sanitize` puts this file into each target that uses these
/// functions, in a copy of the tree. A module's function hides an imported one with the same name,
/// so that nothing else changes.

/// The sanitizer's own function: what happened before the release of this address on another
/// thread happens before what follows.
@_silgen_name("__tsan_acquire")
private func acquire(_ address: UnsafeMutableRawPointer)

/// The address that the runtime releases when it resumes a continuation is the task's.
private func acquireResume() {
    unsafe withUnsafeCurrentTask { task in
        guard let task = unsafe task else { return }
        unsafe acquire(unsafeBitCast(task, to: UnsafeMutableRawPointer.self))
    }
}

func withUnsafeThrowingContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (UnsafeContinuation<Value, any Error>) -> Void
) async throws -> sending Value {
    defer { acquireResume() }
    return try await unsafe _Concurrency.withUnsafeThrowingContinuation(isolation: isolation, body)
}

func withUnsafeContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (UnsafeContinuation<Value, Never>) -> Void
) async -> sending Value {
    defer { acquireResume() }
    return await unsafe _Concurrency.withUnsafeContinuation(isolation: isolation, body)
}

func withCheckedThrowingContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation,
    function: String = #function,
    _ body: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> sending Value {
    defer { acquireResume() }
    return try await _Concurrency.withCheckedThrowingContinuation(
        isolation: isolation,
        function: function,
        body
    )
}

func withCheckedContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation,
    function: String = #function,
    _ body: (CheckedContinuation<Value, Never>) -> Void
) async -> sending Value {
    defer { acquireResume() }
    return await _Concurrency.withCheckedContinuation(
        isolation: isolation,
        function: function,
        body
    )
}
