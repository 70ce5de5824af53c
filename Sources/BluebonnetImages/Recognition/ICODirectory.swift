#if Images
    import FoundationEssentials

    /// The directory of a Windows icon or cursor, with the images in it.
    struct ICODirectory {
        /// One image of the icon.
        struct Entry {
            /// Its format, `png` or `bmp`, its real size, and not that of the directory.
            var image: ImageInformation
            var bits: Int
            /// Its line of the directory.
            var line: ImageBytes
            /// Its bytes: a whole PNG, or a Windows bitmap without its first header.
            var bytes: ImageBytes

            /// Whether the file ends before the image does.
            var isCut: Bool { (try? line.little(4, at: 8)) != bytes.count }

            /// What is known of the icon, of which this image is decoded.
            var information: ImageInformation {
                ImageInformation(.ico, width: image.width, height: image.height)
            }

            /// An icon with this image only.
            var icon: Data {
                var data = Data([0, 0, 1, 0, 1, 0])
                data.append(line.contents.prefix(12))
                data.append(contentsOf: [22, 0, 0, 0])
                data.append(bytes.contents)
                return data
            }
        }

        /// The image with most pixels; of several, the one with most colors.
        let largest: Entry

        init(_ bytes: ImageBytes) throws(ImageFault) {
            let count = try bytes.little(2, at: 4)
            guard count > 0 else { throw .malformed("it has no images") }
            var best: Entry?
            for number in 0..<count {
                // The directory ends early in a file that is cut, and in one that is another thing.
                guard let entry = try? Self.entry(bytes, number) else { continue }
                if best.map({ Self.rank(entry) > Self.rank($0) }) ?? true { best = entry }
            }
            guard let best else { throw .truncated }
            largest = best
        }

        private static func rank(_ entry: Entry) -> (Int, Int) {
            // Each number of a PNG has 32 bits.
            ((entry.image.width ?? 0).times(entry.image.height ?? 0), entry.bits)
        }

        private static func entry(_ bytes: ImageBytes, _ number: Int) throws(ImageFault) -> Entry {
            let line = try bytes.part(from: 6 + 16 * number, count: 16)
            guard try line.byte(at: 3) == 0 else { throw .malformed("its directory is wrong") }
            let image = try bytes.part(from: try line.little(4, at: 12), count: try line.little(4, at: 8))
            if ImageFormat(of: image.contents.prefix(8)) == .png {
                return Entry(image: try PNGHeader.size(image), bits: 32, line: line, bytes: image)
            }
            guard try image.little(4, at: 0) == 40 else { throw .malformed("an image is of no known kind") }
            var header = try BMPHeader.size(image)
            // The height is that of the colors and of the mask below them.
            header.height = (header.height ?? 0) / 2
            return Entry(image: header, bits: try image.little(2, at: 14), line: line, bytes: image)
        }
    }
#endif
