#if Images
    /// Values with a cost each, of which those that were not used for the longest time make room.
    ///
    /// When the capacity is exceeded, values go until no more than the preferred cost is left, as
    /// in `AFAutoPurgingImageCache`. Every operation takes a constant time, but for each value that
    /// goes.
    struct PurgingTable<Value: Sendable>: Sendable {
        private struct Node: Sendable {
            let key: String
            var value: Value
            var cost: Int
            /// The node that was used next before this one.
            var older: Int?
            var newer: Int?
        }

        let capacity: Int
        let preferredCost: Int
        private(set) var cost = 0
        private var indices: [String: Int] = [:]
        private var nodes: [Node?] = []
        private var free: [Int] = []
        private var newest: Int?
        private var oldest: Int?

        init(capacity: Int, preferredCost: Int) {
            self.capacity = max(0, capacity)
            self.preferredCost = min(max(0, preferredCost), self.capacity)
        }

        var count: Int { indices.count }

        /// The keys, those first that were used last.
        var keys: [String] {
            var result: [String] = []
            var index = newest
            while let node = index.flatMap({ nodes[$0] }) {
                result.append(node.key)
                index = node.older
            }
            return result
        }

        /// Stores a value.
        ///
        /// - Returns: The values that had to go, to be released outside of a lock.
        mutating func add(_ value: Value, for key: String, cost: Int) -> [Value] {
            var gone: [Value] = []
            if let earlier = remove(key) { gone.append(earlier) }
            let node = Node(key: key, value: value, cost: max(0, cost))
            let index = free.popLast() ?? nodes.count
            if index == nodes.count { nodes.append(node) } else { nodes[index] = node }
            indices[key] = index
            self.cost += node.cost
            link(index)
            guard self.cost > capacity else { return gone }
            while self.cost > preferredCost, let key = oldest.flatMap({ nodes[$0]?.key }), let value = remove(key) {
                gone.append(value)
            }
            return gone
        }

        /// A value, which is then the one that was used last.
        mutating func value(for key: String) -> Value? {
            guard let index = indices[key] else { return nil }
            if index != newest {
                unlink(index)
                link(index)
            }
            return nodes[index]?.value
        }

        mutating func remove(_ key: String) -> Value? {
            guard let index = indices.removeValue(forKey: key) else { return nil }
            unlink(index)
            defer {
                nodes[index] = nil
                free.append(index)
            }
            cost -= nodes[index]?.cost ?? 0
            return nodes[index]?.value
        }

        /// Removes everything, by another table in its place.
        ///
        /// - Returns: The table as it was, to be released outside of a lock.
        mutating func removeAll() -> PurgingTable {
            let earlier = self
            self = PurgingTable(capacity: capacity, preferredCost: preferredCost)
            return earlier
        }

        private mutating func link(_ index: Int) {
            nodes[index]?.older = newest
            nodes[index]?.newer = nil
            if let newest { nodes[newest]?.newer = index }
            newest = index
            if oldest == nil { oldest = index }
        }

        private mutating func unlink(_ index: Int) {
            let (older, newer) = (nodes[index]?.older, nodes[index]?.newer)
            if let older { nodes[older]?.newer = newer } else { oldest = newer }
            if let newer { nodes[newer]?.older = older } else { newest = older }
        }
    }
#endif
