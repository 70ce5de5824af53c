#if Images
    /// The limits of an image. They are checked before memory for its pixels is allocated.
    ///
    /// AFNetworking had none.
    public struct ImageLimits: Sendable, Hashable {
        /// The greatest number of bytes of the encoded image. Default: 128 MiB.
        public var maximumByteCount = 128 << 20

        /// The greatest number of pixels of the image in its file, and of a frame. Default: 100
        /// million, which are 400 MB.
        ///
        /// A JPEG of several scans, such as a progressive one, is computed once for each: in all
        /// scans together there may be 20 times as many.
        public var maximumPixelCount = 100_000_000

        /// The greatest number of frames of an animation. Default: 1000.
        public var maximumFrameCount = 1000

        /// The greatest number of pixels of all frames of an animation together, after
        /// downsampling; before it, there may be 20 times as many. Default: 100 million.
        public var maximumTotalPixelCount = 100_000_000

        /// How many times as many pixels may be computed as may be kept.
        static let repetitions = 20

        /// Makes the default limits.
        public init() {}
    }
#endif
