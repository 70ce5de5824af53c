extension JSONTape {
    /// The string at an index, its escapes undone.
    func string(at index: Int) -> String {
        string(of: words[index])
    }

    @inline(__always)
    func string(of word: UInt64) -> String {
        let start = Self.offset(of: word)
        let length = stringLength(of: word)
        guard word & Self.firstFlag == 0 else { return unescapedString(start, length) }
        // The buffer is valid in the closure, and the parser made the range from these bytes.
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe String(decoding: UnsafeBufferPointer(rebasing: buffer[start..<(start + length)]), as: UTF8.self)
        }
    }

    private func unescapedString(_ start: Int, _ length: Int) -> String {
        // At most `length` bytes are written: no escape is shorter than its character in UTF-8.
        unsafe String(unsafeUninitializedCapacity: length) { buffer in
            var written = 0
            var position = start
            while position < start + length {
                let byte = bytes[position]
                if byte != UInt8(ascii: "\\") {
                    unsafe buffer[written] = byte
                    written += 1
                    position += 1
                } else if bytes[position + 1] == UInt8(ascii: "u") {
                    for unit in UTF8.encode(unescapedScalar(&position)) ?? UTF8.encodedReplacementCharacter {
                        unsafe buffer[written] = unit
                        written += 1
                    }
                } else {
                    unsafe buffer[written] = Self.unescaped(bytes[position + 1])
                    written += 1
                    position += 2
                }
            }
            return written
        }
    }

    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    /// Reads `\uXXXX`, or the two of a surrogate pair, and moves behind it.
    private func unescapedScalar(_ position: inout Int) -> Unicode.Scalar {
        let high = hexUnit(position)
        position += 6
        guard high & 0xF800 == 0xD800 else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
        let low = hexUnit(position)
        position += 6
        return Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + (low & 0x3FF)) ?? "\u{FFFD}"
    }

    private func hexUnit(_ position: Int) -> UInt32 {
        (2..<6).reduce(0) { $0 << 4 | (JSONTapeParser.hexDigit(bytes[position + $1]) ?? 0) }
    }

    /// The number at an index.
    func number(at index: Int) -> JSONNumber {
        number(of: words[index])
    }

    func number(of word: UInt64) -> JSONNumber {
        let start = Self.offset(of: word)
        let length = numberLength(of: word)
        if word & Self.firstFlag == 0 {
            if let integer = JSONIntegerParser.magnitude(bytes, start, length) {
                if integer.isNegative {
                    if integer.magnitude == 0 { return JSONNumber(-0.0) }
                    if integer.magnitude <= 1 << 63 {
                        return JSONNumber(storage: .int(Int64(truncatingIfNeeded: 0 &- integer.magnitude)))
                    }
                } else if let int = Int64(exactly: integer.magnitude) {
                    return JSONNumber(storage: .int(int))
                } else {
                    return JSONNumber(storage: .uint(integer.magnitude))
                }
            }
        } else {
            let decimal = JSONDecimal(bytes, start, length)
            if decimal.significantDigits <= 17, let double = finiteDouble(decimal, word),
                isExact(double, decimal, word)
            {
                return JSONNumber(double)
            }
        }
        return JSONNumber(storage: .text(JSONNumber.Text(numberText(of: word))))
    }

    /// Whether the text of a double has the value of the number from which it was read.
    @inline(__always)
    private func isExact(_ double: Double, _ decimal: JSONDecimal, _ word: UInt64) -> Bool {
        // A normal double keeps fifteen digits; it keeps sixteen or seventeen only of some numbers,
        // such as those that were written from doubles.
        if decimal.significantDigits <= 15 { return double.isNormal || decimal.mantissa == 0 }
        return JSONDoubleParser.isShortest(decimal, of: double) ?? isWritten(double, word)
    }

    @inline(never)
    private func isWritten(_ double: Double, _ word: UInt64) -> Bool {
        double.isNormal && JSONDecimalDigits(double.description) == JSONDecimalDigits(numberText(of: word))
    }

    /// The double nearest to a number, infinite beyond the range of doubles.
    func double(of word: UInt64) -> Double {
        let decimal = JSONDecimal(bytes, Self.offset(of: word), numberLength(of: word))
        return JSONDoubleParser.double(decimal) ?? slowDouble(of: word) ?? .infinity
    }

    /// The double nearest to a number, or nil when it is beyond the range of doubles or smaller
    /// than every double.
    @inline(__always)
    func finiteDouble(of word: UInt64) -> Double? {
        finiteDouble(JSONDecimal(bytes, Self.offset(of: word), numberLength(of: word)), word)
    }

    @inline(__always)
    private func finiteDouble(_ decimal: JSONDecimal, _ word: UInt64) -> Double? {
        guard let value = JSONDoubleParser.double(decimal) ?? slowDouble(of: word), value.isFinite,
            value != 0 || decimal.mantissa == 0
        else { return nil }
        return value
    }

    /// Parses a number with the standard library: slow, and correctly rounded for any number of
    /// digits.
    private func slowDouble(of word: UInt64) -> Double? {
        Double(numberText(of: word))
    }

    /// A number as it is written.
    func numberText(of word: UInt64) -> String {
        let start = Self.offset(of: word)
        return String(decoding: bytes[start..<(start + numberLength(of: word))], as: UTF8.self)
    }
}
