import Synchronization

/// The head of a stored response with its `Age`, and the status of a hit: the same for all hits
/// within one second, and so made once for them.
final class AgedAnswer: Sendable {
    struct Value: Sendable {
        let age: Int
        let timeToLive: Int
        let head: ResponseHead
        let status: CopyOnWrite<CacheStatus>
    }

    private let latest = Mutex<Value?>(nil)

    /// The value at an age, of which the head is made where it is not known.
    func value(age: Int, timeToLive: Int, head: @autoclosure () -> ResponseHead) -> Value {
        let known = latest.withLock { $0 }
        if let known, known.age == age, known.timeToLive == timeToLive { return known }
        var status = CacheStatus()
        (status.isHit, status.timeToLive) = (true, timeToLive)
        let value = Value(age: age, timeToLive: timeToLive, head: head(), status: CopyOnWrite(status))
        latest.withLock { $0 = value }
        return value
    }
}
