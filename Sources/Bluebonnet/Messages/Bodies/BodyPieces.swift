import NIOCore

/// Bytes of a body that have arrived, in the pieces they came in. One piece, as most responses
/// have, takes no memory of its own.
struct BodyPieces {
    private var first: ByteBuffer?
    private var others: [ByteBuffer] = []
    /// The bytes of all pieces.
    private(set) var byteCount = 0

    var isEmpty: Bool { first == nil }

    /// The bytes of the first piece.
    var firstByteCount: Int { first?.readableBytes ?? 0 }

    mutating func append(_ piece: ByteBuffer) {
        guard others.count >= Self.mostSmall, others[others.count - 1].join(piece) else {
            return appendSlice(piece)
        }
        byteCount += piece.readableBytes
    }

    /// Adds a piece as it is, however small: one that is soon taken by ``copied``.
    mutating func appendSlice(_ piece: ByteBuffer) {
        byteCount += piece.readableBytes
        if first == nil { first = piece } else { others.append(piece) }
    }

    /// When more pieces than this wait, small ones are joined.
    static let mostSmall = 16

    /// Hands over all of them, one by one; the memory of the list is kept for the next ones.
    mutating func drain(_ take: (ByteBuffer) -> Void) {
        if let first { take(first) }
        others.forEach(take)
        first = nil
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
        byteCount = 0
    }

    /// All bytes in one buffer with memory of its own.
    var copied: ByteBuffer {
        var whole = ByteBufferAllocator().buffer(capacity: byteCount)
        if let first { whole.writeImmutableBuffer(first) }
        for piece in others { whole.writeImmutableBuffer(piece) }
        return whole
    }

    /// All bytes in one buffer.
    var joined: ByteBuffer {
        guard var whole = first else { return ByteBuffer() }
        guard !others.isEmpty else { return whole }
        whole.reserveCapacity(byteCount)
        for var piece in others { whole.writeBuffer(&piece) }
        return whole
    }
}

extension ByteBuffer {
    /// Takes a piece in that would cost more memory than its bytes while it waits: its place in a
    /// list, and the whole buffer that the socket was read into. So a body of many small pieces
    /// costs no more than its length says.
    ///
    /// - Returns: Whether it was taken: together they are small.
    mutating func join(_ piece: ByteBuffer) -> Bool {
        guard readableBytes + piece.readableBytes <= Self.mostJoined else { return false }
        writeImmutableBuffer(piece)
        return true
    }

    private static let mostJoined = 1 << 14
}

extension CircularBuffer<ByteBuffer> {
    /// Appends a piece; where many wait, a small one is joined with the last one.
    mutating func appendJoining(_ piece: ByteBuffer) {
        // Taken out, so that it is changed in its place.
        guard count > BodyPieces.mostSmall, var last = popLast() else { return append(piece) }
        let isJoined = last.join(piece)
        append(last)
        if !isJoined { append(piece) }
    }
}
