/// Reads integers of up to 64 bits.
enum JSONIntegerParser {
    /// The magnitude and sign of a number without fraction and exponent, or nil when it has more
    /// than 64 bits.
    @inline(__always)
    static func magnitude(
        _ bytes: [UInt8],
        _ start: Int,
        _ length: Int
    ) -> (magnitude: UInt64, isNegative: Bool)? {
        let isNegative = bytes[start] == UInt8(ascii: "-")
        let first = start + (isNegative ? 1 : 0)
        let end = start + length
        guard end - first <= 20 else { return nil }
        var magnitude: UInt64 = 0
        // Nineteen digits always fit.
        for position in first..<min(end, first + 19) {
            magnitude = magnitude &* 10 &+ UInt64(bytes[position] &- UInt8(ascii: "0"))
        }
        if end - first == 20 {
            let last = UInt64(bytes[end - 1] &- UInt8(ascii: "0"))
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(last)
            if overflow || carry { return nil }
            magnitude = sum
        }
        return (magnitude, isNegative)
    }
}
