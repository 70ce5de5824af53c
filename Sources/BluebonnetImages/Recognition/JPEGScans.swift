#if Images
    import FoundationEssentials

    /// Counts the scans of a JPEG (ITU-T T.81 §B.2.3), while the bytes come.
    ///
    /// The loader computes all pixels again for each of them, and a scan may have a few bytes only.
    struct JPEGScans {
        /// The number of scans that have begun.
        private(set) var count = 0
        /// The place of the next byte that is looked at, first the one behind the marker of the
        /// beginning; nil behind the end of the image.
        private var place: Int? = 2

        /// Goes on as far as the bytes do.
        ///
        /// - Parameter bytes: All bytes from the beginning of the image.
        mutating func read(_ bytes: ImageBytes) {
            while let start = place {
                guard let marker = bytes.marker(from: start) else {
                    place = max(start, bytes.count)
                    return
                }
                // The last byte is looked at again when there is one behind it.
                guard let kind = try? bytes.byte(at: marker + 1) else {
                    place = marker
                    return
                }
                switch kind {
                // TEM and a second SOI have no length.
                case 1, 0xD8: place = marker + 2
                case 0xFF: place = marker + 1
                case 0xD9: place = nil
                default:
                    guard let length = try? bytes.big(2, at: marker + 2) else {
                        place = marker
                        return
                    }
                    if kind == 0xDA { count += 1 }
                    place = marker + 2 + max(length, 2)
                }
            }
        }
    }
#endif
