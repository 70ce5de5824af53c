/// The byte classes of RFC 9110 §5 and searches for them, eight bytes at a time.
enum ASCII {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let colon = UInt8(ascii: ":")

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Whether the byte may be in a token, such as a field name or a method (RFC 9110 §5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        // One bit per ASCII character: "!" to "9" below 64, "A" to "~" from 64.
        let row: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && (row &>> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether the byte is a space or a horizontal tab (OWS, RFC 9110 §5.6.3).
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == space || byte == tab
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    /// The value of a hexadecimal digit, or nil for any other byte.
    @inline(__always)
    static func hexDigit(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- UInt8(ascii: "0") }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter &+ 10 : nil
    }

    /// The ASCII letter in lower case; other bytes as they are.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }

    /// Whether `bytes` are the lowercase word `word` in any case.
    @inline(__always)
    static func isEqual(_ bytes: UnsafeRawBufferPointer, lowercased word: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == word.count else { return false }
        var position = 0
        while position < word.count {
            // Both have this many bytes.
            guard unsafe lowercased(bytes[position]) == word[position] else { return false }
            position &+= 1
        }
        return true
    }

    /// Whether `bytes` are the lowercase word `word` in any case.
    @inline(__always)
    static func isEqual(_ bytes: UnsafeRawBufferPointer, lowercased word: StaticString) -> Bool {
        // A static string's bytes live as long as the program.
        unsafe isEqual(
            bytes,
            lowercased: UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        )
    }

    /// The position of the first line feed in `start ..< end`, counted from `base`.
    @inline(__always)
    static func firstLineFeed(_ base: UnsafeRawPointer, from start: Int, to end: Int) -> Int? {
        var position = start
        while position &+ 8 <= end {
            // The caller's buffer reaches to `end`, so eight bytes can be read here.
            let word = unsafe base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let hit = zeroBytes(UInt64(littleEndian: word) ^ (ones &* UInt64(lineFeed)))
            if hit != 0 { return position &+ hit.trailingZeroBitCount &>> 3 }
            position &+= 8
        }
        while position < end {
            if unsafe base.load(fromByteOffset: position, as: UInt8.self) == lineFeed { return position }
            position &+= 1
        }
        return nil
    }

    /// The position of the first byte in `start ..< end` that no field value or reason phrase may
    /// contain: a control character other than HTAB (RFC 9110 §5.5).
    @inline(__always)
    static func firstControl(_ base: UnsafeRawPointer, from start: Int, to end: Int) -> Int? {
        var position = start
        while position &+ 8 <= end {
            // In bounds: the caller's buffer reaches to `end`.
            let word = unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let below = (word &- ones &* 0x20) & ~word & highBits
            let hit = below | zeroBytes(word ^ (ones &* 0x7F))
            guard hit != 0 else {
                position &+= 8
                continue
            }
            // Borrows only spoil bytes above the first hit, so the lowest one is exact.
            let found = position &+ hit.trailingZeroBitCount &>> 3
            guard unsafe base.load(fromByteOffset: found, as: UInt8.self) == tab else { return found }
            position = found &+ 1
        }
        while position < end {
            let byte = unsafe base.load(fromByteOffset: position, as: UInt8.self)
            if byte < 0x20 && byte != tab || byte == 0x7F { return position }
            position &+= 1
        }
        return nil
    }

    /// Whether `bytes` contain CR, LF or NUL, which would break out of a field line (RFC 9110
    /// §5.5).
    static func containsLineBreak(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        var position = 0
        while position &+ 8 <= bytes.count {
            // In bounds: the loop ends eight bytes before the end of the buffer.
            let word = unsafe base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let hit =
                zeroBytes(word) | zeroBytes(word ^ (ones &* UInt64(lineFeed)))
                | zeroBytes(word ^ (ones &* UInt64(carriageReturn)))
            if hit != 0 { return true }
            position &+= 8
        }
        while position < bytes.count {
            let byte = unsafe base.load(fromByteOffset: position, as: UInt8.self)
            if byte == 0 || byte == lineFeed || byte == carriageReturn { return true }
            position &+= 1
        }
        return false
    }

    /// The high bit of every zero byte; exact up to and including the first one.
    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- ones) & ~word & highBits
    }

    /// Bytes as a person can read them: printable ASCII as it is, everything else escaped, cut
    /// after `limit` bytes.
    static func escaped(_ bytes: some Sequence<UInt8>, limit: Int = 60) -> String {
        var text = ""
        for (position, byte) in bytes.enumerated() {
            guard position < limit else { return text + "…" }
            switch byte {
            case carriageReturn: text += "\\r"
            case lineFeed: text += "\\n"
            case tab: text += "\\t"
            case UInt8(ascii: "\\"): text += "\\\\"
            case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += (byte < 0x10 ? "\\x0" : "\\x") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// Whether a byte is one of the unreserved characters of URIs (RFC 3986 §2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Text in which all bytes are percent-encoded (RFC 3986 §2.1) but some of ASCII.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - isKept: Whether a byte stands for itself.
    /// - Returns: The text.
    static func percentEncoded(_ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool) -> String {
        var text = ""
        for byte in bytes {
            if isKept(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
            }
        }
        return text
    }

    /// The bytes without percent-encoding. A `%` without two digits behind it stands for itself.
    static func percentDecoded(_ text: some Collection<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexDigit),
                let low = rest.dropFirst().first.flatMap(hexDigit)
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}
