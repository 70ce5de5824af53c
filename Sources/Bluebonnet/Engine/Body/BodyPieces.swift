import NIOCore

/// Bytes of a body that have arrived, in the pieces they came in. One piece, as most responses have, takes no memory of its own.
struct BodyPieces {
    private var first: ByteBuffer?
    private var others: [ByteBuffer] = []
    /// The bytes of all pieces.
    private(set) var byteCount = 0

    var isEmpty: Bool { first == nil }

    mutating func append(_ piece: ByteBuffer) {
        byteCount += piece.readableBytes
        if first == nil { first = piece } else { others.append(piece) }
    }

    /// Hands over all of them.
    mutating func take() -> BodyPieces {
        defer { self = BodyPieces() }
        return self
    }

    /// All bytes in one buffer.
    var joined: ByteBuffer {
        guard var whole = first else { return ByteBuffer() }
        guard !others.isEmpty else { return whole }
        whole.reserveCapacity(byteCount)
        for var piece in others { whole.writeBuffer(&piece) }
        return whole
    }

    func forEach(_ body: (ByteBuffer) -> Void) {
        if let first { body(first) }
        others.forEach(body)
    }
}
