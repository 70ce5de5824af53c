/// Numbers as XPath reads and writes them (XPath 1.0 §4.2, §4.4).
enum XPathNumber {
    static func string(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        if let whole = Int64(exactly: number) { return "\(whole)" }
        let parts = "\(number.magnitude)".split(separator: "e")
        let digits = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = digits.count == 2 && digits[1] != "0" ? String(digits[1]) : ""
        let (whole, point) = (String(digits[0]) + fraction, digits[0].count)
        // XPath has no exponents: zeros are written behind the digits, or before them.
        let exponent = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
        let place = point + exponent
        let sign = number < 0 ? "-" : ""
        if place <= 0 { return sign + "0." + String(repeating: "0", count: -place) + whole }
        let zeros = String(repeating: "0", count: max(0, place - whole.count))
        let padded = whole + zeros
        return sign + padded.prefix(place) + (padded.count > place ? "." + padded.dropFirst(place) : "")
    }

    static func parse(_ text: String) -> Double {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        let trimmed = text.utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        let digits = trimmed.first == UInt8(ascii: "-") ? Array(trimmed).dropFirst() : Array(trimmed)[...]
        let isNumber = digits.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
        guard isNumber, digits.contains(where: { $0 != UInt8(ascii: ".") }) else { return .nan }
        var number = String(decoding: Array(trimmed), as: UTF8.self)
        if number.hasSuffix(".") { number += "0" }
        if number.hasPrefix(".") { number = "0" + number }
        if number.hasPrefix("-.") { number = "-0" + number.dropFirst() }
        return Double(number) ?? .nan
    }

    /// Rounds half up; a result of zero keeps the sign (XPath 1.0 §4.4).
    static func rounded(_ number: Double) -> Double {
        // The difference is exact for every number that is not whole; adding a half would round.
        let whole = number.rounded(.down)
        return number - whole >= 0.5 ? number.rounded(.up) : whole
    }
}
