/// The container that takes the single value of a type.
struct FormSingleValueContainer: SingleValueEncodingContainer {
    let encoder: FormTreeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    private var scope: FormScope { encoder.scope }

    func encodeNil() { encoder.value = .null }

    func encode<T: Encodable>(_ value: T) throws { encoder.value = try scope.value(of: value) }
}

extension FormSingleValueContainer {
    func encode(_ value: Bool) { encoder.value = scope.value(of: value) }

    func encode(_ value: String) { encoder.value = .text(value) }

    func encode(_ value: Double) throws { encoder.value = try scope.value(ofNumber: value) }

    func encode(_ value: Float) throws { encoder.value = try scope.value(ofNumber: value) }

    func encode(_ value: Int) { encoder.value = .text(value.description) }

    func encode(_ value: Int8) { encoder.value = .text(value.description) }

    func encode(_ value: Int16) { encoder.value = .text(value.description) }

    func encode(_ value: Int32) { encoder.value = .text(value.description) }

    func encode(_ value: Int64) { encoder.value = .text(value.description) }

    func encode(_ value: UInt) { encoder.value = .text(value.description) }

    func encode(_ value: UInt8) { encoder.value = .text(value.description) }

    func encode(_ value: UInt16) { encoder.value = .text(value.description) }

    func encode(_ value: UInt32) { encoder.value = .text(value.description) }

    func encode(_ value: UInt64) { encoder.value = .text(value.description) }

    func encode(_ value: Int128) { encoder.value = .text(value.description) }

    func encode(_ value: UInt128) { encoder.value = .text(value.description) }
}
