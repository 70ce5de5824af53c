extension HPACK {
    /// The fields that one side has told the other to remember (RFC 7541 §2.3.2, §4). Both ends of
    /// a direction have an equal one.
    struct DynamicTable {
        /// Where a field lies in ``bytes``.
        struct Entry {
            let nameStart: Int
            let valueStart: Int
            let end: Int
            fileprivate let fingerprint: Fingerprint

            /// §4.1.
            fileprivate var size: Int { end - nameStart + HPACK.overhead }
        }

        /// The names and values of the entries, oldest first, behind those of evicted ones.
        private(set) var bytes: [UInt8] = []
        /// The entries, oldest first, behind evicted ones.
        private var entries: [Entry] = []
        /// The number of evicted ones.
        private var evicted = 0
        /// The size of all entries (§4.1).
        private(set) var size = 0
        /// The size that they must keep to.
        private(set) var capacity: Int

        private static let mostEvicted = 256

        init(capacity: Int = HPACK.initialTableSize) {
            self.capacity = capacity
        }

        /// The number of entries.
        var count: Int { entries.count - evicted }

        /// The entry so many places behind the newest, which is 0; nil where there is none.
        subscript(offset: Int) -> Entry? {
            offset >= 0 && offset < count ? entries[entries.count - 1 - offset] : nil
        }

        /// Changes the size that the entries must keep to (§4.3).
        mutating func resize(to capacity: Int) {
            self.capacity = capacity
            evict(for: 0)
        }

        /// Adds a field as the newest one (§4.4). One that is larger than the table empties it.
        mutating func insert(_ name: Span<UInt8>, _ value: Span<UInt8>) {
            let size = name.count + value.count + HPACK.overhead
            evict(for: size)
            guard size <= capacity else { return }
            let start = bytes.count
            HPACK.append(name, to: &bytes)
            let valueStart = bytes.count
            HPACK.append(value, to: &bytes)
            entries.append(
                Entry(
                    nameStart: start,
                    valueStart: valueStart,
                    end: bytes.count,
                    fingerprint: Fingerprint(name, value)
                )
            )
            self.size += size
        }

        /// The place of a field behind the newest; nil where none is equal.
        func offset(of name: Span<UInt8>, _ value: Span<UInt8>, _ fingerprint: Fingerprint) -> Int? {
            var position = entries.count - 1
            while position >= evicted {
                let entry = entries[position]
                if entry.fingerprint == fingerprint,
                    HPACK.isEqual(name, bytes, entry.nameStart..<entry.valueStart),
                    HPACK.isEqual(value, bytes, entry.valueStart..<entry.end)
                {
                    return entries.count - 1 - position
                }
                position -= 1
            }
            return nil
        }

        /// The place of the newest field with this name; nil where none is equal.
        func offset(ofName name: Span<UInt8>, _ fingerprint: Fingerprint) -> Int? {
            var position = entries.count - 1
            while position >= evicted {
                let entry = entries[position]
                if entry.fingerprint.hasName(of: fingerprint),
                    HPACK.isEqual(name, bytes, entry.nameStart..<entry.valueStart)
                {
                    return entries.count - 1 - position
                }
                position -= 1
            }
            return nil
        }

        /// Drops the oldest entries until one of this size has room.
        private mutating func evict(for added: Int) {
            while evicted < entries.count, size + added > capacity {
                size -= entries[evicted].size
                evicted += 1
            }
            guard evicted > 0 else { return }
            guard evicted < entries.count else {
                entries.removeAll(keepingCapacity: true)
                bytes.removeAll(keepingCapacity: true)
                evicted = 0
                return
            }
            // What was evicted is cut off when it is much, so that this is seldom done. Entries may
            // have no bytes.
            let start = entries[evicted].nameStart
            guard start > capacity || evicted > Self.mostEvicted else { return }
            bytes.removeFirst(start)
            entries = entries[evicted...].map { entry in
                Entry(
                    nameStart: entry.nameStart - start,
                    valueStart: entry.valueStart - start,
                    end: entry.end - start,
                    fingerprint: entry.fingerprint
                )
            }
            evicted = 0
        }
    }

    /// Appends a text to bytes.
    static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        // Safe: the bytes are copied before the closure returns.
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}
