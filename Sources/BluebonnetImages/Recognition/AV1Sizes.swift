#if Images
    import FoundationEssentials

    /// The sizes of the pictures in an AVIF, by the pictures themselves. The loader decodes a
    /// picture before it compares its size with that of the container, which is another number.
    enum AV1Sizes {
        /// The number of items, and of units in one of them, that are read at most.
        private static let maximumParts = 100_000

        /// The number of pixels of the largest picture, or of the grid that pictures are put into.
        static func largest(_ bytes: ImageBytes) throws(ImageFault) -> Int {
            // The pictures of a sequence lie elsewhere. The loader takes them by the first brand.
            let movie = try HEIFHeader.boxes(bytes, named: "moov")
            guard bytes.has("avif", at: 8) || movie.isEmpty && !bytes.has("avis", at: 8) else {
                throw .malformed("it is a sequence")
            }
            guard let meta = try HEIFHeader.boxes(bytes, named: "meta").first?.part(from: 4) else { throw .truncated }
            var pixels = 0
            for item in try HEIFItems(meta, of: bytes).items {
                if item.kind == "av01" {
                    pixels = max(pixels, try largest(in: item.bytes))
                } else if item.kind == "grid" {
                    // ISO/IEC 23008-12 §6.6.2.3: the sizes have 16 or 32 bits.
                    let size = try item.bytes.byte(at: 1) & 1 == 0 ? 2 : 4
                    pixels = max(pixels, try item.bytes.big(size, at: 4).times(item.bytes.big(size, at: 4 + size)))
                }
            }
            return pixels
        }

        /// The number of pixels that the largest sequence header among the units allows (AV1 §5.3).
        private static func largest(in bytes: ImageBytes) throws(ImageFault) -> Int {
            var (place, pixels) = (0, 0)
            for _ in 0..<maximumParts {
                guard place < bytes.count else { return pixels }
                let head = try bytes.byte(at: place)
                place += head & 4 == 0 ? 1 : 2
                var size = bytes.count - place
                if head & 2 != 0 {
                    size = 0
                    for number in 0..<8 {
                        guard place < bytes.count else { return pixels }
                        let byte = try bytes.byte(at: place)
                        place += 1
                        size |= (byte & 0x7F) << (7 * number)
                        if byte < 0x80 { break }
                    }
                }
                if head >> 3 & 15 == 1, place < bytes.count {
                    var header = Bits(bytes: try bytes.part(from: place))
                    pixels = max(pixels, try header.sequencePixels())
                }
                place += max(size, 0)
            }
            throw .malformed("it has too many units")
        }

        /// Reads bits, the most significant one of a byte first.
        private struct Bits {
            let bytes: ImageBytes
            var place = 0

            mutating func next(_ count: Int) throws(ImageFault) -> Int {
                var number = 0
                for _ in 0..<count {
                    number = number << 1 | (try bytes.byte(at: place / 8) >> (7 - place % 8) & 1)
                    place += 1
                }
                return number
            }

            private mutating func skip(_ count: Int) { place += count }

            /// The sequence header (AV1 §5.5.1), up to the greatest size of a frame.
            mutating func sequencePixels() throws(ImageFault) -> Int {
                skip(4)
                if try next(1) == 1 {
                    // The header of a still picture is short.
                    skip(5)
                } else {
                    try skipOperatingPoints()
                }
                let (width, height) = (try next(4) + 1, try next(4) + 1)
                return try side(width).times(side(height))
            }

            /// The greatest size. A frame may have a size of its own, with as many bits: where
            /// these are more than the greatest size needs, they count.
            private mutating func side(_ bits: Int) throws(ImageFault) -> Int {
                let side = try next(bits) + 1
                return 1 << bits > 2 * side ? 1 << bits : side
            }

            private mutating func skipOperatingPoints() throws(ImageFault) {
                var delayBits: Int?
                if try next(1) == 1 {
                    skip(64)
                    if try next(1) == 1 { try skipNumber() }
                    if try next(1) == 1 {
                        delayBits = try next(5) + 1
                        skip(42)
                    }
                }
                let hasDelays = try next(1) == 1
                for _ in 0...(try next(5)) {
                    skip(12)
                    if try next(5) > 7 { skip(1) }
                    if let delayBits, try next(1) == 1 { skip(2 * delayBits + 1) }
                    if hasDelays, try next(1) == 1 { skip(4) }
                }
            }

            /// A number of as many bits as there are zeros before it (AV1 §4.10.3).
            private mutating func skipNumber() throws(ImageFault) {
                var zeros = 0
                while try next(1) == 0 { zeros += 1 }
                if zeros < 32 { skip(zeros) }
            }
        }
    }
#endif
