#if Images
    import FoundationEssentials

    /// The sizes of the pictures in a HEIF or an AVIF, by the pictures themselves. The loader
    /// decodes a picture before it compares its size with that of the container, which is another
    /// number.
    struct HEIFSizes {
        /// The number of pixels of the largest picture, or of the canvas that pictures are put on.
        private(set) var largest = 0
        /// The number of pixels that are decoded where each part of an image is as large as the
        /// largest picture.
        private(set) var parts = 0

        /// Items that are not decoded, beside those whose size is read here.
        private static let otherKinds: Set<String> = ["Exif", "mime", "uri ", "iden", "tmap"]

        /// Reads the sizes.
        ///
        /// - Parameters:
        ///   - bytes: All bytes.
        ///   - format: HEIF, whose loader may know pictures that are not known here, or AVIF.
        /// - Throws: ``ImageFault``.
        init(_ bytes: ImageBytes, _ format: ImageFormat) throws(ImageFault) {
            // The pictures of a sequence lie elsewhere. The loader takes them by the first brand.
            let movie = try HEIFHeader.boxes(bytes, named: "moov")
            guard format == .heif || bytes.has("avif", at: 8) || movie.isEmpty && !bytes.has("avis", at: 8) else {
                throw .malformed("it is a sequence")
            }
            guard let meta = try HEIFHeader.boxes(bytes, named: "meta").first?.part(from: 4) else { throw .truncated }
            largest = try HEVCSizes.largest(inPropertiesOf: meta)
            let found = try HEIFItems(meta, of: bytes)
            for item in found.items {
                let pixels =
                    switch item.kind {
                    case "av01": try AV1Sizes.largest(in: item.bytes)
                    case "hvc1", "hev1": try HEVCSizes.largest(in: item.bytes)
                    // ISO/IEC 23008-12 §6.6.2.2 and §6.6.2.3: the colors of an overlay come first.
                    case "iovl": try Self.canvas(item.bytes, at: 10)
                    default: try Self.canvas(item.bytes, at: 4)
                    }
                largest = max(largest, pixels)
            }
            parts = largest.times(try references(meta, found.kinds))
            guard format == .heif else { return }
            for kind in found.kinds.values where !HEIFItems.pictures.contains(kind) {
                guard Self.otherKinds.contains(kind) else { throw .malformed("it has an item of an unknown kind") }
            }
        }

        /// The pixels of a canvas. Its sides have 16 or 32 bits.
        private static func canvas(_ bytes: ImageBytes, at place: Int) throws(ImageFault) -> Int {
            let size = try bytes.byte(at: 1) & 1 == 0 ? 2 : 4
            return try bytes.big(size, at: place).times(bytes.big(size, at: place + size))
        }

        /// The number of parts that images are made of (ISO/IEC 14496-12 §8.11.12, `dimg`). One may
        /// be a part many times.
        private func references(_ meta: ImageBytes, _ kinds: [Int: String]) throws(ImageFault) -> Int {
            var count = 0
            for box in try HEIFHeader.boxes(meta, named: "iref") {
                let size = try box.byte(at: 0) == 0 ? 2 : 4
                // An image of the kind `tmap` is not decoded: it tells how others are shown.
                for parts in try HEIFHeader.boxes(box.part(from: 4), named: "dimg")
                where kinds[try parts.big(size, at: 0)] != "tmap" {
                    let number = try parts.big(2, at: size)
                    for index in 0..<number {
                        let kind = kinds[try parts.big(size, at: size + 2 + index * size)]
                        // Images of images of images would be an exponential number of parts.
                        guard kind != "grid", kind != "iovl", kind != "iden" else {
                            throw .malformed("its images are made of images with parts")
                        }
                    }
                    count += number
                }
            }
            return count
        }
    }
#endif
