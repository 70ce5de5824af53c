/// The container of an array, which is decoded element by element.
struct JSONUnkeyedTapeContainer: UnkeyedDecodingContainer {
    let context: JSONDecodingContext
    private let array: Int32
    private(set) var currentIndex = 0
    /// The next element.
    private var next: Int32

    init(_ context: JSONDecodingContext, at index: Int) throws {
        guard context.kind(at: index) == .array else { throw context.mismatch([Any].self, at: index) }
        self.context = context
        array = Int32(truncatingIfNeeded: index)
        next = Int32(truncatingIfNeeded: index + 1)
    }

    private var arrayIndex: Int { Int(UInt32(bitPattern: array)) }

    private var nextIndex: Int { Int(UInt32(bitPattern: next)) }

    var codingPath: [any CodingKey] { context.codingPath(to: arrayIndex) }

    var count: Int? { context.tape.count(at: arrayIndex) }

    var isAtEnd: Bool { nextIndex >= context.end(of: arrayIndex) }

    /// The index of the element to be decoded next.
    @inline(__always)
    func element(_ type: any Any.Type) throws -> Int {
        guard !isAtEnd else { throw pastTheEnd(type) }
        return nextIndex
    }

    private func pastTheEnd(_ type: any Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath + [CodingPathKey(index: currentIndex)],
                debugDescription: "The array has no more elements."
            )
        )
    }

    /// Moves on, after an element was decoded.
    @inline(__always)
    mutating func advance() {
        next = Int32(truncatingIfNeeded: context.end(of: nextIndex))
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        guard context.isNull(at: try element(Any?.self)) else { return false }
        advance()
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let result = try context.decode(type, at: try element(type))
        advance()
        return result
    }

    mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? {
        try isAtEnd || decodeNil() ? nil : decode(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try JSONKeyedTapeContainer<Nested>(
            context,
            at: try element(KeyedDecodingContainer<Nested>.self)
        )
        advance()
        return KeyedDecodingContainer(container)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try JSONUnkeyedTapeContainer(context, at: try element((any UnkeyedDecodingContainer).self))
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = JSONTapeDecoder(context: context, index: try element((any Decoder).self))
        advance()
        return decoder
    }
}
