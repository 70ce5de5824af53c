extension JSONDecodingContext {
    /// The way to a value, found out by walking from the top: never kept, since only errors and curious types ask.
    func codingPath(to target: Int) -> [any CodingKey] {
        if target >= words.count {
            let absent = absentValues[target - words.count]
            return codingPath(to: absent.parent) + [absent.key]
        }
        var path: [any CodingKey] = []
        var container = 0
        while container != target {
            let isObject = kind(at: container) == .object
            // Where the last walk came to in the same container: types that pass over many errors ask in order.
            let depth = path.count
            if depth == pathMarks.count { pathMarks.append((-1, 0, 0)) }
            let mark = pathMarks[depth]
            let isUsable = mark.container == container && mark.child <= target
            var child = isUsable ? mark.child : container + 1
            var position = isUsable ? mark.position : 0
            while end(of: isObject ? child + 1 : child) <= target {
                child = end(of: isObject ? child + 1 : child)
                position += 1
            }
            pathMarks[depth] = (container, child, position)
            if isObject {
                path.append(JSONPathKey(stringValue: convertedKey(tape.string(at: child), path)))
                container = child + 1
            } else {
                path.append(JSONPathKey(index: position))
                container = child
            }
        }
        return path
    }

    /// The error for a value of another kind than asked for, or for null.
    func mismatch(_ type: any Any.Type, at index: Int, nullIsMissing: Bool = true) -> DecodingError {
        let path = codingPath(to: index)
        guard kind(at: index) != .null || !nullIsMissing else {
            return .valueNotFound(
                type,
                DecodingError.Context(codingPath: path, debugDescription: "Expected \(type) but found null.")
            )
        }
        return .typeMismatch(
            type,
            DecodingError.Context(
                codingPath: path,
                debugDescription: "Expected \(type) but found \(Self.name(of: kind(at: index)))."
            )
        )
    }

    /// The error for a value of the right kind that means nothing to the type.
    func corrupted(at index: Int, _ sentence: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath(to: index), debugDescription: sentence))
    }

    /// The error for a key that an object does not have.
    func missing(_ key: any CodingKey, in object: Int) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath(to: object),
                debugDescription: "There is no value for the key \"\(key.stringValue)\"."
            )
        )
    }

    private static func name(of kind: JSONTape.Kind) -> String {
        switch kind {
        case .null: "null"
        case .false, .true: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
