import FoundationEssentials

/// A decoder over a parsed property list.
struct PropertyListValueDecoder: Decoder, SingleValueDecodingContainer {
    /// The path of a value. The keys are linked and not in an array, which would be copied for
    /// every value that is decoded: in a deep list that is the depth times the number of values.
    indirect enum Path {
        case root
        case key(any CodingKey, in: Path)

        /// The keys; when there are more than `limit`, the last ones, with `…` for those before.
        func keys(atMost limit: Int) -> [any CodingKey] {
            var keys: [any CodingKey] = []
            keys.reserveCapacity(CodingPath.mostParts + 1)
            var path = self
            while case .key(let key, in: let outer) = path {
                guard keys.count < limit else {
                    keys.append(CodingPathKey(stringValue: "…"))
                    break
                }
                keys.append(key)
                path = outer
            }
            keys.reverse()
            return keys
        }
    }

    /// The state that all decoders of one property list share. Used on one thread; a decoder is not
    /// `Sendable`.
    final class Shared {
        let userInfo: [CodingUserInfoKey: any Sendable]
        /// The number of keys that coding paths may still have together before those of more than
        /// 20 keys are cut. Types may ignore an error at every value, and each path is as long as
        /// the value is deep.
        var keysForPaths: Int

        /// - Parameters:
        ///   - userInfo: The values that decoded types find in their decoder.
        ///   - size: The number of bytes of the property list.
        init(userInfo: [CodingUserInfoKey: any Sendable], size: Int) {
            self.userInfo = userInfo
            // A linked key costs several times as much as one on the tape of JSON.
            keysForPaths = 65_536 + 2 * size
        }
    }

    let value: PropertyListValue
    private let path: Path
    private let shared: Shared

    init(_ value: PropertyListValue, path: Path = .root, _ shared: Shared) {
        self.value = value
        self.path = path
        self.shared = shared
    }

    var codingPath: [any CodingKey] {
        let keys = path.keys(atMost: shared.keysForPaths > 0 ? .max : CodingPath.mostParts)
        shared.keysForPaths -= keys.count
        return keys
    }

    var userInfo: [CodingUserInfoKey: Any] { shared.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .dictionary(let values) = value else {
            throw mismatch([String: PropertyListValue].self, "a dictionary")
        }
        return KeyedDecodingContainer(PropertyListKeyedContainer(decoder: self, values: values))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value else { throw mismatch([PropertyListValue].self, "an array") }
        return PropertyListUnkeyedContainer(decoder: self, values: values)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func inner(_ value: PropertyListValue, _ key: some CodingKey) -> PropertyListValueDecoder {
        PropertyListValueDecoder(value, path: .key(key, in: path), shared)
    }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let text = "Expected \(expected) but found \(value.kind)."
        return .typeMismatch(type, DecodingError.Context(codingPath: codingPath, debugDescription: text))
    }

    /// Property lists have no null. Foundation's encoder writes the text `$null` for it.
    func decodeNil() -> Bool { value == .string("$null") }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .boolean(let value) = value else { throw mismatch(type, "true or false") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let value) = value else { throw mismatch(type, "a text") }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double { try floating(type) }
    func decode(_ type: Float.Type) throws -> Float { try floating(type) }
    func decode(_ type: Int.Type) throws -> Int { try whole(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try whole(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let found: Any?
        switch type {
        case is Date.Type:
            guard case .date(let date) = value else { throw mismatch(type, "a date") }
            found = date
        case is Data.Type:
            guard case .data(let data) = value else { throw mismatch(type, "data") }
            found = data
        case is PropertyListValue.Type: found = value
        default: found = nil
        }
        // Without the binding, a cast of nil to an optional type would succeed.
        if let found, let value = found as? Value { return value }
        return try Value(from: self)
    }

    private func floating<Number: BinaryFloatingPoint>(_ type: Number.Type) throws -> Number {
        switch value {
        case .real(let number): return Number(number)
        case .integer(let number): return Number(number)
        case .unsignedInteger(let number): return Number(number)
        default: throw mismatch(type, "a number")
        }
    }

    private func whole<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let number: Number?
        switch value {
        case .integer(let value): number = Number(exactly: value)
        case .unsignedInteger(let value): number = Number(exactly: value)
        case .real(let value): number = Number(exactly: value)
        default: throw mismatch(type, "a whole number")
        }
        guard let number else {
            let text = "The number does not fit in \(type)."
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: text))
        }
        return number
    }
}

extension PropertyListValue: Decodable {
    /// Creates a value of any shape, only from a decoder of property lists.
    ///
    /// - Parameter decoder: The decoder of ``PropertyListBodyDecoder``.
    /// - Throws: `DecodingError` with any other decoder.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? PropertyListValueDecoder else {
            let text = "A PropertyListValue can only be decoded by PropertyListBodyDecoder."
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: text)
            )
        }
        self = decoder.value
    }

    /// The kind of the value, for messages.
    var kind: String {
        switch self {
        case .dictionary: "a dictionary"
        case .array: "an array"
        case .string: "a text"
        case .integer, .unsignedInteger: "a whole number"
        case .real: "a number"
        case .boolean: "true or false"
        case .date: "a date"
        case .data: "data"
        case .uid: "a reference"
        }
    }
}
