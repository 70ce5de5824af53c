#if Images
    public import FoundationEssentials

    extension ImageFormat {
        /// The format of an image; nil where it is not known.
        ///
        /// - Parameter data: The first bytes of the image; 4096 are enough.
        public init?(of data: Data) {
            self.init(of: ImageBytes(data))
        }

        /// The format by the signature, or for text by the first words.
        init?(of bytes: ImageBytes) {
            guard let format = Self.bySignature(bytes) ?? Self.byBrand(bytes) ?? Self.byText(bytes) else {
                return nil
            }
            self = format
        }

        private static func bySignature(_ bytes: ImageBytes) -> ImageFormat? {
            if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) { return .png }
            if bytes.has([0xFF, 0xD8, 0xFF], at: 0) { return .jpeg }
            if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) { return .gif }
            if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) { return .webp }
            if bytes.has([0x49, 0x49, 0x2A, 0], at: 0) || bytes.has([0x4D, 0x4D, 0, 0x2A], at: 0) { return .tiff }
            if bytes.has([0x49, 0x49, 0x2B, 0], at: 0) || bytes.has([0x4D, 0x4D, 0, 0x2B], at: 0) { return .tiff }
            if bytes.has([0xFF, 0x0A], at: 0) || bytes.has(JPEGXLHeader.container, at: 0) { return .jpegXL }
            if bytes.has([0, 0, 1, 0], at: 0) || bytes.has([0, 0, 2, 0], at: 0) {
                return (try? ICODirectory(bytes)) == nil ? nil : .ico
            }
            // Two letters are not much: the size of the second header has to be one that exists.
            if bytes.has("BM", at: 0), let size = try? bytes.little(4, at: 14) {
                return BMPHeader.sizes.contains(size) ? .bmp : nil
            }
            return nil
        }

        /// HEIF and AVIF: the brands of the first box (ISO/IEC 23008-12 §10.2, AVIF §6).
        private static func byBrand(_ bytes: ImageBytes) -> ImageFormat? {
            guard bytes.has("ftyp", at: 4), let size = try? bytes.big(4, at: 0), size >= 16 else { return nil }
            var isHEIF = false
            for place in stride(from: 8, to: min(size, bytes.count, 512) - 3, by: 4) where place != 12 {
                if bytes.has("avif", at: place) || bytes.has("avis", at: place) { return .avif }
                for brand in ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
                where bytes.has(brand, at: place) {
                    isHEIF = true
                }
            }
            return isHEIF ? .heif : nil
        }

        private static func byText(_ bytes: ImageBytes) -> ImageFormat? {
            if (try? PNMHeader.isOne(bytes)) == true { return .pnm }
            if XBMHeader.isOne(bytes) { return .xbm }
            return SVGText.isOne(bytes) ? .svg : nil
        }
    }
#endif
