/// Writes parameters as a query string or a form body, by AFNetworking's rules.
///
/// ``ParameterEncoding/standard`` has the same rules for ``Parameters`` with values of every type.
///
/// - Keys are sorted by their UTF-16 units, case-sensitively, at every level.
/// - The object in `["a": ["b": 1]]` becomes `a[b]=1`; the array in `["a": [1, 2]]` becomes
///   `a[]=1&a[]=2`, in its order. Objects and arrays nest. Empty ones are not written.
/// - Null becomes a bare key without `=`. Booleans are `1` and `0`. Numbers are written as text,
///   whole ones without fraction.
/// - Names and values are both percent-escaped, also brackets: `a%5B%5D=1`. For the exceptions, see
///   ``escape(_:)``.
///
/// Counterpart of `AFQueryStringFromParameters` and `AFPercentEscapedStringFromString`.
public struct QueryString: Sendable, Hashable {
    /// Makes the rules.
    public init() {}

    /// Writes parameters.
    ///
    /// - Parameter parameters: An object; null for none.
    /// - Returns: The pairs joined with `&`; empty when there is nothing to write.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` when the parameters are an
    ///   array or a single value, which have no keys (AFNetworking wrote `(null)[]` and `=value`),
    ///   and for objects and arrays nested deeper than 2048 levels.
    public func encode(_ parameters: JSONValue) throws(NetworkingError) -> String {
        let object: JSONObject
        switch parameters {
        case .null: return ""
        case .object(let value): object = value
        case .array: throw Self.keyless("an array")
        case .bool, .number, .string: throw Self.keyless("a single value")
        }
        var output: [UInt8] = []
        output.reserveCapacity(256)
        try Self.forEachPair(of: object) { name, value in
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            Self.append(escaped: name, to: &output)
            guard let value else { return }
            output.append(UInt8(ascii: "="))
            Self.append(escaped: value.utf8, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Percent-escapes a name or a value as UTF-8.
    ///
    /// - Parameter text: The text.
    /// - Returns: The text in which everything but `A–Z a–z 0–9 - . _ ~ / ?` is escaped in
    ///   upper-case hexadecimal (RFC 3986 §3.4 allows `/` and `?` in a query). A space is
    ///   `%20`.
    public func escape(_ text: String) -> String {
        var output: [UInt8] = []
        Self.append(escaped: text.utf8, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private static func keyless(_ kind: String) -> NetworkingError {
        NetworkingError(
            .requestSerializationFailed,
            "The parameters are \(kind): a query string or a form needs an object, so that every value has a name."
        )
    }

    // MARK: Pairs

    /// Calls the closure for each value of the parameters, in order, with its name, neither of them
    /// escaped; null has no text.
    ///
    /// Counterpart of `AFQueryStringPairsFromDictionary`.
    private static func forEachPair(
        of parameters: JSONObject,
        _ body: (_ name: [UInt8], _ value: String?) -> Void
    ) throws(NetworkingError) {
        var name: [UInt8] = []
        name.reserveCapacity(64)
        try visit(parameters, name: &name, depth: 0, body)
    }

    /// Whether a text is before another by UTF-16 units, AFNetworking's order of keys.
    static func precedes(_ left: String, _ right: String) -> Bool {
        var (ones, others) = (left.utf8.makeIterator(), right.utf8.makeIterator())
        while let other = others.next() {
            guard let one = ones.next() else { return true }
            // UTF-8 has the same order, except between the characters from U+E000 to U+FFFF and
            // those beyond, whose units are surrogates.
            guard one < 0xEE || other < 0xEE else {
                if one == other { continue }
                return left.utf16.lexicographicallyPrecedes(right.utf16)
            }
            if one != other { return one < other }
        }
        return false
    }

    /// Visits an object; `name` is its name. At the top there is none, which is not the same as an
    /// empty name: an empty key is a name, too.
    private static func visit(
        _ object: JSONObject,
        name: inout [UInt8],
        depth: Int,
        _ body: ([UInt8], String?) -> Void
    ) throws(NetworkingError) {
        let length = name.count
        for (key, value) in object.sorted(by: { precedes($0.key, $1.key) }) {
            if depth > 0 { name.append(UInt8(ascii: "[")) }
            name += key.utf8
            if depth > 0 { name.append(UInt8(ascii: "]")) }
            try visit(value, name: &name, depth: depth + 1, body)
            name.removeLast(name.count - length)
        }
    }

    private static func visit(
        _ value: JSONValue,
        name: inout [UInt8],
        depth: Int,
        _ body: ([UInt8], String?) -> Void
    ) throws(NetworkingError) {
        // Without a limit, the stack would end before the values do.
        guard depth <= JSONWriter.maximumDepth else {
            throw NetworkingError(
                .requestSerializationFailed,
                "The parameters are nested deeper than \(JSONWriter.maximumDepth) levels."
            )
        }
        switch value {
        case .object(let object):
            try visit(object, name: &name, depth: depth, body)
        case .array(let array):
            name += "[]".utf8
            for element in array { try visit(element, name: &name, depth: depth + 1, body) }
            name.removeLast(2)
        case .null: body(name, nil)
        case .bool(let value): body(name, value ? "1" : "0")
        case .string(let text): body(name, text)
        case .number(let number): body(name, text(of: number))
        }
    }

    /// The text of a number: as `NSNumber` does, `1` and not `1.0` for a whole double.
    static func text(of number: JSONNumber) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    // MARK: Escaping

    private static func append(escaped bytes: some Sequence<UInt8>, to output: inout [UInt8]) {
        for byte in bytes {
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
