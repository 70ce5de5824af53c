/// A value behind one reference, copied only when it is changed while somebody else holds it too.
struct CopyOnWrite<Value: Sendable>: Sendable {
    // Unchecked Sendable: written only through `value` below, which first makes sure that nobody else holds the object.
    private final class Storage: @unchecked Sendable {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var storage: Storage

    init(_ value: Value) {
        storage = Storage(value)
    }

    var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}
