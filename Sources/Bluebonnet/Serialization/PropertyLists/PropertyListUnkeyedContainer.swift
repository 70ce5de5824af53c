/// The container of an array.
struct PropertyListUnkeyedContainer: UnkeyedDecodingContainer {
    let decoder: PropertyListValueDecoder
    let values: [PropertyListValue]
    private(set) var currentIndex = 0

    init(decoder: PropertyListValueDecoder, values: [PropertyListValue]) {
        self.decoder = decoder
        self.values = values
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    private func inner(_ type: Any.Type) throws -> PropertyListValueDecoder {
        let key = CodingPathKey(index: currentIndex)
        guard !isAtEnd else {
            let context = DecodingError.Context(
                codingPath: codingPath + [key],
                debugDescription: "The array has no more elements."
            )
            throw DecodingError.valueNotFound(type, context)
        }
        return decoder.inner(values[currentIndex], key)
    }

    mutating func decodeNil() throws -> Bool {
        guard try inner(Never.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try inner(type).decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try inner(Never.self).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try inner(Never.self).unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try inner(Never.self)
        currentIndex += 1
        return decoder
    }
}
