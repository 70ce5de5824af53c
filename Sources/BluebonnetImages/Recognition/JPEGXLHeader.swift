#if Images
    import FoundationEssentials

    /// The size of a JPEG XL image (ISO/IEC 18181-1 annex D), which is in bits.
    enum JPEGXLHeader {
        /// The first box of a file with boxes (ISO/IEC 18181-2 §9.1).
        static let container: [UInt8] = [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]

        static func read(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            var bits = Bits(bytes: try codestream(bytes), place: 16)
            let isSmall = try bits.next(1) == 1
            let height = try side(&bits, isSmall)
            let width: Int
            switch try bits.next(3) {
            case 0: width = try side(&bits, isSmall)
            case 1: width = height
            case 2: width = height * 12 / 10
            case 3: width = height * 4 / 3
            case 4: width = height * 3 / 2
            case 5: width = height * 16 / 9
            case 6: width = height * 5 / 4
            default: width = height * 2
            }
            return ImageInformation(.jpegXL, width: width, height: height)
        }

        private static func side(_ bits: inout Bits, _ isSmall: Bool) throws(ImageFault) -> Int {
            if isSmall { return (try bits.next(5) + 1) * 8 }
            let sizes = [9, 13, 18, 30]
            return try bits.next(sizes[try bits.next(2)]) + 1
        }

        /// The codestream, which a file with boxes has in one box or in several.
        private static func codestream(_ bytes: ImageBytes) throws(ImageFault) -> ImageBytes {
            guard bytes.has(container, at: 0) else { return bytes }
            var place = 12
            while true {
                let size = try bytes.big(4, at: place)
                let header = size == 1 ? 16 : 8
                let length = size == 1 ? try bytes.big(8, at: place + 8) : size
                if bytes.has("jxlc", at: place + 4) { return try bytes.part(from: place + header) }
                // The number of the part comes first.
                if bytes.has("jxlp", at: place + 4) { return try bytes.part(from: place + header + 4) }
                guard length >= header else { throw .malformed("it has no codestream") }
                guard length <= bytes.count - place else { throw .truncated }
                place += length
            }
        }

        private struct Bits {
            let bytes: ImageBytes
            var place: Int

            /// The next bits as a number, the least significant one first.
            mutating func next(_ count: Int) throws(ImageFault) -> Int {
                var number = 0
                for bit in 0..<count {
                    let byte = try bytes.byte(at: place / 8)
                    number |= (byte >> (place % 8) & 1) << bit
                    place += 1
                }
                return number
            }
        }
    }
#endif
