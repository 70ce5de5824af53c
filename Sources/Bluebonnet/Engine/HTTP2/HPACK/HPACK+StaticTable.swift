extension HPACK {
    /// The fields that both sides know from the start (RFC 7541 Appendix A). Their indices begin
    /// with 1.
    struct StaticTable: Sendable {
        struct Entry {
            let nameStart: Int
            let valueStart: Int
            let end: Int
        }

        static let shared = Self()
        static let count = fields.count

        /// The names and values of all entries.
        let bytes: [UInt8]
        private let entries: [Entry]
        private let fingerprints: [Fingerprint]

        private init() {
            var bytes: [UInt8] = []
            var entries: [Entry] = []
            for (name, value) in Self.fields {
                let start = bytes.count
                bytes += name.utf8
                let valueStart = bytes.count
                bytes += value.utf8
                entries.append(Entry(nameStart: start, valueStart: valueStart, end: bytes.count))
            }
            self.bytes = bytes
            self.entries = entries
            fingerprints = Self.fields.map { Fingerprint($0.0.utf8Span.span, $0.1.utf8Span.span) }
        }

        /// The entry with this index.
        subscript(index: Int) -> Entry { entries[index - 1] }

        /// The index of a field; nil where none is equal.
        func index(_ name: Span<UInt8>, _ value: Span<UInt8>, _ fingerprint: Fingerprint) -> Int? {
            // Only pseudo-header fields, and one other, have a value.
            for position in Self.valued where fingerprints[position] == fingerprint {
                let entry = entries[position]
                if HPACK.isEqual(name, bytes, entry.nameStart..<entry.valueStart),
                    HPACK.isEqual(value, bytes, entry.valueStart..<entry.end)
                {
                    return position + 1
                }
            }
            return nil
        }

        /// The lowest index of a name; nil where none is equal.
        func index(ofName name: Span<UInt8>, _ fingerprint: Fingerprint) -> Int? {
            for position in entries.indices where fingerprints[position].hasName(of: fingerprint) {
                let entry = entries[position]
                if HPACK.isEqual(name, bytes, entry.nameStart..<entry.valueStart) { return position + 1 }
            }
            return nil
        }

        /// The positions of the entries with a value.
        private static let valued = 1..<16

        private static let fields: [(String, String)] = [
            (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
            (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
            (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
            ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
            ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
            ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""),
            ("content-length", ""), ("content-location", ""), ("content-range", ""), ("content-type", ""),
            ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
            ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
            ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
            ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""),
            ("retry-after", ""), ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""),
            ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
        ]
    }

    /// A few bytes of a field: fields with different ones are not equal, so that few fields of a
    /// table are compared in full.
    struct Fingerprint: Equatable {
        private let name: UInt32
        private let value: UInt32

        init(_ name: Span<UInt8>, _ value: Span<UInt8>) {
            self.name = Self.fold(name)
            self.value = Self.fold(value)
        }

        /// The length, and bytes of the beginning, the middle and the end.
        private static func fold(_ text: Span<UInt8>) -> UInt32 {
            let count = text.count
            guard count > 0 else { return 0 }
            return UInt32(truncatingIfNeeded: count) & 0xFF | UInt32(text[0]) &<< 8
                | UInt32(text[count / 2]) &<< 16 | UInt32(text[count - 1]) &<< 24
        }

        /// Whether the names may be equal.
        func hasName(of other: Self) -> Bool { name == other.name }
    }

    /// Whether a text is that of an entry.
    static func isEqual(_ text: Span<UInt8>, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        guard text.count == range.count else { return false }
        for offset in text.indices where text[offset] != bytes[range.lowerBound + offset] { return false }
        return true
    }
}
