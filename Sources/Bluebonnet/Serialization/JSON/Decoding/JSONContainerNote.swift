/// The state that a decoding keeps of a container to which it returns.
///
/// Without it, a type that does not read the keys of an object in their order, or reads other
/// objects between them, would walk over all keys again for each. Most containers have no note.
struct JSONContainerNote {
    /// The cursor at the time when it moved to another object.
    var cursor: JSONKeyCursor?
    /// The indices of an object's values by their keys.
    var values: [String: Int]?
    /// The indices at which the children start: elements, or the keys of an object.
    var children: [UInt32]?
    /// The number of children that were passed on walks to values whose path was needed.
    var walked = 0
}

extension JSONDecodingContext {
    /// The number of children that may be passed every time; a container with no more needs no
    /// note.
    static let near = 16
    /// The number of useless passes over all children of a container after which they are indexed,
    /// which costs about as much.
    ///
    /// Types that do not read all keys of a large object, or look for some that are missing, need
    /// no index.
    static let uselessPasses = 8

    /// Moves the cursor to an object: to its last place there, if it was there before.
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

    /// Changes the note of a container.
    func note(_ container: Int, _ change: (inout JSONContainerNote) -> Void) {
        if notes[container] == nil { noted.append(container) }
        change(&notes[container, default: JSONContainerNote()])
    }

    /// Runs a closure that decodes one value, with a new cursor; the notes of the containers inside
    /// the value are dropped afterwards.
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
    /// that finding them costs less than going on.
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
            // This cannot truncate: a tape has fewer than 2^32 words.
            children.append(UInt32(truncatingIfNeeded: child))
            child = self.end(of: child + step)
        }
        tape.spend(count)
        note(container) { $0.children = children }
        return children
    }
}
