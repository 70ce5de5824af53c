import FoundationEssentials

extension JSONDecodingContext {
    /// The number of shapes that are kept; documents have few that are repeated.
    private static let shapeCount = 8

    /// Whether an object's keys cannot be compared as they are written.
    @inline(__always)
    func needsShape(_ object: Int) -> Bool {
        !hasPlainKeys || tape.mayRepeatKeys(at: object)
    }

    /// The index of the value of a key in an object that needs a shape, or -1.
    func findByShape(_ name: String, in object: Int) -> Int {
        let shape = shape(of: object)
        guard let position = shape.position(of: name, expected: cursor.position) else { return -1 }
        let index = key(at: position, in: object)
        cursor.index = end(of: index + 1)
        cursor.position = position + 1
        return index + 1
    }

    /// The index of the key at a position of the object where the cursor is.
    private func key(at position: Int, in object: Int) -> Int {
        let isBehind = position < cursor.position
        let steps = isBehind ? position : position - cursor.position
        if steps > Self.near {
            if let children = children(of: object, passed: cursor.wasted) { return Int(children[position]) }
            cursor.wasted += steps
        }
        var index = isBehind ? object + 1 : cursor.index
        for _ in 0..<steps { index = end(of: index + 1) }
        tape.spend(steps)
        return index
    }

    /// The shape of an object, to which the cursor is moved.
    func shape(of object: Int) -> JSONKeyShape {
        if cursor.owner != object { moveCursor(to: object) }
        if let shape = cursor.shape { return shape }
        let shape = shapes.last { hasSameKeys($0.example, object) } ?? makeShape(of: object)
        cursor.shape = shape
        return shape
    }

    private func makeShape(of object: Int) -> JSONKeyShape {
        var keys: [String] = []
        let end = end(of: object)
        var index = object + 1
        var isCustom = false
        if case .custom(let convert) = options.keyDecodingStrategy {
            isCustom = true
            // The path is whole, however long: the key that a closure returns may depend on it.
            var path = index < end ? codingPath(to: object, atMost: .max) : []
            while index < end {
                path.append(CodingPathKey(stringValue: tape.string(of: words[index])))
                keys.append(convert(path).stringValue)
                path.removeLast()
                index = self.end(of: index + 1)
            }
        }
        while index < end {
            keys.append(convertedKey(tape.string(of: words[index]), []))
            index = self.end(of: index + 1)
        }
        tape.spend(keys.count * 5)
        let shape = JSONKeyShape(example: object, keys: keys)
        // A custom strategy may convert the same keys differently at another place.
        if !isCustom {
            if shapes.count == Self.shapeCount { shapes.removeFirst() }
            shapes.append(shape)
        }
        return shape
    }

    private func hasSameKeys(_ left: Int, _ right: Int) -> Bool {
        let (leftEnd, rightEnd) = (end(of: left), end(of: right))
        var (left, right) = (left + 1, right + 1)
        while left < leftEnd, right < rightEnd {
            tape.spend(1)
            guard isSameText(words[left], words[right]) else { return false }
            left = end(of: left + 1)
            right = end(of: right + 1)
        }
        return left == leftEnd && right == rightEnd
    }

    /// Whether two strings are written with the same bytes.
    private func isSameText(_ left: UInt64, _ right: UInt64) -> Bool {
        let length = tape.stringLength(of: left)
        guard length == tape.stringLength(of: right) else { return false }
        let (left, right) = (JSONTape.offset(of: left), JSONTape.offset(of: right))
        var position = 0
        while position + 8 <= length {
            guard bytes.eightBytes(left + position) == bytes.eightBytes(right + position) else { return false }
            position += 8
        }
        let unused = UInt64(64 - (length - position) * 8)
        let difference = bytes.eightBytes(left + position) ^ bytes.eightBytes(right + position)
        return difference << unused == 0
    }

    /// A key as the strategy converts it.
    func convertedKey(_ key: String, _ path: @autoclosure () -> [any CodingKey]) -> String {
        switch options.keyDecodingStrategy {
        case .useDefaultKeys: key
        case .convertFromSnakeCase: JSONSnakeCase.camelCase(key)
        case .custom(let convert): convert(path() + [CodingPathKey(stringValue: key)]).stringValue
        @unknown default: key
        }
    }
}
