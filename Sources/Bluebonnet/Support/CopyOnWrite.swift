/// A value behind one reference, copied only when it is changed while another copy holds the same
/// reference.
struct CopyOnWrite<Value: Sendable>: Sendable {
    // Unchecked Sendable: written only through `unique` below, which first makes sure that no other
    // struct holds the object.
    final class Storage: @unchecked Sendable {
        // Safe unchecked: a writer holds the only struct that refers to the object, and the
        // exclusive access to that struct is checked. Checked here as well, it would cost every
        // read of a request's properties.
        @safe @exclusivity(unchecked) var value: Value

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
        _modify { yield &unique.value }
    }

    /// The object, which no other struct holds: for accessors that change one member in place and
    /// then forget it. Through `value` they would be one coroutine inside another, which takes
    /// memory from the heap.
    var unique: Storage {
        mutating get {
            if !isKnownUniquelyReferenced(&storage) { copy() }
            return storage
        }
    }

    // Apart, or the accessors that change a member would keep room for a second value.
    @inline(never)
    private mutating func copy() {
        storage = Storage(storage.value)
    }
}
