/// The container that takes the keys and values of an object.
struct FormKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let scope: FormScope
    let object: FormObject

    var codingPath: [any CodingKey] { scope.codingPath }

    func encodeNil(forKey key: Key) { object[key.stringValue] = .null }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        object[key.stringValue] = try scope.inner(key).value(of: value)
    }

    /// Encodes a nil property: nothing, where the rules leave it out.
    func encodeMissing(forKey key: Key) {
        if !scope.strategies.omitsMissing { encodeNil(forKey: key) }
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested: FormObject
        if case .object(let object)? = object[key.stringValue]?.resolved {
            nested = object
        } else {
            nested = FormObject()
            object[key.stringValue] = .object(nested)
        }
        return KeyedEncodingContainer(FormKeyedContainer<NestedKey>(scope: scope.inner(key), object: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested: FormArray
        if case .array(let array)? = object[key.stringValue]?.resolved {
            nested = array
        } else {
            nested = FormArray()
            object[key.stringValue] = .array(nested)
        }
        return FormUnkeyedContainer(scope: scope.inner(key), array: nested)
    }

    func superEncoder() -> any Encoder { superEncoder(CodingPathKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

    private func superEncoder(_ key: any CodingKey) -> any Encoder {
        let encoder = FormTreeEncoder(scope.inner(key))
        object[key.stringValue] = .deferred(encoder)
        return encoder
    }
}
