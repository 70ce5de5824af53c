extension JSONTapeParser {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let quotes: UInt64 = 0x2222_2222_2222_2222
    private static let backslashes: UInt64 = 0x5C5C_5C5C_5C5C_5C5C
    private static let spaces: UInt64 = 0x2020_2020_2020_2020

    /// Reads a string that starts at a quote: checks its escapes and its UTF-8, moves behind the
    /// closing quote.
    @inline(__always)
    static func appendString(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ words: inout OutputSpan<UInt64>
    ) throws(JSONScanFailure) {
        let start = position + 1
        var end = start
        var flags: UInt64 = 0
        skipPlainBytes(bytes, &end)
        if bytes.byte(end) != UInt8(ascii: "\"") { try scanString(bytes, &end, &flags) }
        words.append(JSONTape.word(.string, flags: flags, length: end - start, offset: start))
        position = end + 1
    }

    /// Moves to the next byte that is a quote, a backslash, a control character or beyond ASCII,
    /// eight at a time.
    @inline(__always)
    private static func skipPlainBytes(_ bytes: Span<UInt8>, _ position: inout Int) {
        while true {
            let next = bytes.eightBytes(position)
            // The high bit of a byte is set where the subtraction made it negative. A borrow can
            // also set it wrongly, but only above a byte where it is right, and the lowest is used.
            let isQuote = (next ^ quotes) &- ones
            let isBackslash = (next ^ backslashes) &- ones
            let isControl = next &- spaces
            let found = (isQuote | isBackslash | isControl | next) & highBits
            if found != 0 {
                position += found.trailingZeroBitCount / 8
                return
            }
            position += 8
        }
    }

    /// Checks a string from its first byte that is not plain to the closing quote.
    private static func scanString(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        _ flags: inout UInt64
    ) throws(JSONScanFailure) {
        while true {
            let byte = bytes.byte(position)
            switch byte {
            case UInt8(ascii: "\""):
                return
            case UInt8(ascii: "\\"):
                flags |= JSONTape.firstFlag
                try skipEscape(bytes, &position)
            case 0x80...:
                flags |= JSONTape.secondFlag
                try skipScalars(bytes, &position)
            case 0..<0x20:
                throw JSONScanFailure(.controlCharacter, at: position)
            default:
                break
            }
            skipPlainBytes(bytes, &position)
        }
    }

    /// Checks an escape (RFC 8259 §7) and moves behind it.
    private static func skipEscape(_ bytes: Span<UInt8>, _ position: inout Int) throws(JSONScanFailure) {
        switch bytes.byte(position + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            let unit = try hexUnit(bytes, position)
            guard unit & 0xF800 == 0xD800 else {
                position += 6
                return
            }
            // Half of a surrogate pair is not a character without the other half.
            guard unit < 0xDC00, bytes.byte(position + 6) == UInt8(ascii: "\\"),
                bytes.byte(position + 7) == UInt8(ascii: "u"),
                try hexUnit(bytes, position + 6) & 0xFC00 == 0xDC00
            else { throw JSONScanFailure(.surrogate, at: position) }
            position += 12
        default:
            throw JSONScanFailure(.escape, at: position + 1)
        }
    }

    /// The value of `\uXXXX`.
    private static func hexUnit(_ bytes: Span<UInt8>, _ position: Int) throws(JSONScanFailure) -> UInt32 {
        var result: UInt32 = 0
        for offset in 2..<6 {
            guard let digit = hexDigit(bytes.byte(position + offset)) else {
                throw JSONScanFailure(.unicodeEscape, at: position + offset)
            }
            result = result << 4 | digit
        }
        return result
    }

    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Checks a run of characters beyond ASCII against the table of well-formed sequences (Unicode
    /// §3.9, RFC 3629 §4): neither overlong, nor a surrogate, nor beyond U+10FFFF.
    private static func skipScalars(_ bytes: Span<UInt8>, _ position: inout Int) throws(JSONScanFailure) {
        while true {
            // The first byte of the text is the lowest byte of the integer.
            let next = UInt32(truncatingIfNeeded: bytes.eightBytes(position))
            switch UInt8(truncatingIfNeeded: next) {
            case 0..<0x80:
                return
            case 0xC2...0xDF:
                guard next & 0xC000 == 0x8000 else { throw JSONScanFailure(.encoding, at: position) }
                position += 2
            case 0xE0...0xEF:
                let first = next & 0x0F
                let second = next >> 8 & 0x3F
                guard next & 0xC0_C000 == 0x80_8000, first != 0 || second >= 0x20, first != 0xD || second < 0x20 else {
                    throw JSONScanFailure(.encoding, at: position)
                }
                position += 3
            case 0xF0...0xF4:
                let first = next & 0x07
                let second = next >> 8 & 0x3F
                guard next & 0xC0C0_C000 == 0x8080_8000, first != 0 || second >= 0x10, first != 4 || second < 0x10
                else { throw JSONScanFailure(.encoding, at: position) }
                position += 4
            default:
                throw JSONScanFailure(.encoding, at: position)
            }
        }
    }
}
