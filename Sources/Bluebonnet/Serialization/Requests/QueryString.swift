/// Writes parameters as a query string or a form body, by AFNetworking's rules.
///
/// - Keys are sorted by their UTF-16 units, case-sensitively, at every level.
/// - The object in `["a": ["b": 1]]` makes `a[b]=1`; the array in `["a": [1, 2]]` makes `a[]=1&a[]=2`, in its order.
///   Objects and arrays nest. Empty ones make nothing.
/// - Null makes a bare key without `=`. Booleans are `1` and `0`. Numbers are written as text, whole ones without
///   fraction.
/// - Names and values are both percent-escaped, brackets too: `a%5B%5D=1`. What stays as it is: see ``escape(_:)``.
///
/// Counterpart of `AFQueryStringFromParameters` and `AFPercentEscapedStringFromString`.
public struct QueryString: Sendable, Hashable {
    /// Makes the rules.
    public init() {}

    /// Writes parameters.
    ///
    /// - Parameter parameters: An object; null for none.
    /// - Returns: The pairs joined with `&`; empty when there is nothing to write.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` when the parameters are an array or a single
    ///   value, which have no keys. (AFNetworking wrote `(null)[]` and `=value`.)
    public func encode(_ parameters: JSONValue) throws(NetworkingError) -> String {
        let object: JSONObject
        switch parameters {
        case .null: return ""
        case .object(let value): object = value
        case .array: throw Self.keyless("an array")
        case .bool, .number, .string: throw Self.keyless("a single value")
        }
        var output: [UInt8] = []
        append(object, name: nil, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Percent-escapes a name or a value as UTF-8.
    ///
    /// - Parameter text: The text.
    /// - Returns: The text in which everything but `A–Z a–z 0–9 - . _ ~ / ?` is escaped in upper-case hexadecimal
    ///   (RFC 3986 §3.4 leaves `/` and `?` free in a query). A space is `%20`.
    public func escape(_ text: String) -> String {
        var output: [UInt8] = []
        Self.append(escaped: text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private static func keyless(_ what: String) -> NetworkingError {
        NetworkingError(
            .requestSerializationFailed,
            "The parameters are \(what): a query string or a form needs an object, so that every value has a name."
        )
    }

    // MARK: Pairs

    /// The name is that of the object itself, escaped; nil at the top, since the empty key is a name, too.
    private func append(_ object: JSONObject, name: [UInt8]?, to output: inout [UInt8]) {
        for (key, value) in object.sorted(by: { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }) {
            var inner: [UInt8] = []
            if let name { inner = name + Self.openingBracket }
            Self.append(escaped: key, to: &inner)
            if name != nil { inner += Self.closingBracket }
            append(value, name: inner, to: &output)
        }
    }

    private func append(_ value: JSONValue, name: [UInt8], to output: inout [UInt8]) {
        switch value {
        case .object(let object):
            append(object, name: name, to: &output)
        case .array(let array):
            let inner = name + Self.openingBracket + Self.closingBracket
            for element in array { append(element, name: inner, to: &output) }
        case .null:
            append(name: name, to: &output)
        case .bool(let value):
            append(name: name, to: &output)
            output += value ? "=1".utf8 : "=0".utf8
        case .string(let text):
            append(name: name, to: &output)
            output.append(UInt8(ascii: "="))
            Self.append(escaped: text, to: &output)
        case .number(let number):
            append(name: name, to: &output)
            output.append(UInt8(ascii: "="))
            Self.append(escaped: Self.text(of: number), to: &output)
        }
    }

    private func append(name: [UInt8], to output: inout [UInt8]) {
        if !output.isEmpty { output.append(UInt8(ascii: "&")) }
        output += name
    }

    /// `NSNumber` describes the double one as `1`, not as `1.0`.
    static func text(of number: JSONNumber) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    // MARK: Escaping

    private static let openingBracket = Array("%5B".utf8)
    private static let closingBracket = Array("%5D".utf8)

    private static func append(escaped text: String, to output: inout [UInt8]) {
        for byte in text.utf8 {
            if isAllowed(byte) {
                output.append(byte)
            } else {
                append(percentEscaped: byte, to: &output)
            }
        }
    }

    static func append(percentEscaped byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "%"))
        output.append(hexDigit(byte >> 4))
        output.append(hexDigit(byte & 15))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "/"), UInt8(ascii: "?"):
            true
        default:
            false
        }
    }
}
