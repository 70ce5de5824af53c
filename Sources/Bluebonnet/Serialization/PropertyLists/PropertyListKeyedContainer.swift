/// The container of a dictionary.
struct PropertyListKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PropertyListValueDecoder
    let values: [String: PropertyListValue]

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { values.keys.sorted().compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

    private func inner(_ key: some CodingKey) throws -> PropertyListValueDecoder {
        guard let value = values[key.stringValue] else {
            let text = "There is no key “\(key.stringValue.shortened)”."
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(codingPath: codingPath, debugDescription: text)
            )
        }
        return decoder.inner(value, key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try inner(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        // Scalars are `Decodable`, too: they decode themselves from a single-value container.
        try inner(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try inner(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try inner(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try inner(CodingPathKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }
}
