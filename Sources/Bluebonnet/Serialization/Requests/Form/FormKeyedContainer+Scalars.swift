extension FormKeyedContainer {
    func encode(_ value: Bool, forKey key: Key) { object[key.stringValue] = scope.value(of: value) }

    func encode(_ value: String, forKey key: Key) { object[key.stringValue] = .text(value) }

    func encode(_ value: Double, forKey key: Key) throws {
        object[key.stringValue] = try scope.inner(key).value(ofNumber: value)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        object[key.stringValue] = try scope.inner(key).value(ofNumber: value)
    }

    func encode(_ value: Int, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: Int8, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: Int16, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: Int32, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: Int64, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: UInt, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: UInt8, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: UInt16, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: UInt32, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: UInt64, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: Int128, forKey key: Key) { object[key.stringValue] = .text(value.description) }

    func encode(_ value: UInt128, forKey key: Key) { object[key.stringValue] = .text(value.description) }
}

// The default implementations skip nil, but a form can write it.
extension FormKeyedContainer {
    func encodeIfPresent(_ value: Bool?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: Int8?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: Int16?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: Int32?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: Int64?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt8?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt64?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: Int128?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt128?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeMissing(forKey: key) }
    }
}
