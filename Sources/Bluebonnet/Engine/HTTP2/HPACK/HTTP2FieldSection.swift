/// A field section as the server has sent it, without compression and not checked.
struct HTTP2FieldSection {
    /// The names and values.
    private(set) var bytes: [UInt8] = []
    /// Where each field lies in them.
    private(set) var entries: [RawHeaderFields.Entry] = []
    /// Whether there were more fields than are kept.
    private(set) var isTooLarge = false
    /// The size of the fields that are kept (RFC 9113 §6.5.2).
    private var size = 0

    /// The most memory that is kept for the next section.
    private static let mostKept = 64 << 10

    /// Forgets the fields, and keeps their memory where that is not much.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.mostKept)
        entries.removeAll(keepingCapacity: entries.capacity <= Self.mostKept / HPACK.overhead)
        isTooLarge = false
        size = 0
    }

    /// Appends a part of a name or value.
    mutating func append(_ part: ArraySlice<UInt8>) {
        bytes.append(contentsOf: part)
    }

    mutating func append(_ part: Span<UInt8>) {
        HPACK.append(part, to: &bytes)
    }

    mutating func append(huffman text: Span<UInt8>) throws(HTTP2Fault) {
        try HPACK.Huffman.shared.decode(text, to: &bytes)
    }

    /// Makes the bytes from `start` on a field. Where the section is too large, it is not kept.
    ///
    /// - Throws: An error of the connection where it is many times too large: two bytes of a block
    ///   may have the work of a field of the table's size (RFC 7541 §7.3).
    mutating func endField(from start: Int, valueStart: Int, limit: Int) throws(HTTP2Fault) {
        size += bytes.count - start + HPACK.overhead
        guard !isTooLarge, size <= limit else {
            isTooLarge = true
            bytes.removeSubrange(start...)
            guard size / 8 <= limit else { throw .sectionTooLarge }
            return
        }
        entries.append(
            RawHeaderFields.Entry(
                nameStart: UInt32(truncatingIfNeeded: start),
                nameEnd: UInt32(truncatingIfNeeded: valueStart),
                valueStart: UInt32(truncatingIfNeeded: valueStart),
                valueEnd: UInt32(truncatingIfNeeded: bytes.count)
            )
        )
    }
}
