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

    /// The value at an age.
    func value(of head: ResponseHead, age: Int, timeToLive: Int) -> Value {
        let known = latest.withLock { $0 }
        if let known, known.age == age, known.timeToLive == timeToLive { return known }
        var status = CacheStatus()
        (status.isHit, status.timeToLive) = (true, timeToLive)
        // RFC 9111 §5.1: a response that was not confirmed tells its age.
        let value = Value(age: age, timeToLive: timeToLive, head: head.withAge(age), status: CopyOnWrite(status))
        latest.withLock { $0 = value }
        return value
    }
}
