import FoundationEssentials

/// The way in which a type is decoded.
enum JSONTypeKind {
    /// The type decodes itself, from a decoder.
    case plain
    case date
    case data
    case url
    case decimal
    case value
    /// The type is decoded directly from the tape.
    case direct(any JSONTapeDecodable.Type)

    init(_ type: any Any.Type) {
        self =
            switch type {
            case is Date.Type: .date
            case is Data.Type: .data
            case is URL.Type: .url
            case is Decimal.Type: .decimal
            case is JSONValue.Type: .value
            case let type as any JSONTapeDecodable.Type: .direct(type)
            default: .plain
            }
    }

    /// The kinds of the types met so far in one decoding: asking the runtime again costs as much as
    /// decoding.
    struct Cache {
        private static let count = 64
        private var slots: [(type: ObjectIdentifier, kind: JSONTypeKind)?] = []

        /// The kind of a type.
        @inline(__always)
        mutating func kind<T>(of type: T.Type) -> JSONTypeKind {
            let identifier = ObjectIdentifier(type)
            let slot = Int(truncatingIfNeeded: UInt(bitPattern: identifier.hashBits) >> 3) & (Self.count - 1)
            if slot < slots.count, let known = slots[slot], known.type == identifier { return known.kind }
            return add(type, identifier, slot)
        }

        private mutating func add<T>(_ type: T.Type, _ identifier: ObjectIdentifier, _ slot: Int) -> JSONTypeKind {
            if slots.isEmpty { slots = Array(repeating: nil, count: Self.count) }
            let kind = JSONTypeKind(type)
            slots[slot] = (identifier, kind)
            return kind
        }
    }
}

extension ObjectIdentifier {
    /// The address of the type, to choose a slot with.
    @inline(__always)
    fileprivate var hashBits: Int { Int(bitPattern: self) }
}

extension JSONDecodingContext {
    /// Decodes any type from the value at an index.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        switch kinds.kind(of: type) {
        case .plain: return try scoped(index) { try T(from: JSONTapeDecoder(context: self, index: index)) }
        case .direct(let direct): return try direct.decode(as: type, self, at: index)
        // The casts are valid: the kind is made of `type`, so that T is the type of each value.
        case .date: return unsafe unsafeBitCast(try date(at: index), to: type)
        case .data: return unsafe unsafeBitCast(try data(at: index), to: type)
        case .url: return unsafe unsafeBitCast(try url(at: index), to: type)
        case .decimal: return unsafe unsafeBitCast(try decimal(at: index), to: type)
        case .value: return unsafe unsafeBitCast(value(at: index), to: type)
        }
    }

    /// The value at an index as a `JSONValue`.
    func value(at index: Int) -> JSONValue {
        guard index < words.count else { return .null }
        var index = index
        return tape.value(at: &index)
    }
}
