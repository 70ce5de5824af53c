/// What a decoding remembers of a container to which it comes back.
///
/// Without it, a type that reads an object otherwise than from its first key to its last, or others
/// in between, would walk over all keys again for each. Most containers have none.
struct JSONContainerNote {
    /// Where the cursor was when it went to another object.
    var cursor: JSONKeyCursor?
    /// The indices of an object's values by their keys.
    var values: [String: Int]?
    /// Where the children start: elements, or the keys of an object.
    var children: [UInt32]?
    /// How many children were passed on the way to values whose path was asked for.
    var walked = 0
}

extension JSONDecodingContext {
    /// How many children may be passed every time; where there are no more, nothing needs to be
    /// remembered.
    static let near = 16
    /// After how many useless passes over all children of a container they are indexed, which costs
    /// about as much.
    ///
    /// Types that do not read all keys of a large object, or ask for some that are missing, get
    /// along without.
    static let uselessPasses = 8

    /// Moves the cursor to an object: to where it was, if it was there before.
    @inline(__always)
    func moveCursor(to object: Int) {
        if cursor.owner < 0, notes.isEmpty {
            cursor = JSONKeyCursor(owner: object, index: object + 1)
        } else {
            returnCursor(to: object)
        }
    }

    private func returnCursor(to object: Int) {
        let left = cursor
        if left.owner >= 0, left.shape != nil || JSONTape.length(of: words[left.owner]) > Self.near {
            note(left.owner) { $0.cursor = left }
        }
        cursor = notes[object]?.cursor ?? JSONKeyCursor(owner: object, index: object + 1)
    }

    /// Changes what is remembered of a container.
    func note(_ container: Int, _ change: (inout JSONContainerNote) -> Void) {
        if notes[container] == nil { noted.append(container) }
        change(&notes[container, default: JSONContainerNote()])
    }

    /// Runs what decodes one value, with a cursor of its own; what it notes of the containers
    /// inside is forgotten.
    @inline(__always)
    func scoped<T>(_ index: Int, _ decode: () throws -> T) rethrows -> T {
        let (outer, count) = (cursor, noted.count)
        cursor.owner = -1
        defer {
            cursor = outer
            if noted.count > count { forget(inside: index, from: count) }
        }
        return try decode()
    }

    /// Drops the notes of containers inside a value that is decoded.
    func forget(inside index: Int, from count: Int) {
        let inside = index..<end(of: index)
        var kept = count
        for position in count..<noted.count {
            let container = noted[position]
            if inside.contains(container) {
                notes[container] = nil
            } else {
                noted[kept] = container
                kept += 1
            }
        }
        noted.removeLast(noted.count - kept)
    }

    /// The starts of a container's children if they are known, or if so many children were passed
    /// that it pays.
    func children(of container: Int, passed: Int) -> [UInt32]? {
        if !notes.isEmpty, let children = notes[container]?.children { return children }
        let count = JSONTape.length(of: words[container])
        guard count > Self.near, passed > Self.uselessPasses * count else { return nil }
        let step = kind(at: container) == .object ? 1 : 0
        let end = end(of: container)
        var children: [UInt32] = []
        children.reserveCapacity(count)
        var child = container + 1
        while child < end {
            // A tape has less than 2^32 words.
            children.append(UInt32(truncatingIfNeeded: child))
            child = self.end(of: child + step)
        }
        tape.spend(count)
        note(container) { $0.children = children }
        return children
    }
}
