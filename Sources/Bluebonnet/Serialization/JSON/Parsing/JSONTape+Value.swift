extension JSONTape {
    /// The whole document as a value.
    func value() -> JSONValue {
        var index = 0
        return value(at: &index)
    }

    /// The value at an index as a `JSONValue`, moving the index behind it.
    ///
    /// It is recursive, but not deeper than the depth that the parser allowed.
    func value(at index: inout Int) -> JSONValue {
        let word = words[index]
        index += 1
        spend(1)
        switch Self.kind(of: word) {
        case .null: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .number: return .number(number(of: word))
        case .string: return .string(string(of: word))
        case .array: return .array(elements(word, &index))
        case .object: return .object(members(word, &index))
        }
    }

    private func elements(_ word: UInt64, _ index: inout Int) -> [JSONValue] {
        let end = Self.offset(of: word)
        var elements: [JSONValue] = []
        elements.reserveCapacity(Self.length(of: word))
        while index < end {
            elements.append(value(at: &index))
        }
        return elements
    }

    private func members(_ word: UInt64, _ index: inout Int) -> JSONObject {
        let end = Self.offset(of: word)
        let object = index - 1
        var pairs: [JSONObject.Element] = []
        pairs.reserveCapacity(Self.length(of: word))
        while index < end {
            let key = string(of: words[index])
            index += 1
            pairs.append((key, value(at: &index)))
        }
        return mayRepeatKeys(at: object) ? JSONObject(pairs) : JSONObject(uniquePairs: pairs)
    }

    /// Whether keys of an object may be equal: false only when it is certain that all differ.
    ///
    /// There are three filters of 64 bits. Every key sets one bit in each, chosen by its length,
    /// its first and its last eight bytes. If all three bits of a key are set already, the keys are
    /// compared.
    func mayRepeatKeys(at object: Int) -> Bool {
        let end = end(of: object)
        var (first, second, third): (UInt64, UInt64, UInt64) = (0, 0, 0)
        var index = object + 1
        while index < end {
            let word = words[index]
            // Beyond ASCII and with escapes, equal strings can have different bytes.
            if word & (Self.firstFlag | Self.secondFlag) != 0 { return repeatsStrings(at: object) }
            let fingerprint = keyFingerprint(of: word)
            let bits: (UInt64, UInt64, UInt64) = (
                1 << (fingerprint >> 58), 1 << (fingerprint >> 52 & 63), 1 << (fingerprint >> 46 & 63)
            )
            if first & bits.0 != 0, second & bits.1 != 0, third & bits.2 != 0 { return repeatsKeys(at: object) }
            first |= bits.0
            second |= bits.1
            third |= bits.2
            spend(1)
            index = self.end(of: index + 1)
        }
        return false
    }

    private func repeatsStrings(at object: Int) -> Bool {
        let end = end(of: object)
        var seen: Set<String> = []
        var index = object + 1
        while index < end {
            if !seen.insert(string(at: index)).inserted { return true }
            spend(5)
            index = self.end(of: index + 1)
        }
        return false
    }

    private func repeatsKeys(at object: Int) -> Bool {
        let end = end(of: object)
        let count = count(at: object)
        guard count <= 64 else { return repeatsStrings(at: object) }
        var seen: [UInt64] = []
        seen.reserveCapacity(count)
        var index = object + 1
        while index < end {
            let word = words[index]
            if word & (Self.firstFlag | Self.secondFlag) != 0 { return repeatsStrings(at: object) }
            let fingerprint = keyFingerprint(of: word)
            if seen.contains(fingerprint) { return true }
            seen.append(fingerprint)
            spend(seen.count / 4)
            index = self.end(of: index + 1)
        }
        return false
    }

    @inline(__always)
    private func keyFingerprint(of word: UInt64) -> UInt64 {
        let length = Self.length(of: word)
        let start = Self.offset(of: word)
        var first = bytes.eightBytes(start)
        if length < 8 {
            first &= (1 << (UInt64(length) * 8)) &- 1
        } else {
            first ^= bytes.eightBytes(start + length - 8) &* 0xD6E8_FEB8_6659_FD93
        }
        return (first ^ UInt64(length)) &* 0x9E37_79B9_7F4A_7C15
    }
}
