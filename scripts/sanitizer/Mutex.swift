import Glibc

/// The lock of `Synchronization` once more, over `pthread_mutex_t`.
///
/// ThreadSanitizer does not see the futex calls of `Synchronization.Mutex` on Linux: every value
/// behind such a lock looks like a race to it. `scripts/sanitize` puts this file into each target
/// that imports `Synchronization`, in a copy of the tree. A type of a module's own goes before an
/// imported one of the same name, so nothing else changes.
@safe
struct Mutex<Value: ~Copyable>: ~Copyable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    init(_ initialValue: consuming sending Value) {
        unsafe lock = .allocate(capacity: 1)
        unsafe precondition(pthread_mutex_init(lock, nil) == 0)
        unsafe value = .allocate(capacity: 1)
        unsafe value.initialize(to: initialValue)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }
}

// The value is touched only while the lock is held.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}

extension Mutex where Value: ~Copyable {
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe precondition(pthread_mutex_lock(lock) == 0)
        defer { unsafe precondition(pthread_mutex_unlock(lock) == 0) }
        return try unsafe body(&value.pointee)
    }

    func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { unsafe precondition(pthread_mutex_unlock(lock) == 0) }
        return try unsafe body(&value.pointee)
    }
}
