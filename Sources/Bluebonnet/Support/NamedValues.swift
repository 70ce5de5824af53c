/// Values by their names, each name once, in the order in which the names were added.
struct NamedValues<Value> {
    /// More names than this have an index.
    private static var largestWithoutIndex: Int { 16 }

    private(set) var pairs: [(key: String, value: Value)] = []
    /// The positions of the names, where there are many.
    private var index: [String: Int] = [:]

    init() {}

    /// Makes values of pairs that have no name twice.
    init(uniquePairs: [(key: String, value: Value)]) {
        pairs = uniquePairs
        makeIndex()
    }

    /// The value of a name. Setting a name again replaces its value in its place, and setting nil
    /// removes the name, which takes a time that grows with the number of names.
    subscript(name: String) -> Value? {
        get { position(of: name).map { pairs[$0].value } }
        set {
            if let position = position(of: name) {
                if let newValue {
                    pairs[position].value = newValue
                } else {
                    pairs.remove(at: position)
                    makeIndex()
                }
            } else if let newValue {
                pairs.append((name, newValue))
                if pairs.count == Self.largestWithoutIndex + 1 {
                    makeIndex()
                } else if pairs.count > Self.largestWithoutIndex {
                    index[name] = pairs.count - 1
                }
            }
        }
    }

    private func position(of name: String) -> Int? {
        pairs.count > Self.largestWithoutIndex ? index[name] : pairs.firstIndex { $0.key == name }
    }

    private mutating func makeIndex() {
        index.removeAll()
        guard pairs.count > Self.largestWithoutIndex else { return }
        index.reserveCapacity(pairs.count)
        for (position, pair) in pairs.enumerated() { index[pair.key] = position }
    }
}

extension NamedValues: Sendable where Value: Sendable {}
