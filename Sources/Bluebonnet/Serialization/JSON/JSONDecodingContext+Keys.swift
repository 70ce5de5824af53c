extension JSONDecodingContext {
    /// The index of the value of a key, or -1: from the cursor on, then from the start.
    @inline(__always)
    func find(_ name: String, in object: Int) -> Int {
        let first = object + 1
        let start = cursor.owner == object ? cursor.index : first
        let end = end(of: object)
        var name = name
        // The buffer is not used after the closure.
        let found = name.withUTF8 { name in
            let found = unsafe scan(name, from: start, to: end)
            return unsafe found >= 0 || start == first ? found : scan(name, from: first, to: start)
        }
        guard found >= 0 else { return findUncommon(name, in: object) }
        cursor = JSONKeyCursor(owner: object, index: self.end(of: found))
        return found
    }

    private func scan(_ name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            let word = words[index]
            if JSONTape.length(of: word) == name.count,
                unsafe word & (JSONTape.firstFlag | JSONTape.secondFlag) == 0
                    && isSame(name, at: JSONTape.offset(of: word))
            {
                return index + 1
            }
            index = self.end(of: index + 1)
        }
        return -1
    }

    /// Compares eight bytes at a time; the last eight may overlap those before.
    @inline(__always)
    private func isSame(_ name: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        guard let base = unsafe UnsafeRawPointer(name.baseAddress) else { return true }
        let count = name.count
        if count < 8 {
            // The text is followed by padding, the name is not.
            var difference: UInt8 = 0
            for position in 0..<count { difference |= unsafe bytes[offset + position] ^ name[position] }
            return difference == 0
        }
        var position = 0
        while position + 8 < count {
            let eight = unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            guard eight == bytes.eightBytes(offset + position) else { return false }
            position += 8
        }
        let last = unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        return last == bytes.eightBytes(offset + count - 8)
    }

    /// Looks once more for keys that are the same string in other bytes: with escapes, or composed otherwise.
    private func findUncommon(_ name: String, in object: Int) -> Int {
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        let end = end(of: object)
        var index = object + 1
        while index < end {
            let word = words[index]
            let isCommon = word & (JSONTape.firstFlag | JSONTape.secondFlag) == 0
            if !isCommon || !isASCII, tape.string(of: word) == name { return index + 1 }
            index = self.end(of: index + 1)
        }
        return -1
    }
}
