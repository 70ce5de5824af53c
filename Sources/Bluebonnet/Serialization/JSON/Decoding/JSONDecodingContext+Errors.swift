extension JSONDecodingContext {
    /// The coding path of a value, found by walking from the top. It is not kept, since only errors
    /// and few types need it.
    ///
    /// Types may ignore an error at every value, and each path is as long as the value is deep.
    /// Paths of up to `alwaysWhole` keys are always whole; longer ones while all of them together
    /// have no more keys than `keysForPaths`. After that they end early, with the key `…`.
    func codingPath(to target: Int) -> [any CodingKey] {
        let path = codingPath(to: target, atMost: keysForPaths > 0 ? .max : Self.alwaysWhole)
        keysForPaths -= path.count
        tape.spend(path.count)
        return path
    }

    /// The coding path of a value; after `limit` keys, the key `…` stands for the rest.
    func codingPath(to target: Int, atMost limit: Int) -> [any CodingKey] {
        if target >= words.count {
            let absent = absentValues[target - words.count]
            let path = codingPath(to: absent.parent, atMost: limit)
            if path.count < limit { return path + [absent.key] }
            return path.count == limit ? path + [Self.leftOut] : path
        }
        let isInside = (lastParent.container..<end(of: lastParent.container)).contains(target)
        var (container, path) = isInside ? lastParent : (0, [])
        if path.count > limit { return path.prefix(limit) + [Self.leftOut] }
        while container != target {
            guard path.count < limit else { return path + [Self.leftOut] }
            let mark = pathMark(path, in: container, to: target)
            let child = kind(at: container) == .object ? mark.child + 1 : mark.child
            if child == target, container != lastParent.container { lastParent = (container, path) }
            path.append(mark.key)
            container = child
        }
        return path
    }

    /// The key at the end of a path that is not whole.
    private static let leftOut = CodingPathKey(stringValue: "…")

    /// The child of a container that has a value inside. The search begins at the child of the last
    /// walk in this container, since types that ignore many errors read in order.
    private func pathMark(_ path: [any CodingKey], in container: Int, to target: Int) -> PathMark {
        let isObject = kind(at: container) == .object
        let isDictionary = !dictionaries.isEmpty && dictionaries.contains(container)
        var (child, position) = (container + 1, 0)
        if path.count < pathMarks.count {
            let mark = pathMarks[path.count]
            if mark.container == container, mark.child <= target {
                (child, position) = (mark.child, mark.position)
                let isSame = mark.isDictionary == isDictionary && target < end(of: isObject ? child + 1 : child)
                if isSame { return mark }
            }
        }
        move(&child, &position, in: container, isObject, to: target)
        let key: CodingPathKey
        if isObject {
            let written = tape.string(at: child)
            key = CodingPathKey(stringValue: isDictionary ? written : convertedKey(written, path))
        } else {
            key = CodingPathKey(index: position)
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

    /// Moves on to the child of a container that has a value inside.
    private func move(_ child: inout Int, _ position: inout Int, in container: Int, _ isObject: Bool, to target: Int) {
        let start = position
        while end(of: isObject ? child + 1 : child) <= target {
            if position - start == Self.near, let children = children(of: container, passed: walked(in: container)) {
                // Binary search for the last child that does not start behind the value.
                var (low, high) = (position, children.count)
                while high - low > 1 {
                    let middle = low + (high - low) / 2
                    if Int(children[middle]) <= target { low = middle } else { high = middle }
                    tape.spend(1)
                }
                (child, position) = (Int(children[low]), low)
                return
            }
            child = end(of: isObject ? child + 1 : child)
            position += 1
        }
        let steps = position - start
        tape.spend(steps)
        if steps > Self.near { note(container) { $0.walked += steps } }
    }

    private func walked(in container: Int) -> Int {
        notes[container]?.walked ?? 0
    }

    /// The error for a value of another kind than the type needs, or for null.
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

    /// The error for a value of the right kind that the type cannot be made of.
    func corrupted(at index: Int, _ sentence: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath(to: index), debugDescription: sentence))
    }

    /// The error for a key that an object does not have.
    func missing(_ key: any CodingKey, in object: Int) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath(to: object),
                debugDescription: "There is no value for the key \"\(key.stringValue.shortened)\"."
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
