public import FoundationEssentials

extension JSONValue: Decodable {
    /// Decodes any JSON value from any decoder.
    ///
    /// Numbers are as exact as the decoder has them: Foundation's decoder has decimals beyond 64
    /// bits. A decoder that can read one scalar as text and as boolean or number gives the latter
    /// where the text is JSON.
    ///
    /// - Parameter decoder: The decoder of the value.
    /// - Throws: `DecodingError` for another value.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? JSONTapeDecoder {
            self = decoder.context.value(at: decoder.index)
        } else if let container = try? decoder.container(keyedBy: CodingPathKey.self) {
            self = .object(try Self.object(container))
        } else if var container = try? decoder.unkeyedContainer() {
            self = .array(try Self.array(&container))
        } else {
            self = try Self.scalar(try decoder.singleValueContainer())
        }
    }

    private static func object(_ container: KeyedDecodingContainer<CodingPathKey>) throws -> JSONObject {
        var object = JSONObject()
        for key in container.allKeys {
            object[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
        return object
    }

    private static func array(_ container: inout any UnkeyedDecodingContainer) throws -> [JSONValue] {
        var array: [JSONValue] = []
        while !container.isAtEnd {
            array.append(try container.decodeNil() ? .null : container.decode(JSONValue.self))
        }
        return array
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let text = try? container.decode(String.self) { return scalar(text, container) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .number(JSONNumber(value)) }
        if let value = try? container.decode(UInt64.self) { return .number(JSONNumber(value)) }
        if let value = try? container.decode(Double.self) { return .number(JSONNumber(value)) }
        return .number(JSONNumber(try container.decode(Decimal.self)))
    }

    /// A string; or the boolean or number in it, when the decoder knows scalars only as text, such
    /// as one of YAML or of forms.
    private static func scalar(_ text: String, _ container: any SingleValueDecodingContainer) -> JSONValue {
        // A number that is not written as in JSON stays a string: 007 and 0x7 may be names.
        if text == "true" || text == "false" {
            if let value = try? container.decode(Bool.self) { return .bool(value) }
        } else if let first = text.utf8.first, JSONTapeParser.isPartOfNumber(first),
            let number = JSONNumber(text: text), (try? container.decode(Double.self)) != nil
        {
            return .number(number)
        }
        return .string(text)
    }
}

extension JSONValue: Encodable {
    /// Encodes the value to any encoder.
    ///
    /// Numbers beyond 64 bits and doubles are encoded as decimals, rounded beyond 38 digits.
    ///
    /// - Parameter encoder: The encoder of the value.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object):
            var container = encoder.container(keyedBy: CodingPathKey.self)
            for (key, value) in object {
                try container.encode(value, forKey: CodingPathKey(stringValue: key))
            }
        case .array(let array):
            var container = encoder.unkeyedContainer()
            for value in array {
                try container.encode(value)
            }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        case .number(let number): try Self.encode(number, to: encoder)
        }
    }

    private static func encode(_ number: JSONNumber, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch number.storage {
        case .int(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .text:
            if let double = number.double, JSONNumber(double) == number {
                try container.encode(double)
            } else if let decimal = number.decimal {
                try container.encode(decimal)
            } else if let double = number.double {
                try container.encode(double)
            } else {
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "The number \(number) is too large to be encoded."
                )
                throw EncodingError.invalidValue(number, context)
            }
        }
    }
}

extension JSONValue {
    /// Creates the value that an `Encodable` value is written as.
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder. Default: a `JSONEncoder` without options.
    /// - Throws: The errors of the encoder.
    public init(encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder()) throws {
        self = try (value as? JSONValue) ?? JSONValue(parsing: encoder.encode(value))
    }
}

extension JSONNumber: Codable {
    /// Decodes a number from any decoder, as a `JSONValue` does.
    ///
    /// - Parameter decoder: The decoder of the value.
    /// - Throws: `DecodingError` for another value.
    public init(from decoder: any Decoder) throws {
        guard case .number(let number) = try JSONValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                JSONNumber.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "Expected a number.")
            )
        }
        self = number
    }

    /// Encodes the number to any encoder, as a `JSONValue` does.
    ///
    /// - Parameter encoder: The encoder of the value.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.number(self).encode(to: encoder)
    }
}

extension JSONObject: Codable {
    /// Decodes an object from any decoder, as a `JSONValue` does.
    ///
    /// - Parameter decoder: The decoder of the value.
    /// - Throws: `DecodingError` for another value.
    public init(from decoder: any Decoder) throws {
        guard case .object(let object) = try JSONValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                JSONObject.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "Expected an object.")
            )
        }
        self = object
    }

    /// Encodes the object to any encoder, as a `JSONValue` does.
    ///
    /// - Parameter encoder: The encoder of the value.
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(self).encode(to: encoder)
    }
}
