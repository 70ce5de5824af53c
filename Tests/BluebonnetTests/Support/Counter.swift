import Synchronization

/// A number that several threads count up.
final class Counter: Sendable {
    private let count = Atomic(0)

    /// The number so far.
    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Counts one more and returns the new number.
    @discardableResult
    func increment() -> Int { add(1) }

    /// Counts so many more and returns the new number.
    @discardableResult
    func add(_ number: Int) -> Int {
        count.add(number, ordering: .sequentiallyConsistent).newValue
    }
}

/// What happened, in order, from any thread.
final class EventLog<Event: Sendable>: Sendable {
    private let storage = Mutex<[Event]>([])

    /// What happened so far.
    var events: [Event] { storage.withLock { $0 } }

    /// Adds what has just happened.
    func append(_ event: Event) {
        storage.withLock { $0.append(event) }
    }
}
