/// A number as `mantissa * 10^exponent`. The mantissa has at most the first nineteen significant
/// digits.
struct JSONDecimal {
    private(set) var mantissa: UInt64 = 0
    private(set) var exponent = 0
    /// The number of digits from the first that is not zero, which may be more than the mantissa
    /// has.
    private(set) var significantDigits = 0
    private(set) var isNegative = false

    /// Whether digits were left out of the mantissa.
    var isTruncated: Bool { significantDigits > 19 }

    /// Reads a number that the parser has checked.
    @inline(__always)
    init(_ bytes: [UInt8], _ start: Int, _ length: Int) {
        let end = start + length
        var position = start
        isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let first = position
        var digits = Self.appendDigits(bytes, &position, &mantissa)
        if bytes[position] == UInt8(ascii: ".") {
            position += 1
            let fraction = Self.appendDigits(bytes, &position, &mantissa)
            exponent = -fraction
            digits += fraction
        }
        if digits > 19 {
            self = Self.long(bytes, first, end, isNegative)
        } else {
            significantDigits = Self.count(of: mantissa)
        }
        if position < end { exponent += Self.exponent(bytes, position + 1, end) }
    }

    /// Reads digits, eight at a time where there are as many, and returns their number.
    @inline(__always)
    private static func appendDigits(_ bytes: [UInt8], _ position: inout Int, _ mantissa: inout UInt64) -> Int {
        let start = position
        while true {
            var eight = bytes.eightBytes(position)
            // Whether all eight bytes are from 0x30 to 0x39.
            guard eight & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030,
                (eight &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
            else { break }
            // Neighbours are combined: pairs, then fours, then all eight.
            eight = ((eight & 0x0F0F_0F0F_0F0F_0F0F) &* (10 << 8 + 1)) >> 8
            eight = ((eight & 0x00FF_00FF_00FF_00FF) &* (100 << 16 + 1)) >> 16
            eight = ((eight & 0x0000_FFFF_0000_FFFF) &* (10_000 << 32 + 1)) >> 32
            mantissa = mantissa &* 100_000_000 &+ eight
            position += 8
        }
        while true {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return position - start }
            mantissa = mantissa &* 10 &+ UInt64(digit)
            position += 1
        }
    }

    /// The number of decimal digits of a mantissa; 0 for zero.
    @inline(__always)
    private static func count(of mantissa: UInt64) -> Int {
        // The factor is log10(2) in 12 bits of fraction: right or one too low.
        let estimate = ((64 - mantissa.leadingZeroBitCount) * 1233) >> 12
        return mantissa >= powersOfTen[estimate] ? estimate + 1 : estimate
    }

    static let powersOfTen: [UInt64] = [
        1, 10, 100, 1000, 10000, 100000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]

    /// Reads the digits of a number with more than nineteen digits, without an exponent that may
    /// follow.
    private static func long(_ bytes: [UInt8], _ start: Int, _ end: Int, _ isNegative: Bool) -> JSONDecimal {
        var result = JSONDecimal(isNegative: isNegative)
        var position = start
        result.appendSignificantDigits(bytes, &position, end, isFraction: false)
        if position < end, bytes[position] == UInt8(ascii: ".") {
            position += 1
            result.appendSignificantDigits(bytes, &position, end, isFraction: true)
        }
        return result
    }

    private init(isNegative: Bool) {
        self.isNegative = isNegative
    }

    private mutating func appendSignificantDigits(_ bytes: [UInt8], _ position: inout Int, _ end: Int, isFraction: Bool)
    {
        while position < end {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return }
            position += 1
            if significantDigits < 19 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                if mantissa != 0 { significantDigits += 1 }
                if isFraction { exponent -= 1 }
            } else {
                significantDigits += 1
                if !isFraction { exponent += 1 }
            }
        }
    }

    private static func exponent(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
        var position = start
        let sign = bytes[position]
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { position += 1 }
        var result = 0
        while position < end {
            // With a larger exponent every number is zero or infinite, however many digits it has.
            if result < 100_000_000_000 { result = result * 10 + Int(bytes[position] &- UInt8(ascii: "0")) }
            position += 1
        }
        return sign == UInt8(ascii: "-") ? -result : result
    }
}
