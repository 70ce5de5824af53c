#if Images
    /// A format of images.
    ///
    /// AFNetworking had no type for it: it knew media types only.
    public struct ImageFormat: Hashable, Sendable, CustomStringConvertible {
        /// The name, such as `png`. The loaders of gdk-pixbuf have the same names, except
        /// ``heif`` and ``avif``, for which a loader has the name of either.
        public let name: String

        /// The media types in lower case, the registered one first.
        public let mediaTypes: [String]

        private init(_ name: String, _ mediaTypes: String...) {
            self.name = name
            self.mediaTypes = mediaTypes
        }

        /// Portable Network Graphics (ISO/IEC 15948). Of an animated PNG, only the first frame is
        /// decoded.
        public static let png = ImageFormat("png", "image/png")
        /// JPEG (ITU-T T.81), also progressive and CMYK.
        public static let jpeg = ImageFormat("jpeg", "image/jpeg")
        /// GIF 87a and 89a, with all frames.
        public static let gif = ImageFormat("gif", "image/gif")
        /// Windows bitmaps.
        public static let bmp = ImageFormat("bmp", "image/bmp", "image/x-bmp", "image/x-win-bitmap")
        /// Windows icons, and cursors. The largest image of the file is decoded.
        public static let ico = ImageFormat("ico", "image/x-icon", "image/ico", "image/vnd.microsoft.icon")
        /// TIFF 6.0. The first image of the file is decoded.
        public static let tiff = ImageFormat("tiff", "image/tiff")
        /// Bitmaps of the X Window System, which are C sources.
        public static let xbm = ImageFormat("xbm", "image/x-xbitmap")
        /// WebP (RFC 9649), with all frames.
        public static let webp = ImageFormat("webp", "image/webp")
        /// AVIF, images of AV1.
        public static let avif = ImageFormat("avif", "image/avif")
        /// HEIF and HEIC, images of HEVC. Not among ``defaults``.
        public static let heif = ImageFormat("heif", "image/heif", "image/heic")
        /// Scalable Vector Graphics, without what is in other files. A small drawing can take any
        /// time and memory: it is decoded by default in a helper process only.
        public static let svg = ImageFormat("svg", "image/svg+xml")
        /// JPEG XL (ISO/IEC 18181). Of an animation, the first frame is decoded. A small file can
        /// have any number of frames, all of which the loader keeps in memory: it is decoded by
        /// default in a helper process only.
        public static let jpegXL = ImageFormat("jxl", "image/jxl")
        /// PBM, PGM and PPM. Not among ``defaults``.
        public static let pnm = ImageFormat(
            "pnm",
            "image/x-portable-anymap",
            "image/x-portable-bitmap",
            "image/x-portable-graymap",
            "image/x-portable-pixmap"
        )

        /// Every format that this library recognizes.
        public static let all: Set<ImageFormat> = [
            .png, .jpeg, .gif, .bmp, .ico, .tiff, .xbm, .webp, .avif, .heif, .svg, .jpegXL, .pnm,
        ]

        /// The formats that are decoded by default, where the system has a loader for them: those
        /// of AFNetworking's media types, WebP and AVIF.
        public static let defaults: Set<ImageFormat> = [
            .png, .jpeg, .gif, .bmp, .ico, .tiff, .xbm, .webp, .avif,
        ]

        /// The formats that are decoded by default in an ``ImageHelperProcess``: ``defaults``,
        /// ``svg`` and ``jpegXL``.
        public static let helperDefaults = defaults.union([.svg, .jpegXL])

        /// Formats are equal when their names are.
        public static func == (left: ImageFormat, right: ImageFormat) -> Bool { left.name == right.name }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// The ``name``.
        public var description: String { name }
    }
#endif
