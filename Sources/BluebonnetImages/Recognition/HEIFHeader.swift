#if Images
    import FoundationEssentials

    /// The boxes of HEIF and AVIF (ISO/IEC 14496-12, ISO/IEC 23008-12).
    enum HEIFHeader {
        private struct Box {
            var kind: ImageBytes
            var contents: ImageBytes

            func has(_ name: String) -> Bool { kind.has(name, at: 0) }
        }

        /// The number of boxes that are read at most.
        private static let maximumBoxes = 4096

        static func read(_ bytes: ImageBytes, _ format: ImageFormat) throws(ImageFault) -> ImageInformation {
            guard let meta = try boxes(bytes, named: "meta").first else { throw .truncated }
            // The size of each image is a property; images of a grid are smaller than the whole.
            var information = ImageInformation(format)
            var pixels = 0
            for properties in try boxes(meta.part(from: 4), named: "iprp") {
                for container in try boxes(properties, named: "ipco") {
                    for size in try boxes(container, named: "ispe") {
                        let width = try size.big(4, at: 4)
                        let height = try size.big(4, at: 8)
                        let (count, overflows) = width.multipliedReportingOverflow(by: height)
                        guard !overflows else { throw .malformed("its size is too large") }
                        guard count > pixels else { continue }
                        pixels = count
                        information.width = width
                        information.height = height
                    }
                }
            }
            guard pixels > 0 else { throw .malformed("it has no size") }
            return information
        }

        static func boxes(_ bytes: ImageBytes, named name: String) throws(ImageFault) -> [ImageBytes] {
            var found: [ImageBytes] = []
            var place = 0
            for _ in 0..<maximumBoxes where place < bytes.count {
                var header = 8
                var size = try bytes.big(4, at: place)
                if size == 1 {
                    header = 16
                    size = try bytes.big(8, at: place + 8)
                } else if size == 0 {
                    size = bytes.count - place
                }
                guard size >= header else { throw .malformed("a box is too short") }
                if bytes.has(name, at: place + 4) {
                    found.append(try bytes.part(from: place + header, count: size - header))
                }
                guard size <= bytes.count - place else { return found }
                place += size
            }
            guard place >= bytes.count else { throw .malformed("it has too many boxes") }
            return found
        }
    }
#endif
