extension JSONDecodingContext {
    /// The result of a walk over keys.
    private struct Scan {
        /// The index of the value, or -1.
        var found = -1
        /// The key after the last one that was compared.
        var index: Int
        /// The number of keys that were compared.
        var steps = 0
        /// The flags of all keys that were compared.
        var flags: UInt64 = 0
    }

    /// The index of the value of a key, or -1. The search begins at the cursor, and goes on from
    /// the start.
    @inline(__always)
    func find(_ name: String, in object: Int) -> Int {
        if cursor.owner != object { moveCursor(to: object) }
        let index = cursor.index
        var name = name
        // The buffer is only read inside the closure.
        let end = end(of: object)
        guard index < end, name.withUTF8({ unsafe isKey($0, at: index) }) else {
            // The test for an empty object is for types with many optional properties.
            return end == object + 1 ? -1 : findNear(name, in: object)
        }
        cursor.index = self.end(of: index + 1)
        return index + 1
    }

    /// Whether a key is written with these bytes. Equal bytes are equal strings, unless they have
    /// escapes.
    @inline(__always)
    private func isKey(_ name: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        tape.spend(1)
        let word = words[index]
        guard JSONTape.length(of: word) == name.count, word & JSONTape.firstFlag == 0 else { return false }
        return unsafe isSame(name, at: JSONTape.offset(of: word))
    }

    /// Looks for a key among the next ones.
    private func findNear(_ name: String, in object: Int) -> Int {
        let (start, end) = (cursor.index, end(of: object))
        var name = name
        // The buffer is only read inside the closure.
        let window = name.withUTF8 { unsafe scan($0, from: start, to: end, atMost: Self.near) }
        guard window.found >= 0 else { return findFar(name, in: object, after: window) }
        cursor.index = self.end(of: window.found)
        return window.found
    }

    /// Compares a key with those from an index on, at most `limit` of them.
    private func scan(_ name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int, atMost limit: Int) -> Scan {
        var scan = Scan(index: start)
        while scan.index < end, scan.steps < limit {
            guard unsafe !isKey(name, at: scan.index) else {
                scan.found = scan.index + 1
                break
            }
            scan.flags |= words[scan.index]
            scan.steps += 1
            scan.index = self.end(of: scan.index + 1)
        }
        return scan
    }

    /// Compares eight bytes at a time; the last eight may overlap the eight before them.
    @inline(__always)
    private func isSame(_ name: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        guard let base = unsafe UnsafeRawPointer(name.baseAddress) else { return true }
        let count = name.count
        if count < 8 {
            // The name has no padding, so that eight of its bytes cannot be loaded.
            var difference: UInt8 = 0
            for position in 0..<count { difference |= unsafe bytes[offset + position] ^ name[position] }
            return difference == 0
        }
        // Every load below ends at `count` or before it.
        var position = 0
        while position + 8 < count {
            let eight = unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            guard eight == bytes.eightBytes(offset + position) else { return false }
            position += 8
        }
        let last = unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        return last == bytes.eightBytes(offset + count - 8)
    }

    /// Looks for a key that is not near the cursor: in the index of the keys where there is one,
    /// else among all keys.
    private func findFar(_ name: String, in object: Int, after window: Scan) -> Int {
        var found: Int
        if !notes.isEmpty, let values = notes[object]?.values {
            found = values[name] ?? -1
            tape.spend(1)
        } else {
            let (start, end) = (cursor.index, end(of: object))
            var name = name
            var (rest, beginning) = (window, Scan(index: object + 1))
            // The buffer is only read inside the closure.
            name.withUTF8 { name in
                rest = unsafe scan(name, from: window.index, to: end, atMost: .max)
                if rest.found < 0 { beginning = unsafe scan(name, from: object + 1, to: start, atMost: .max) }
            }
            found = max(rest.found, beginning.found)
            var steps = rest.steps + beginning.steps
            if found < 0 {
                found = findUncommon(name, in: object, flags: window.flags | rest.flags | beginning.flags, &steps)
            }
            cursor.wasted += steps
            let count = JSONTape.length(of: words[object])
            if count > Self.near, cursor.wasted > Self.uselessPasses * count { indexKeys(of: object, count) }
        }
        if found >= 0 { cursor.index = end(of: found) }
        return found
    }

    /// Looks once more for keys that are the same string in other bytes: with escapes, or composed
    /// otherwise.
    private func findUncommon(_ name: String, in object: Int, flags: UInt64, _ steps: inout Int) -> Int {
        let uncommon = JSONTape.firstFlag | JSONTape.secondFlag
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        guard flags & uncommon != 0 || !isASCII else { return -1 }
        let end = end(of: object)
        var index = object + 1
        while index < end {
            let word = words[index]
            steps += 1
            if word & uncommon != 0 || !isASCII {
                // A string costs as much as several comparisons.
                steps += 4
                tape.spend(5)
                if tape.string(of: word) == name { return index + 1 }
            }
            index = self.end(of: index + 1)
        }
        return -1
    }

    private func indexKeys(of object: Int, _ count: Int) {
        var values: [String: Int] = [:]
        values.reserveCapacity(count)
        let end = end(of: object)
        var index = object + 1
        while index < end {
            // All keys are different: an object with repeated keys has a shape and no index.
            values[tape.string(of: words[index])] = index + 1
            index = self.end(of: index + 1)
        }
        tape.spend(count * 5)
        note(object) { $0.values = values }
    }
}
