/// The container that takes the elements of an array.
struct FormUnkeyedContainer: UnkeyedEncodingContainer {
    let scope: FormScope
    let array: FormArray

    var codingPath: [any CodingKey] { scope.codingPath }

    var count: Int { array.elements.count }

    private var elementScope: FormScope { scope.inner(CodingPathKey(index: count)) }

    func encodeNil() { array.elements.append(.null) }

    func encode<T: Encodable>(_ value: T) throws { array.elements.append(try elementScope.value(of: value)) }

    func nestedContainer<Key: CodingKey>(keyedBy keyType: Key.Type) -> KeyedEncodingContainer<Key> {
        let inner = elementScope
        let object = FormObject()
        array.elements.append(.object(object))
        return KeyedEncodingContainer(FormKeyedContainer(scope: inner, object: object))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let inner = elementScope
        let nested = FormArray()
        array.elements.append(.array(nested))
        return FormUnkeyedContainer(scope: inner, array: nested)
    }

    func superEncoder() -> any Encoder {
        let encoder = FormTreeEncoder(elementScope)
        array.elements.append(.deferred(encoder))
        return encoder
    }
}

extension FormUnkeyedContainer {
    func encode(_ value: Bool) { array.elements.append(scope.value(of: value)) }

    func encode(_ value: String) { array.elements.append(.text(value)) }

    func encode(_ value: Double) throws { array.elements.append(try elementScope.value(ofNumber: value)) }

    func encode(_ value: Float) throws { array.elements.append(try elementScope.value(ofNumber: value)) }

    func encode(_ value: Int) { array.elements.append(.text(value.description)) }

    func encode(_ value: Int8) { array.elements.append(.text(value.description)) }

    func encode(_ value: Int16) { array.elements.append(.text(value.description)) }

    func encode(_ value: Int32) { array.elements.append(.text(value.description)) }

    func encode(_ value: Int64) { array.elements.append(.text(value.description)) }

    func encode(_ value: UInt) { array.elements.append(.text(value.description)) }

    func encode(_ value: UInt8) { array.elements.append(.text(value.description)) }

    func encode(_ value: UInt16) { array.elements.append(.text(value.description)) }

    func encode(_ value: UInt32) { array.elements.append(.text(value.description)) }

    func encode(_ value: UInt64) { array.elements.append(.text(value.description)) }

    func encode(_ value: Int128) { array.elements.append(.text(value.description)) }

    func encode(_ value: UInt128) { array.elements.append(.text(value.description)) }
}
