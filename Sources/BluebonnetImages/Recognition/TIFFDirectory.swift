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
            return information
        }

        /// The orientation in the metadata of another format; upright where there is none.
        static func orientation(_ exif: ImageBytes) -> ImageOrientation {
            guard let directory = try? TIFFDirectory(exif), let value = try? directory.value(of: 274) else {
                return .upright
            }
            return ImageOrientation(rawValue: value) ?? .upright
        }

        /// The value of an entry that is one short or long number; nil where there is none.
        private func value(of tag: Int) throws(ImageFault) -> Int? {
            let count = try number(isLarge ? 8 : 2, at: place)
            let size = isLarge ? 20 : 12
            var entry = try sum(place, isLarge ? 8 : 2)
            for _ in 0..<min(count, Self.maximumEntries) {
                if try number(2, at: entry) == tag {
                    let value = entry + (isLarge ? 12 : 8)
                    switch try number(2, at: entry + 2) {
                    case 3: return try number(2, at: value)
                    case 4: return try number(4, at: value)
                    case 16 where isLarge: return try number(8, at: value)
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
