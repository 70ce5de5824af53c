import FoundationEssentials

/// The byte sequences and integers in a dictionary of RFC 9651 (§3.2), as the fields of RFC 9530
/// and `Upload-Limit` are.
///
/// Members of other types are parsed too, because a field with one fault is ignored as a whole
/// (§4.2).
struct StructuredDictionary {
    /// The members that are byte sequences. Of two with one key the last counts.
    private(set) var byteSequences: [String: [UInt8]] = [:]
    /// The members that are integers. Of two with one key the last counts.
    private(set) var integers: [String: Int] = [:]
    /// The keys of all members.
    private(set) var keys: Set<String> = []

    private struct Fault: Error {}

    private enum Item {
        case byteSequence([UInt8])
        case integer(Int)
        case other
    }

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
            keys.insert(key)
            (byteSequences[key], integers[key]) = (nil, nil)
            if take("=") {
                if input.first == "(" { try skipInnerList() } else { note(try item(), key) }
            }
            try skipParameters()
            skip { $0 == " " || $0 == "\t" }
            if input.isEmpty { return }
            guard take(",") else { throw Fault() }
            skip { $0 == " " || $0 == "\t" }
            if input.isEmpty { throw Fault() }
        }
    }

    private mutating func note(_ item: Item, _ key: String) {
        switch item {
        case .byteSequence(let bytes): byteSequences[key] = bytes
        case .integer(let number): integers[key] = number
        case .other: break
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

    /// Takes an item off the front.
    private mutating func item() throws -> Item {
        guard let first = input.first else { throw Fault() }
        switch first {
        case ":": return .byteSequence(try byteSequence())
        case "\"": try skipString()
        case "?":
            input = input.dropFirst()
            guard take("0") || take("1") else { throw Fault() }
        case "@":
            input = input.dropFirst()
            guard try number() != nil else { throw Fault() }
        case "%":
            input = input.dropFirst()
            try skipDisplayString()
        case "-": return try number().map { .integer($0) } ?? .other
        case _ where Self.isDigit(first): return try number().map { .integer($0) } ?? .other
        case _ where first == "*" || Self.isLetter(first):
            skip { Self.isTokenCharacter($0) || $0 == ":" || $0 == "/" }
        default: throw Fault()
        }
        return .other
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
    /// - Returns: The number; nil for one that has a fraction.
    private mutating func number() throws -> Int? {
        let isNegative = take("-")
        let whole = String(prefix(Self.isDigit))
        guard 1...15 ~= whole.utf8.count, let number = Int(whole) else { throw Fault() }
        guard take(".") else { return isNegative ? -number : number }
        guard whole.utf8.count <= 12, (1...3).contains(prefix(Self.isDigit).count) else { throw Fault() }
        return nil
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
