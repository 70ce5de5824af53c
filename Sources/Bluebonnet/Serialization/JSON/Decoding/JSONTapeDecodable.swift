/// A type that is decoded from the tape without going through containers.
protocol JSONTapeDecodable {
    /// Decodes a value; the type itself is given once more, as the caller knows it.
    static func decode<T>(as type: T.Type, _ context: JSONDecodingContext, at index: Int) throws -> T
}

extension Optional: JSONTapeDecodable where Wrapped: Decodable {
    static func decode<T>(as type: T.Type, _ context: JSONDecodingContext, at index: Int) throws -> T {
        let value: Self = context.isNull(at: index) ? nil : try context.decode(Wrapped.self, at: index)
        // T is Self.
        return unsafe unsafeBitCast(value, to: type)
    }
}

extension Array: JSONTapeDecodable where Element: Decodable {
    static func decode<T>(as type: T.Type, _ context: JSONDecodingContext, at index: Int) throws -> T {
        let word = context.word(at: index)
        guard JSONTape.kind(of: word) == .array else { throw context.mismatch([Any].self, at: index) }
        let end = JSONTape.offset(of: word)
        // T is Self, and each array made here is of T's element type.
        switch Element.self {
        case is String.Type:
            return unsafe unsafeBitCast(try elements(word, index, end) { try context.string(at: $0) }, to: type)
        case is Int.Type:
            return unsafe unsafeBitCast(
                try elements(word, index, end) { try context.integer(Int.self, at: $0) },
                to: type
            )
        case is Double.Type:
            return unsafe unsafeBitCast(try elements(word, index, end) { try context.double(at: $0) }, to: type)
        default: break
        }
        var result: [Element] = []
        result.reserveCapacity(JSONTape.capacity(of: word, at: index, stride: MemoryLayout<Element>.stride))
        var child = index + 1
        if case .plain = context.kinds.kind(of: Element.self) {
            let (outer, count) = (context.cursor, context.noted.count)
            defer { context.cursor = outer }
            while child < end {
                // As `scoped` does for one value.
                context.cursor.owner = -1
                result.append(try Element(from: JSONTapeDecoder(context: context, index: child)))
                if context.noted.count > count { context.forget(inside: index, from: count) }
                child = context.end(of: child)
            }
        } else {
            while child < end {
                result.append(try context.decode(Element.self, at: child))
                child = context.end(of: child)
            }
        }
        return unsafe unsafeBitCast(result, to: type)
    }

    /// Makes an array of scalars; one that is none makes `decode` throw, so that each takes one
    /// word.
    @inline(__always)
    private static func elements<Scalar>(
        _ word: UInt64,
        _ index: Int,
        _ end: Int,
        _ decode: (Int) throws -> Scalar
    ) throws -> [Scalar] {
        var result: [Scalar] = []
        result.reserveCapacity(JSONTape.length(of: word))
        for child in (index + 1)..<end { result.append(try decode(child)) }
        return result
    }
}

extension JSONTape {
    /// For how many elements of a type room is made before they are decoded: for all of them,
    /// unless it were more memory than twice what the container takes on the tape.
    ///
    /// The document says how many there are, the type how large: together they could ask for any
    /// amount.
    @inline(__always)
    static func capacity(of word: UInt64, at index: Int, stride: Int) -> Int {
        let count = length(of: word)
        let limit = (offset(of: word) - index) * 2 * MemoryLayout<UInt64>.stride
        return count * stride <= limit ? count : limit / stride
    }
}

extension Dictionary: JSONTapeDecodable where Key == String, Value: Decodable {
    static func decode<T>(as type: T.Type, _ context: JSONDecodingContext, at index: Int) throws -> T {
        let word = context.word(at: index)
        guard JSONTape.kind(of: word) == .object else { throw context.mismatch([String: Any].self, at: index) }
        let isNoted = !context.hasPlainKeys && context.dictionaries.insert(index).inserted
        defer { if isNoted { context.dictionaries.remove(index) } }
        let end = JSONTape.offset(of: word)
        var result: Self = [:]
        result.reserveCapacity(JSONTape.capacity(of: word, at: index, stride: MemoryLayout<Self.Element>.stride))
        var child = index + 1
        while child < end {
            let key = context.tape.string(of: context.words[child])
            do {
                let value = try context.decode(Value.self, at: child + 1)
                // The first of equal keys wins,
                if let previous = result.updateValue(value, forKey: key) { result[key] = previous }
            } catch {
                // also over what is no value.
                guard result.index(forKey: key) != nil else { throw error }
            }
            child = context.end(of: child + 1)
        }
        // T is Self.
        return unsafe unsafeBitCast(result, to: type)
    }
}
