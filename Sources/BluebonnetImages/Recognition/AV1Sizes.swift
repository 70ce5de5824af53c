#if Images
    import FoundationEssentials

    /// The sizes of pictures of AV1, by their sequence headers.
    enum AV1Sizes {
        /// The number of units of a picture that are read at most.
        private static let maximumParts = 100_000

        /// The number of pixels that the largest sequence header among the units allows (AV1 §5.3).
        static func largest(in bytes: ImageBytes) throws(ImageFault) -> Int {
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
