import Synchronization

/// A JSON object: keys and values in the order in which they were written or added.
///
/// Keys are unique; where a document repeats a key, the last value is at the place of the
/// first. Equality and hashing ignore the order. Keys are the same when they are equal as Swift
/// strings, as in a dictionary: `é` in one scalar and in two is one key, though RFC 8259 §8.3
/// advises to compare code units. Small objects are searched key by key, large ones have an index.
///
/// Counterpart of the `NSDictionary` objects in what `AFJSONResponseSerializer` returns.
public struct JSONObject: Sendable {
    /// A key and its value.
    public typealias Element = (key: String, value: JSONValue)

    /// Objects with more keys than this get an index at their first lookup.
    static let largestWithoutIndex = 16

    private(set) var pairs: [Element]
    /// The index of the keys; nil in small objects.
    ///
    /// It is valid for the current `pairs`, and replaced when they change other than by appending.
    private var index: JSONObjectIndex?

    /// Creates an object without keys.
    public init() {
        pairs = []
    }

    /// Creates an object from keys and values in their order; of equal keys the last value wins.
    public init(_ elements: some Sequence<Element>) {
        self.init()
        for (key, value) in elements {
            self[key] = value
        }
    }

    /// Creates an object from a dictionary, its keys sorted so that the result is always the same.
    public init(_ dictionary: [String: JSONValue]) {
        self.init(uniquePairs: dictionary.map { ($0.key, $0.value) }.sorted { $0.key < $1.key })
    }

    /// Creates an object from pairs that are known to have no key twice.
    init(uniquePairs: [Element]) {
        pairs = uniquePairs
        if uniquePairs.count > Self.largestWithoutIndex { index = JSONObjectIndex() }
    }

    /// The keys in their order.
    public var keys: [String] { pairs.map(\.key) }

    /// The values in the order of their keys.
    public var values: [JSONValue] { pairs.map(\.value) }

    /// The same keys and values as a dictionary.
    public var dictionary: [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, $0.value) })
    }

    /// The value of a key, or nil when the object has no such key.
    ///
    /// Setting a value replaces it in place or appends the key; setting nil removes the key. To
    /// store a JSON null, assign `JSONValue.null`.
    public subscript(key: String) -> JSONValue? {
        get {
            position(of: key).map { pairs[$0].value }
        }
        set {
            guard let newValue else {
                removeValue(forKey: key)
                return
            }
            if let position = position(of: key) {
                pairs[position].value = newValue
            } else {
                append(key, newValue)
            }
        }
    }

    /// Removes a key and returns its value, or nil when the object has no such key.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        guard let position = position(of: key) else { return nil }
        index = pairs.count - 1 > Self.largestWithoutIndex ? JSONObjectIndex() : nil
        return pairs.remove(at: position).value
    }

    /// Returns the same keys with their values transformed.
    public func mapValues<E: Error>(_ transform: (JSONValue) throws(E) -> JSONValue) throws(E) -> JSONObject {
        var result = self
        for position in result.pairs.indices {
            result.pairs[position].value = try transform(result.pairs[position].value)
        }
        return result
    }

    private func position(of key: String) -> Int? {
        guard let index else { return pairs.firstIndex { $0.key == key } }
        return index.position(of: key, in: pairs)
    }

    private mutating func append(_ key: String, _ value: JSONValue) {
        pairs.append((key, value))
        if index == nil {
            if pairs.count > Self.largestWithoutIndex { index = JSONObjectIndex() }
        } else if isKnownUniquelyReferenced(&index) {
            index?.add(key, at: pairs.count - 1)
        } else {
            index = JSONObjectIndex()
        }
    }
}

extension JSONObject: RandomAccessCollection {
    /// The position of the first key.
    public var startIndex: Int { 0 }

    /// The position after the last key.
    public var endIndex: Int { pairs.count }

    /// The key and value at a position.
    public subscript(position: Int) -> Element { pairs[position] }
}

extension JSONObject: Hashable {
    /// Whether both objects have the same keys with equal values, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        for (position, pair) in left.pairs.enumerated() {
            let other = right.pairs[position]
            if other.key == pair.key {
                guard other.value == pair.value else { return false }
            } else {
                guard let value = right[pair.key], value == pair.value else { return false }
            }
        }
        return true
    }

    /// Feeds keys and values to the hasher in a way that does not depend on their order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in pairs {
            var one = hasher
            one.combine(key)
            one.combine(value)
            sum &+= one.finalize()
        }
        hasher.combine(sum)
        hasher.combine(count)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object from a literal; of equal keys the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.lazy.map { (key: $0.0, value: $0.1) })
    }
}

extension JSONObject: CustomStringConvertible {
    /// The object as compact JSON.
    public var description: String { JSONValue.object(self).description }
}

/// The positions of the keys of a large object, built at the first lookup.
///
/// It is a class, so that a lookup in a constant object can still build it, and copies share it.
final class JSONObjectIndex: Sendable {
    private let positions = Mutex<[String: Int]?>(nil)

    /// The position of a key in the pairs that this index belongs to.
    func position(of key: String, in pairs: [JSONObject.Element]) -> Int? {
        positions.withLock { positions in
            if let positions { return positions[key] }
            var built: [String: Int] = [:]
            built.reserveCapacity(pairs.count)
            for (position, pair) in pairs.enumerated() {
                built[pair.key] = position
            }
            positions = built
            return built[key]
        }
    }

    /// Adds a key that was appended to the pairs.
    func add(_ key: String, at position: Int) {
        positions.withLock { $0?[key] = position }
    }
}
