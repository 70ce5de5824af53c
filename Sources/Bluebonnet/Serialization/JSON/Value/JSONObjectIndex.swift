import Synchronization

/// Where the keys of a large object stand, found out at the first lookup.
///
/// A reference, so that the lookup of a value that nobody may change can still fill it in, and copies share it.
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

    /// Notes a key that was appended to the pairs.
    func add(_ key: String, at position: Int) {
        positions.withLock { $0?[key] = position }
    }
}
