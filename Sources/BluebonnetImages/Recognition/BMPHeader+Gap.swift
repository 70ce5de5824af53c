#if Images
    import FoundationEssentials

    extension BMPHeader {
        /// The same bitmap, whose pixels begin at once behind the headers and the table of colors.
        ///
        /// The first header says where the pixels begin. The loader goes wrong where that is not
        /// the end of the table: behind a gap (another table, a color profile, an alignment), or
        /// with a table that is shorter than the number of colors.
        ///
        /// - Returns: The changed bytes; nil where nothing has to be changed.
        static func withoutGap(_ bytes: ImageBytes) throws(ImageFault) -> Data? {
            var place = try bytes.little(4, at: 10)
            let size = try bytes.little(4, at: 14)
            let table: (start: Int, end: Int)
            if size == 12 {
                let depth = try bytes.little(2, at: 24)
                table = (26, 26 + (depth <= 8 ? 3 << depth : 0))
            } else {
                guard size >= 40 else { return nil }
                let depth = try bytes.little(2, at: 28)
                let used = try bytes.little(4, at: 46)
                // The three masks of BI_BITFIELDS are in the header in its later versions.
                let start = 14 + size + (try bytes.little(4, at: 30) == 3 && size == 40 ? 12 : 0)
                // More colors than there are numbers for are an error of the loader.
                guard depth > 8 || used <= 1 << depth else { return nil }
                table = (start, start + (depth <= 8 ? 4 * (used == 0 ? 1 << depth : used) : 0))
            }
            guard place != table.end, place >= table.start else { return nil }
            // Some writers forget the table, which is there.
            if place == table.start { place = table.end }
            guard place <= bytes.count else { throw .truncated }
            var data = Data(try bytes.part(from: 0, count: min(place, table.end)).contents)
            for byte in 0..<4 { data[10 + byte] = UInt8(table.end >> (8 * byte) & 0xFF) }
            data.append(Data(count: max(0, table.end - place)))
            data.append(try bytes.part(from: place).contents)
            return data
        }
    }
#endif
