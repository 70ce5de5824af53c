extension HPACK {
    /// Decodes the field blocks of one connection (RFC 7541 §3), without I/O.
    struct Decoder {
        private var table = DynamicTable()
        /// The size of a section of which nothing more is kept. What follows is decoded all the
        /// same, for the table (RFC 9113 §10.5.1).
        private let limit: Int

        /// - Parameter limit: The most that is kept of a section, in the bytes of
        ///   SETTINGS_MAX_HEADER_LIST_SIZE.
        init(limit: Int) {
            self.limit = limit
        }

        /// Decodes a block.
        ///
        /// - Parameters:
        ///   - block: A whole field block.
        ///   - section: Gets its fields in place of what it has.
        /// - Throws: An error of the connection.
        mutating func decode(_ block: Span<UInt8>, into section: inout HTTP2FieldSection) throws(HTTP2Fault) {
            section.removeAll()
            var position = 0
            var isAtStart = true
            while position < block.count {
                let byte = block[position]
                if byte & 0x80 != 0 {
                    // §6.1: an indexed field.
                    let index = try HPACK.integer(block, &position, prefix: 7)
                    try check(index)
                    // §7.3: a byte of the block may stand for a field of the table's size.
                    if !section.isTooLarge {
                        let start = section.bytes.count
                        appendName(index, to: &section)
                        let valueStart = section.bytes.count
                        appendValue(index, to: &section)
                        try section.endField(from: start, valueStart: valueStart, limit: limit)
                    }
                } else if byte & 0x40 != 0 {
                    // §6.2.1: a literal field that goes into the table.
                    try literal(block, &position, prefix: 6, isAdded: true, to: &section)
                } else if byte & 0x20 != 0 {
                    // §4.2: such a change comes before the first field.
                    guard isAtStart else { throw HPACK.undecodable("changes the size of the table behind a field") }
                    let size = try HPACK.integer(block, &position, prefix: 5)
                    // §6.3: no SETTINGS_HEADER_TABLE_SIZE was sent.
                    guard size <= HPACK.initialTableSize else {
                        throw HPACK.undecodable("makes the table larger than allowed")
                    }
                    table.resize(to: size)
                    continue
                } else {
                    // §6.2.2, §6.2.3: a literal field that does not.
                    try literal(block, &position, prefix: 4, isAdded: false, to: &section)
                }
                isAtStart = false
            }
        }

        private mutating func literal(
            _ block: Span<UInt8>,
            _ position: inout Int,
            prefix: UInt8,
            isAdded: Bool,
            to section: inout HTTP2FieldSection
        ) throws(HTTP2Fault) {
            let start = section.bytes.count
            let index = try HPACK.integer(block, &position, prefix: prefix)
            if index == 0 {
                try Self.appendText(block, &position, to: &section)
            } else {
                try check(index)
                if isAdded || !section.isTooLarge { appendName(index, to: &section) }
            }
            let valueStart = section.bytes.count
            try Self.appendText(block, &position, to: &section)
            if isAdded {
                let field = section.bytes.span
                table.insert(field.extracting(start..<valueStart), field.extracting(valueStart...))
            }
            try section.endField(from: start, valueStart: valueStart, limit: limit)
        }

        /// Appends a text (§5.2).
        private static func appendText(
            _ block: Span<UInt8>,
            _ position: inout Int,
            to section: inout HTTP2FieldSection
        ) throws(HTTP2Fault) {
            let isEncoded = position < block.count && block[position] & 0x80 != 0
            let length = try HPACK.integer(block, &position, prefix: 7)
            guard length <= block.count - position else { throw HPACK.undecodable("ends inside a text") }
            let text = block.extracting(position..<position + length)
            if isEncoded { try section.append(huffman: text) } else { section.append(text) }
            position += length
        }

        /// §2.3.3: the indices of the dynamic table follow those of the static one, from 1 on.
        private func check(_ index: Int) throws(HTTP2Fault) {
            guard 1...StaticTable.count + table.count ~= index else {
                throw HPACK.undecodable("has an index beyond both tables")
            }
        }

        private func appendName(_ index: Int, to section: inout HTTP2FieldSection) {
            if index <= StaticTable.count {
                let entry = StaticTable.shared[index]
                section.append(StaticTable.shared.bytes[entry.nameStart..<entry.valueStart])
            } else if let entry = table[index - StaticTable.count - 1] {
                section.append(table.bytes[entry.nameStart..<entry.valueStart])
            }
        }

        private func appendValue(_ index: Int, to section: inout HTTP2FieldSection) {
            if index <= StaticTable.count {
                let entry = StaticTable.shared[index]
                section.append(StaticTable.shared.bytes[entry.valueStart..<entry.end])
            } else if let entry = table[index - StaticTable.count - 1] {
                section.append(table.bytes[entry.valueStart..<entry.end])
            }
        }
    }
}
