extension JSONTapeParser {
    /// Checks a number (RFC 8259 §6) without computing its value.
    @inline(__always)
    static func appendNumber(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ words: inout OutputSpan<UInt64>
    ) throws(JSONScanFailure) {
        let start = position
        var end = start
        if bytes.byte(end) == UInt8(ascii: "-") { end += 1 }
        if bytes.byte(end) == UInt8(ascii: "0") {
            end += 1
            if isDigit(bytes.byte(end)) { throw JSONScanFailure(.leadingZero, at: end) }
        } else {
            try skipDigits(bytes, &end)
        }
        var flags: UInt64 = 0
        if bytes.byte(end) == UInt8(ascii: ".") {
            flags = JSONTape.firstFlag
            end += 1
            try skipDigits(bytes, &end)
        }
        if bytes.byte(end) | 0x20 == UInt8(ascii: "e") {
            flags = JSONTape.firstFlag
            end += 1
            if bytes.byte(end) == UInt8(ascii: "+") || bytes.byte(end) == UInt8(ascii: "-") { end += 1 }
            try skipDigits(bytes, &end)
        }
        words.append(JSONTape.word(.number, flags: flags, length: end - start, offset: start))
        position = end
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    /// Moves behind one or more digits.
    @inline(__always)
    private static func skipDigits(_ bytes: Span<UInt8>, _ position: inout Int) throws(JSONScanFailure) {
        guard isDigit(bytes.byte(position)) else { throw JSONScanFailure(.number, at: position) }
        repeat { position += 1 } while isDigit(bytes.byte(position))
    }

    /// Whether a byte can be part of a number.
    static func isPartOfNumber(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
            || byte | 0x20 == UInt8(ascii: "e")
    }
}
