import Synchronization

/// A value that many tasks read and change.
final class Guarded<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    init(_ value: Value) {
        storage = Mutex(value)
    }

    var value: Value { storage.withLock { $0 } }

    func change(_ change: (inout Value) -> Void) {
        storage.withLock { value in
            var changed = value
            change(&changed)
            value = changed
        }
    }
}
