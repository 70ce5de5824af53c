/// A type that is decoded from the tape without containers.
protocol JSONTapeDecodable {
    /// Decodes a value. `T` is always `Self`; it gives the result the type that the caller knows.
    static func decode<T>(as type: T.Type, _ context: JSONDecodingContext, at index: Int) throws -> T
}

extension Optional: JSONTapeDecodable where Wrapped: Decodable {
    static func decode<T>(as type: T.Type, _ context: JSONDecodingContext, at index: Int) throws -> T {
        let value: Self = context.isNull(at: index) ? nil : try context.decode(Wrapped.self, at: index)
        // The cast is valid: `T` is `Self`, since the caller found this type by `T`.
        return unsafe unsafeBitCast(value, to: type)
    }
}

extension Array: JSONTapeDecodable where Element: Decodable {
    static func decode<T>(as type: T.Type, _ context: JSONDecodingContext, at index: Int) throws -> T {
        let word = context.word(at: index)
        guard JSONTape.kind(of: word) == .array else { throw context.mismatch([Any].self, at: index) }
        let end = JSONTape.offset(of: word)
        // The casts are valid: `T` is `Self`, and each case makes an array of `Element`.
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
                // This is what `scoped` does for one value.
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

    /// Makes an array of scalars. `decode` throws for a child that is not a scalar, so that each
    /// child is one word.
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
    /// The number of elements for which memory is reserved before they are decoded: all, but at
    /// most twice the memory that the container takes on the tape.
    ///
    /// The document sets their number, the type their size: without a limit, the product could be
    /// any amount.
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
                // The first of equal keys wins.
                if let previous = result.updateValue(value, forKey: key) { result[key] = previous }
            } catch {
                // Its value also wins over a later one that cannot be decoded.
                guard result.index(forKey: key) != nil else { throw error }
            }
            child = context.end(of: child + 1)
        }
        // The cast is valid: `T` is `Self`, since the caller found this type by `T`.
        return unsafe unsafeBitCast(result, to: type)
    }
}
