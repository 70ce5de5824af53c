import Foundation

/// Numbers as XPath reads and writes them (XPath 1.0 §4.2, §4.4).
enum XPathNumber {
    static func string(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        if let whole = Int64(exactly: number) { return "\(whole)" }
        let text = "\(number)"
        // Never with an exponent.
        guard text.contains("e") else { return text.hasSuffix(".0") ? String(text.dropLast(2)) : text }
        return Decimal(string: text)?.description ?? text
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

    /// Half goes up (XPath 1.0 §4.4).
    static func rounded(_ number: Double) -> Double {
        number.isFinite ? (number + 0.5).rounded(.down) : number
    }
}
