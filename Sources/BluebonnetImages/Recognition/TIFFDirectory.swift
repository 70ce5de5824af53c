#if Images
    import FoundationEssentials

    /// The first directory of TIFF 6.0 and BigTIFF, which is also that of Exif.
    struct TIFFDirectory {
        private let bytes: ImageBytes
        private let isBig: Bool
        private let isLarge: Bool
        private let place: Int

        /// The number of entries that are read at most; the standards have fewer tags.
        private static let maximumEntries = 4096

        init(_ bytes: ImageBytes) throws(ImageFault) {
            self.bytes = bytes
            isBig = try bytes.byte(at: 0) == 0x4D
            let version = isBig ? try bytes.big(2, at: 2) : try bytes.little(2, at: 2)
            guard version == 42 || version == 43 else { throw .malformed("its version is \(version)") }
            isLarge = version == 43
            let (size, at) = isLarge ? (8, 8) : (4, 4)
            place = isBig ? try bytes.big(size, at: at) : try bytes.little(size, at: at)
        }

        static func read(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            let directory = try TIFFDirectory(bytes)
            guard let width = try directory.value(of: 256), let height = try directory.value(of: 257) else {
                throw .malformed("it has no size")
            }
            var information = ImageInformation(.tiff, width: width, height: height)
            if let value = try directory.value(of: 274), let orientation = ImageOrientation(rawValue: value) {
                information.orientation = orientation
            }
            let part = try directory.largestPart(width, height)
            if part > width.times(height) { information.largestFrame = part }
            return information
        }

        /// The number of pixels of a strip or a tile, which is decoded at once. Four samples are
        /// one pixel, as in what is made of it. A tile may be larger than the image.
        private func largestPart(_ width: Int, _ height: Int) throws(ImageFault) -> Int {
            let samples = try value(of: 277) ?? 1
            let pixels: Int
            if let tileWidth = try value(of: 322), let tileHeight = try value(of: 323) {
                pixels = tileWidth.times(tileHeight)
            } else {
                pixels = width.times(min(try value(of: 278) ?? height, height))
            }
            return max(pixels, pixels.times(samples) / 4)
        }

        /// The orientation in the metadata of another format; upright where there is none.
        static func orientation(_ exif: ImageBytes) -> ImageOrientation {
            guard let directory = try? TIFFDirectory(exif), let value = try? directory.value(of: 274) else {
                return .upright
            }
            return ImageOrientation(rawValue: value) ?? .upright
        }

        /// The value of an entry that is one number, of any type that libtiff takes for one; nil
        /// where there is none.
        private func value(of tag: Int) throws(ImageFault) -> Int? {
            let count = try number(isLarge ? 8 : 2, at: place)
            let size = isLarge ? 20 : 12
            var entry = try sum(place, isLarge ? 8 : 2)
            for _ in 0..<min(count, Self.maximumEntries) {
                if try number(2, at: entry) == tag {
                    let value = entry + (isLarge ? 12 : 8)
                    switch try number(2, at: entry + 2) {
                    case 1, 6: return try number(1, at: value)
                    case 3, 8: return try number(2, at: value)
                    case 4, 9: return try number(4, at: value)
                    // It has no room in an entry of TIFF 6.0, which has its place then.
                    case 16, 17: return try number(8, at: isLarge ? value : number(4, at: value))
                    default: return nil
                    }
                }
                entry += size
            }
            return nil
        }

        private func number(_ size: Int, at place: Int) throws(ImageFault) -> Int {
            guard place <= bytes.count else { throw .truncated }
            return isBig ? try bytes.big(size, at: place) : try bytes.little(size, at: place)
        }

        private func sum(_ place: Int, _ more: Int) throws(ImageFault) -> Int {
            guard place <= bytes.count else { throw .truncated }
            return place + more
        }
    }
#endif
