import Synchronization

/// A number that several threads count up.
final class Counter: Sendable {
    private let count = Mutex(0)

    /// The number so far.
    var value: Int { count.withLock { $0 } }

    /// Counts one more and answers the new number.
    @discardableResult
    func increment() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
