/// The decimal value of a number's text: its digits without zeros at either end, and the exponent
/// of the last one.
///
/// Made only to compare and hash numbers that are not both integers or both doubles, and to read
/// integers written with a fraction or an exponent.
struct JSONDecimalDigits: Hashable {
    private(set) var isNegative = false
    private(set) var digits: [UInt8] = []
    private(set) var exponent = 0

    /// Reads a valid JSON number.
    init(_ text: String) {
        var isFraction = false
        var written = 0
        var isWrittenNegative = false
        var isExponent = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9") where isExponent:
                // Digits after the ninth are dropped: no comparison that matters needs such an
                // exponent.
                if written < 100_000_000 { written = written * 10 + Int(byte - UInt8(ascii: "0")) }
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte - UInt8(ascii: "0")) }
                if isFraction { exponent -= 1 }
            case UInt8(ascii: "-") where isExponent: isWrittenNegative = true
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): isExponent = true
            default: break
            }
        }
        exponent += isWrittenNegative ? -written : written
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty {
            isNegative = false
            exponent = 0
        }
    }

    /// The value as an integer, or nil when it has a fraction or does not fit.
    var int64: Int64? {
        guard let magnitude else { return nil }
        guard isNegative else { return Int64(exactly: magnitude) }
        return magnitude == 1 << 63 ? .min : Int64(exactly: magnitude).map { -$0 }
    }

    /// The value as an unsigned integer, or nil when it has a fraction, is negative or does not
    /// fit.
    var uint64: UInt64? {
        isNegative ? nil : magnitude
    }

    private var magnitude: UInt64? {
        guard exponent >= 0, digits.count + exponent <= 20 else { return nil }
        var result: UInt64 = 0
        for position in 0..<(digits.count + exponent) {
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(position < digits.count ? digits[position] : 0))
            if overflow || carry { return nil }
            result = sum
        }
        return result
    }
}
