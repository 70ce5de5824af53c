#if Images
    import FoundationEssentials

    /// The sizes of pictures of HEVC (ITU-T H.265), by their sequence parameter sets.
    enum HEVCSizes {
        /// The number of units that are read at most.
        private static let maximumUnits = 100_000

        /// The number of pixels of the largest picture that the properties of a HEIF allow: the
        /// boxes `hvcC` have parameter sets (ISO/IEC 14496-15 §8.3.3.1).
        ///
        /// - Parameter meta: The contents of the box `meta`, without its version.
        /// - Returns: The number; 0 where there are none.
        /// - Throws: ``ImageFault``.
        static func largest(inPropertiesOf meta: ImageBytes) throws(ImageFault) -> Int {
            var (pixels, rest) = (0, maximumUnits)
            for properties in try HEIFHeader.boxes(meta, named: "iprp") {
                for container in try HEIFHeader.boxes(properties, named: "ipco") {
                    for configuration in try HEIFHeader.boxes(container, named: "hvcC") {
                        // The loader takes each length in a picture for one of four bytes.
                        guard try configuration.byte(at: 21) & 3 == 3 else {
                            throw .malformed("its lengths do not have four bytes")
                        }
                        var place = 23
                        for _ in 0..<(try configuration.byte(at: 22)) {
                            let count = try configuration.big(2, at: place + 1)
                            place += 3
                            rest -= count
                            guard rest >= 0 else { throw .malformed("it has too many units") }
                            for _ in 0..<count {
                                let size = try configuration.big(2, at: place)
                                let unit = try configuration.part(from: place + 2, count: size)
                                pixels = max(pixels, try Self.pixels(ofUnit: unit))
                                place += 2 + size
                            }
                        }
                    }
                }
            }
            return pixels
        }

        /// The number of pixels of the largest picture that the parameter sets among the units of
        /// an item allow; 0 where there are none.
        static func largest(in bytes: ImageBytes) throws(ImageFault) -> Int {
            var (place, pixels) = (0, 0)
            for _ in 0..<maximumUnits {
                guard place < bytes.count else { return pixels }
                let size = try bytes.big(4, at: place)
                pixels = max(pixels, try Self.pixels(ofUnit: bytes.part(from: place + 4, count: size)))
                place += 4 + size
            }
            throw .malformed("it has too many units")
        }

        /// The pixels that a sequence parameter set (H.265 §7.3.2.2) allows; 0 for any other unit,
        /// and for those of other layers than the first, which the loader passes over.
        private static func pixels(ofUnit unit: ImageBytes) throws(ImageFault) -> Int {
            guard unit.count >= 2, try unit.big(2, at: 0) >> 3 == 33 << 6 else { return 0 }
            var bits = HEVCBits(bytes: unit, byte: 2)
            try bits.skip(4)
            let layers = try bits.next(3)
            try bits.skip(1)
            try bits.skipProfile(layers: layers)
            _ = try bits.nextNumber()
            // Three planes of colors may be apart.
            if try bits.nextNumber() == 3 { try bits.skip(1) }
            return try bits.nextNumber().times(bits.nextNumber())
        }
    }

    /// Reads the bits of a unit, the most significant one of a byte first, without the bytes that
    /// keep it from having a start code in it (H.265 §7.3.1.1).
    private struct HEVCBits {
        let bytes: ImageBytes
        var byte: Int
        private var bit = 0
        private var zeros = 0

        init(bytes: ImageBytes, byte: Int) {
            (self.bytes, self.byte) = (bytes, byte)
        }

        mutating func next(_ count: Int) throws(ImageFault) -> Int {
            var number = 0
            for _ in 0..<count {
                let value = try bytes.byte(at: byte)
                number = number << 1 | (value >> (7 - bit) & 1)
                bit += 1
                guard bit == 8 else { continue }
                (bit, byte) = (0, byte + 1)
                zeros = value == 0 ? zeros + 1 : 0
                // At the end of the unit there need not be another byte.
                if zeros == 2, byte < bytes.count, try bytes.byte(at: byte) == 3 { (byte, zeros) = (byte + 1, 0) }
            }
            return number
        }

        mutating func skip(_ count: Int) throws(ImageFault) {
            for _ in 0..<count { _ = try next(1) }
        }

        /// A number of as many bits as there are zeros before it (H.265 §9.2).
        mutating func nextNumber() throws(ImageFault) -> Int {
            var zeros = 0
            while try next(1) == 0 {
                zeros += 1
                guard zeros <= 32 else { throw .malformed("a number is too large") }
            }
            return 1 << zeros - 1 + (try next(zeros))
        }

        /// Profile, tier and level (H.265 §7.3.3).
        mutating func skipProfile(layers: Int) throws(ImageFault) {
            try skip(88 + 8)
            var parts = 0
            for _ in 0..<layers {
                if try next(1) == 1 { parts += 88 }
                if try next(1) == 1 { parts += 8 }
            }
            if layers > 0 { try skip(2 * (8 - layers)) }
            try skip(parts)
        }
    }
#endif
