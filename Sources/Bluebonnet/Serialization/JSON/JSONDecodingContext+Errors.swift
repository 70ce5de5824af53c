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
        }
        move(&child, &position, in: container, isObject, to: target)
        let key: JSONPathKey
        if isObject {
            let written = tape.string(at: child)
            key = JSONPathKey(stringValue: isDictionary ? written : convertedKey(written, path))
        } else {
            key = JSONPathKey(index: position)
        }
        let mark = PathMark(
            container: container,
            child: child,
            position: position,
            isDictionary: isDictionary,
            key: key
        )
        tape.spend(5)
        if path.count < pathMarks.count { pathMarks[path.count] = mark } else { pathMarks.append(mark) }
        return mark
    }

    /// Moves on to the child of a container in which a value lies.
    private func move(_ child: inout Int, _ position: inout Int, in container: Int, _ isObject: Bool, to target: Int) {
        let start = position
        while end(of: isObject ? child + 1 : child) <= target {
            if position - start == Self.near, let children = children(of: container, passed: walked(in: container)) {
                // The last of the children that do not start behind the value.
                var (low, high) = (position, children.count)
                while high - low > 1 {
                    let middle = low + (high - low) / 2
                    if Int(children[middle]) <= target { low = middle } else { high = middle }
                    tape.spend(1)
                }
                (child, position) = (Int(children[low]), low)
                return
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
                debugDescription: "There is no value for the key \"\(JSONPath.cut(key.stringValue))\"."
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
