/// Checks UTF-8 (RFC 3629) that comes in pieces: a fault is found at its first byte, and a
/// character may be cut by the end of a piece.
struct UTF8Check: Sendable {
    /// The bytes that complete the character under way.
    private var missing = 0
    /// The range of the next byte: the first one behind a lead byte excludes overlong forms,
    /// surrogates and numbers above U+10FFFF (RFC 3629 §4).
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    /// Whether the bytes end with a whole character.
    var isComplete: Bool { missing == 0 }

    /// Takes the next bytes.
    ///
    /// - Parameter bytes: The bytes, which are only read during the call.
    /// - Returns: Whether they can be a part of UTF-8.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            if missing == 0 {
                index = unsafe Self.endOfASCII(in: bytes, from: index)
                guard index < count else { return true }
            }
            guard take(unsafe bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard missing == 0 else {
            guard byte >= lower, byte <= upper else { return false }
            missing -= 1
            (lower, upper) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case 0...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lower) = (2, 0xA0)
        case 0xED: (missing, upper) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lower) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, upper) = (3, 0x8F)
        default: return false
        }
        return true
    }

    /// The position of the first byte at or behind `start` that is not ASCII, looked for eight
    /// bytes at a time; the count where there is none.
    private static func endOfASCII(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        let count = bytes.count
        while index + 8 <= count {
            // The eight bytes are inside the buffer.
            let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < count, unsafe bytes[index] < 0x80 { index += 1 }
        return index
    }
}
