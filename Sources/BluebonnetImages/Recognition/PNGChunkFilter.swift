#if Images
    import FoundationEssentials

    /// Leaves out the chunks of a PNG that do not change its pixels (ISO/IEC 15948 §5.3), while the
    /// bytes come.
    ///
    /// The loader keeps every text, and libpng takes a thousand of them, each of which may become
    /// 8 MB of some kilobytes.
    struct PNGChunkFilter {
        /// The first bytes of a chunk, its length and its name, as far as they are there.
        private var head: [UInt8] = []
        /// The number of bytes of the present chunk that follow. The signature counts as a chunk.
        private var rest = 8
        private var isKept = true

        /// Takes the next bytes, and returns those that are for the loader.
        mutating func take(_ data: Data) -> Data {
            // Most pieces lie inside of pixels.
            if isKept && rest >= data.count {
                rest -= data.count
                return data
            }
            var kept = Data()
            var place = data.startIndex
            while place < data.endIndex {
                if rest > 0 {
                    let end = place + min(rest, data.endIndex - place)
                    if isKept { kept.append(data[place..<end]) }
                    rest -= end - place
                    place = end
                    continue
                }
                head.append(data[place])
                place += 1
                if head.count == 8 {
                    begin()
                    if isKept { kept.append(contentsOf: head) }
                    head.removeAll(keepingCapacity: true)
                }
            }
            return kept
        }

        /// Begins a chunk, at whose end there is a check sum of four bytes.
        private mutating func begin() {
            rest = head[..<4].reduce(0) { $0 << 8 | Int($1) } + 4
            // A name whose first letter is a capital is one that no decoder may leave out (§5.4).
            isKept = head[4] & 0x20 == 0 || head[4...].elementsEqual("tRNS".utf8)
        }
    }
#endif
