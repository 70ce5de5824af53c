import Synchronization

/// A counter for several threads.
final class Counter: Sendable {
    private let count = Atomic(0)

    /// The number so far.
    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Counts one more and returns the new number.
    @discardableResult
    func increment() -> Int { add(1) }

    /// Adds a number and returns the new one.
    @discardableResult
    func add(_ number: Int) -> Int {
        count.add(number, ordering: .sequentiallyConsistent).newValue
    }
}

/// A log of events from any thread, in order.
final class EventLog<Event: Sendable>: Sendable {
    private let storage = Mutex<[Event]>([])

    /// The events so far.
    var events: [Event] { storage.withLock { $0 } }

    /// Adds an event.
    func append(_ event: Event) {
        storage.withLock { $0.append(event) }
    }
}
