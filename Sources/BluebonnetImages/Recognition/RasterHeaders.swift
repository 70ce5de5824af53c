#if Images
    import FoundationEssentials

    /// The chunks of PNG (ISO/IEC 15948 §5.3).
    enum PNGHeader {
        /// The number of chunks after which nothing more is looked for.
        private static let maximumChunks = 100_000

        static func read(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            var information = try size(bytes)
            var place = 8
            for _ in 0..<maximumChunks {
                guard let length = try? bytes.big(4, at: place) else { break }
                if bytes.has("acTL", at: place + 4), let count = try? bytes.big(4, at: place + 8) {
                    information.frameCount = max(1, min(count, ImageInformation.countedFrames))
                    if let loops = try? bytes.big(4, at: place + 12) { information.loopCount = loops }
                }
                if bytes.has("eXIf", at: place + 4), let chunk = try? bytes.part(from: place + 8, count: length) {
                    information.orientation = TIFFDirectory.orientation(chunk)
                }
                if bytes.has("IEND", at: place + 4) { break }
                place += 12 + length
            }
            return information
        }

        /// The size alone, which is in the first chunk.
        static func size(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            guard bytes.count < 16 || bytes.has("IHDR", at: 12) else { throw .malformed("its first chunk is not IHDR") }
            return ImageInformation(.png, width: try bytes.big(4, at: 16), height: try bytes.big(4, at: 20))
        }

        /// Whether the last chunk is there.
        static func isComplete(_ bytes: ImageBytes) -> Bool {
            var place = 8
            for _ in 0..<maximumChunks {
                guard let length = try? bytes.big(4, at: place) else { return false }
                if bytes.has("IEND", at: place + 4) { return true }
                place += 12 + length
            }
            return true
        }
    }

    /// The segments of JPEG (ITU-T T.81 annex B).
    enum JPEGHeader {
        /// The number of markers that are read at most.
        private static let maximumMarkers = 100_000

        static func read(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            try header(bytes).information
        }

        /// What stands before the pixels, and the place where they begin.
        private static func header(
            _ bytes: ImageBytes
        ) throws(ImageFault) -> (information: ImageInformation, end: Int) {
            var information = ImageInformation(.jpeg)
            var place = 2
            for _ in 0..<maximumMarkers {
                // As libjpeg does, bytes before a marker that do not belong there are left out.
                while try bytes.byte(at: place) != 0xFF { place += 1 }
                let marker = try bytes.byte(at: place + 1)
                if marker == 0xFF || marker == 0 {
                    place += marker == 0 ? 2 : 1
                    continue
                }
                // RSTn and TEM have no length, and neither has a second SOI.
                if (0xD0...0xD8).contains(marker) || marker == 1 {
                    place += 2
                    continue
                }
                let length = try bytes.big(2, at: place + 2)
                guard length >= 2 else { throw .malformed("a segment is too short") }
                switch marker {
                case 0xC0...0xCF where marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
                    information.height = try bytes.big(2, at: place + 5)
                    information.width = try bytes.big(2, at: place + 7)
                case 0xE1 where bytes.has([0x45, 0x78, 0x69, 0x66, 0, 0], at: place + 4):
                    if let exif = try? bytes.part(from: place + 10, count: length - 8) {
                        information.orientation = TIFFDirectory.orientation(exif)
                    }
                case 0xDA, 0xD9:
                    guard information.width != nil else { throw .malformed("it has no frame header") }
                    return (information, place)
                default: break
                }
                place += 2 + length
                if information.width != nil, place >= bytes.count { return (information, bytes.count) }
            }
            throw .malformed("it has too many markers")
        }

        /// Whether the marker of the end is there. Bytes of the image never look like it.
        static func isComplete(_ bytes: ImageBytes) -> Bool {
            guard let start = try? header(bytes).end else { return false }
            return bytes.has(0xFF, 0xD9, after: start)
        }
    }

    /// The headers of Windows bitmaps.
    enum BMPHeader {
        /// The sizes of the second header, of all versions.
        static let sizes: Set<Int> = [12, 16, 40, 52, 56, 64, 108, 124]

        static func read(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            try size(bytes.part(from: 14))
        }

        /// The size, in the second header. A height below zero means that the first row is first.
        static func size(_ header: ImageBytes) throws(ImageFault) -> ImageInformation {
            if try header.little(4, at: 0) == 12 {
                return ImageInformation(.bmp, width: try header.little(2, at: 4), height: try header.little(2, at: 6))
            }
            let height = try header.signedLittle(at: 8)
            return ImageInformation(.bmp, width: try header.signedLittle(at: 4), height: abs(height))
        }
    }

    /// The header of PBM, PGM and PPM: a letter, a digit, and numbers between white space and
    /// comments.
    enum PNMHeader {
        static func isOne(_ bytes: ImageBytes) throws(ImageFault) -> Bool {
            guard try bytes.byte(at: 0) == 0x50, (0x31...0x36).contains(try bytes.byte(at: 1)) else { return false }
            let next = try bytes.byte(at: 2)
            return next == 0x23 || isSpace(next)
        }

        static func read(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            var place = 2
            let width = try number(bytes, &place)
            return ImageInformation(.pnm, width: width, height: try number(bytes, &place))
        }

        private static func isSpace(_ byte: Int) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

        private static func number(_ bytes: ImageBytes, _ place: inout Int) throws(ImageFault) -> Int {
            while true {
                let byte = try bytes.byte(at: place)
                if byte == 0x23 {
                    while try bytes.byte(at: place) != 0x0A { place += 1 }
                } else if !isSpace(byte) {
                    break
                }
                place += 1
            }
            var number = 0
            while true {
                let byte = try bytes.byte(at: place)
                guard (0x30...0x39).contains(byte) else {
                    guard isSpace(byte) || byte == 0x23 else { throw .malformed("its size is not a number") }
                    return number
                }
                number = number * 10 + byte - 0x30
                guard number < 1 << 31 else { throw .malformed("its size is too large") }
                place += 1
            }
        }
    }
#endif
