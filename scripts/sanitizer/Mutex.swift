import Glibc

/// A replacement for the lock of `Synchronization`, made of a `pthread_mutex_t`.
///
/// ThreadSanitizer does not see the futex calls of `Synchronization.Mutex` on Linux: it reports
/// every value behind such a lock as a race. `scripts/sanitize` puts this file into each target
/// that imports `Synchronization`, in a copy of the tree. A module's type hides an imported one
/// with the same name, so that nothing else changes.
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

// There is no race: every access to the value is made while the lock is held.
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
