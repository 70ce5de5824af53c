/// The converted keys of an object, shared by all objects that have the same keys in
/// the same order.
///
/// Used where keys are converted, and where an object repeats a key.
final class JSONKeyShape {
    /// An object that has these keys.
    let example: Int
    /// The converted keys; nil for a key that repeats an earlier one.
    let names: [String?]
    private let positions: [String: Int]

    init(example: Int, keys: [String]) {
        self.example = example
        var positions: [String: Int] = [:]
        positions.reserveCapacity(keys.count)
        names = keys.enumerated().map { position, key in
            if positions[key] != nil { return nil }
            positions[key] = position
            return key
        }
        self.positions = positions
    }

    /// The position of a key; the expected one is tried first.
    func position(of name: String, expected: Int) -> Int? {
        expected < names.count && names[expected] == name ? expected : positions[name]
    }
}

/// The place where a key was last found: most types read their keys in the order in which servers
/// write them.
struct JSONKeyCursor {
    /// The object, or -1.
    var owner = -1
    /// The index of the key after the one that was found.
    var index = 0
    /// The position of that key among the object's keys, where a shape is used.
    var position = 0
    /// The number of keys that were passed in vain; when it is too large, the keys are indexed.
    var wasted = 0
    /// The object's keys, where they are not compared as they are written.
    var shape: JSONKeyShape?
}
