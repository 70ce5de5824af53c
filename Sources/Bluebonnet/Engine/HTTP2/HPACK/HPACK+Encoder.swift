import NIOCore

extension HPACK {
    /// Encodes the field sections of one connection (RFC 7541 §3), without I/O.
    struct Encoder {
        private var table = DynamicTable()
        /// The sizes that the next block tells: the smallest since the last block, and the present
        /// one (§4.2).
        private var sizes: [Int] = []

        /// Takes the largest size of the table that the server allows (SETTINGS_HEADER_TABLE_SIZE,
        /// RFC 9113 §6.5.2).
        mutating func allow(tableSize: Int) {
            // More would cost memory, and save little.
            let size = min(tableSize, HPACK.initialTableSize)
            guard size != table.capacity else { return }
            table.resize(to: size)
            // §4.2: a smallest size in between must be told too.
            let smallest = min(sizes.first ?? size, size)
            sizes = smallest == size ? [size] : [smallest, size]
        }

        /// Appends the block of a field section.
        mutating func encode(_ fields: [HTTP2Field], to block: inout ByteBuffer) {
            // §6.3.
            for size in sizes { Self.append(size, prefix: 5, first: 0x20, to: &block) }
            if !sizes.isEmpty { sizes = [] }
            for field in fields {
                if let bytes = field.bytes {
                    encode(field.name.utf8Span.span, bytes.span, field.indexing, to: &block)
                } else {
                    encode(field.name.utf8Span.span, field.value.utf8Span.span, field.indexing, to: &block)
                }
            }
        }

        private mutating func encode(
            _ name: Span<UInt8>,
            _ value: Span<UInt8>,
            _ indexing: Indexing,
            to block: inout ByteBuffer
        ) {
            let fingerprint = Fingerprint(name, value)
            if indexing == .indexable, let index = index(name, value, fingerprint) {
                // §6.1.
                return Self.append(index, prefix: 7, first: 0x80, to: &block)
            }
            let nameIndex =
                StaticTable.shared.index(ofName: name, fingerprint)
                ?? table.offset(ofName: name, fingerprint).map { $0 + StaticTable.count + 1 } ?? 0
            // One that takes most of the table would only push the others out.
            let isAdded =
                indexing == .indexable && name.count + value.count + HPACK.overhead <= table.capacity * 3 / 4
            switch indexing {
            // §6.2.1.
            case .indexable where isAdded: Self.append(nameIndex, prefix: 6, first: 0x40, to: &block)
            // §6.2.2.
            case .indexable, .nonIndexable: Self.append(nameIndex, prefix: 4, first: 0, to: &block)
            // §6.2.3.
            case .neverIndexed: Self.append(nameIndex, prefix: 4, first: 0x10, to: &block)
            }
            if nameIndex == 0 { Self.append(name, to: &block) }
            Self.append(value, to: &block)
            if isAdded { table.insert(name, value) }
        }

        private func index(_ name: Span<UInt8>, _ value: Span<UInt8>, _ fingerprint: Fingerprint) -> Int? {
            StaticTable.shared.index(name, value, fingerprint)
                ?? table.offset(of: name, value, fingerprint).map { $0 + StaticTable.count + 1 }
        }

        /// Appends an integer (§5.1).
        private static func append(_ value: Int, prefix: Int, first: UInt8, to block: inout ByteBuffer) {
            let most = 1 &<< prefix - 1
            guard value >= most else {
                block.writeInteger(first | UInt8(truncatingIfNeeded: value))
                return
            }
            block.writeInteger(first | UInt8(truncatingIfNeeded: most))
            var rest = value - most
            while rest >= 0x80 {
                block.writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest &>>= 7
            }
            block.writeInteger(UInt8(truncatingIfNeeded: rest))
        }

        /// Appends a text (§5.2), in the shorter of its two forms.
        private static func append(_ text: Span<UInt8>, to block: inout ByteBuffer) {
            let length = Huffman.shared.encodedLength(text)
            guard length < text.count else {
                append(text.count, prefix: 7, first: 0, to: &block)
                // Safe: the bytes are copied before the closure returns.
                _ = unsafe text.withUnsafeBytes { unsafe block.writeBytes($0) }
                return
            }
            append(length, prefix: 7, first: 0x80, to: &block)
            Huffman.shared.encode(text) { block.writeInteger($0) }
        }
    }
}
