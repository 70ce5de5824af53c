import FoundationEssentials

/// The byte sequences in a dictionary of RFC 9651 (§3.2), as the fields of RFC 9530 are.
///
/// Members of other types are parsed too, because a field with one fault is ignored as a whole
/// (§4.2).
struct StructuredDictionary {
    /// The members that are byte sequences. Of two with one key the last counts.
    private(set) var byteSequences: [String: [UInt8]] = [:]

    private struct Fault: Error {}

    private var input: Substring.UnicodeScalarView

    /// Parses the value of a field, its lines joined with commas; nil for what is no dictionary.
    init?(_ value: String) {
        input = value[...].unicodeScalars
        do { try parse() } catch { return nil }
    }

    // MARK: Dictionaries

    private mutating func parse() throws {
        skip { $0 == " " }
        // §4.2.2: white space at the end is that of a list, so that a comma may not be the last.
        while !input.isEmpty {
            let key = try key()
            byteSequences[key] = nil
            if take("=") {
                if input.first == "(" { try skipInnerList() } else { byteSequences[key] = try item() }
            }
            try skipParameters()
            skip { $0 == " " || $0 == "\t" }
            if input.isEmpty { return }
            guard take(",") else { throw Fault() }
            skip { $0 == " " || $0 == "\t" }
            if input.isEmpty { throw Fault() }
        }
    }

    private mutating func key() throws -> String {
        guard let first = input.first, Self.isLower(first) || first == "*" else { throw Fault() }
        let isKey: (Unicode.Scalar) -> Bool = {
            Self.isLower($0) || Self.isDigit($0) || $0 == "_" || $0 == "-" || $0 == "." || $0 == "*"
        }
        return String(prefix(isKey))
    }

    private mutating func skipParameters() throws {
        while take(";") {
            skip { $0 == " " }
            _ = try key()
            if take("=") { _ = try item() }
        }
    }

    private mutating func skipInnerList() throws {
        _ = take("(")
        while true {
            skip { $0 == " " }
            if take(")") { return }
            _ = try item()
            try skipParameters()
            guard input.first == " " || input.first == ")" else { throw Fault() }
        }
    }

    // MARK: Items

    /// Takes an item off the front; nil for one that is not a byte sequence.
    private mutating func item() throws -> [UInt8]? {
        guard let first = input.first else { throw Fault() }
        switch first {
        case ":": return try byteSequence()
        case "\"": try skipString()
        case "?":
            input = input.dropFirst()
            guard take("0") || take("1") else { throw Fault() }
        case "@":
            input = input.dropFirst()
            guard try !skipNumber() else { throw Fault() }
        case "%":
            input = input.dropFirst()
            try skipDisplayString()
        case "-": _ = try skipNumber()
        case _ where Self.isDigit(first): _ = try skipNumber()
        case _ where first == "*" || Self.isLetter(first):
            skip { Self.isTokenCharacter($0) || $0 == ":" || $0 == "/" }
        default: throw Fault()
        }
        return nil
    }

    private mutating func byteSequence() throws -> [UInt8] {
        _ = take(":")
        var digits = String(prefix { $0 != ":" })
        guard take(":") else { throw Fault() }
        // §4.2.7: padding may be missing.
        if !digits.contains("=") {
            digits += String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        }
        guard let data = Data(base64Encoded: digits) else { throw Fault() }
        return Array(data)
    }

    private mutating func skipString() throws {
        _ = take("\"")
        while let scalar = input.popFirst() {
            switch scalar {
            case "\"": return
            case "\\": guard take("\"") || take("\\") else { throw Fault() }
            default: guard Self.isPrintable(scalar) else { throw Fault() }
            }
        }
        throw Fault()
    }

    private mutating func skipDisplayString() throws {
        guard take("\"") else { throw Fault() }
        var bytes: [UInt8] = []
        while let scalar = input.popFirst() {
            switch scalar {
            case "\"":
                guard String(validating: bytes, as: UTF8.self) != nil else { throw Fault() }
                return
            case "%":
                guard let high = try lowerHexDigit(), let low = try lowerHexDigit() else { throw Fault() }
                bytes.append(high << 4 | low)
            default:
                guard Self.isPrintable(scalar) else { throw Fault() }
                bytes.append(UInt8(ascii: scalar))
            }
        }
        throw Fault()
    }

    private mutating func lowerHexDigit() throws -> UInt8? {
        guard let scalar = input.popFirst(), scalar.isASCII, !("A"..."F").contains(scalar) else { throw Fault() }
        return ASCII.hexDigit(UInt8(ascii: scalar))
    }

    /// Takes a number off the front (§4.2.4).
    ///
    /// - Returns: Whether it has a fraction.
    private mutating func skipNumber() throws -> Bool {
        _ = take("-")
        let whole = prefix(Self.isDigit).count
        guard (1...15).contains(whole) else { throw Fault() }
        guard take(".") else { return false }
        guard whole <= 12, (1...3).contains(prefix(Self.isDigit).count) else { throw Fault() }
        return true
    }

    // MARK: Characters

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isLower(_ scalar: Unicode.Scalar) -> Bool { ("a"..."z").contains(scalar) }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        isLower(scalar) || ("A"..."Z").contains(scalar)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool { (" "..."~").contains(scalar) }

    /// RFC 9110 §5.6.2.
    private static func isTokenCharacter(_ scalar: Unicode.Scalar) -> Bool {
        isLetter(scalar) || isDigit(scalar) || "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar)
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard input.first == scalar else { return false }
        input = input.dropFirst()
        return true
    }

    private mutating func prefix(_ isWanted: (Unicode.Scalar) -> Bool) -> Substring.UnicodeScalarView {
        let found = input.prefix(while: isWanted)
        input = input[found.endIndex...]
        return found
    }

    private mutating func skip(_ isSkipped: (Unicode.Scalar) -> Bool) {
        input = input.drop(while: isSkipped)
    }
}
