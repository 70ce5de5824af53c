/// The container of an object.
struct JSONKeyedTapeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let context: JSONDecodingContext
    private let object: Int
    /// Whether keys cannot be compared as they are written, because some are repeated or all are
    /// converted.
    private let usesShape: Bool

    init(_ context: JSONDecodingContext, at index: Int) throws {
        guard context.kind(at: index) == .object else { throw context.mismatch([String: Any].self, at: index) }
        self.context = context
        object = index
        usesShape = context.needsShape(index)
    }

    var codingPath: [any CodingKey] { context.codingPath(to: object) }

    var allKeys: [Key] {
        if usesShape {
            return context.shape(of: object).names.compactMap { $0.flatMap(Key.init(stringValue:)) }
        }
        var keys: [Key] = []
        let end = context.end(of: object)
        var index = object + 1
        while index < end {
            if let key = Key(stringValue: context.tape.string(at: index)) { keys.append(key) }
            index = context.end(of: index + 1)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { find(key) >= 0 }

    /// The index of the value of a key, or -1.
    @inline(__always)
    private func find(_ key: Key) -> Int {
        find(key.stringValue)
    }

    @inline(__always)
    private func find(_ name: String) -> Int {
        usesShape ? context.findByShape(name, in: object) : context.find(name, in: object)
    }

    /// The index of the value of a key that must be there.
    @inline(__always)
    func value(_ key: Key) throws -> Int {
        let index = find(key)
        guard index >= 0 else { throw context.missing(key, in: object) }
        return index
    }

    /// The index of the value of a key, or nil when there is none or it is null.
    @inline(__always)
    func valueIfPresent(_ key: Key) -> Int? {
        let index = find(key)
        return index < 0 || context.isNull(at: index) ? nil : index
    }

    func decodeNil(forKey key: Key) throws -> Bool { context.isNull(at: try value(key)) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try context.decode(type, at: try value(key))
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let index = valueIfPresent(key) else { return nil }
        return try context.decode(type, at: index)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(try JSONKeyedTapeContainer<Nested>(context, at: try value(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try JSONUnkeyedTapeContainer(context, at: try value(key))
    }

    func superDecoder() throws -> any Decoder { superDecoder(CodingPathKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(key) }

    private func superDecoder(_ key: any CodingKey) -> any Decoder {
        let index = find(key.stringValue)
        return JSONTapeDecoder(context: context, index: index < 0 ? context.absentValue(in: object, key: key) : index)
    }
}
