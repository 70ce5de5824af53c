#if Images
    /// A decoded image: pixels, or the frames of an animation, and their scale.
    ///
    /// A value that can be handed to other threads; copies share their pixels. The orientation of a
    /// photograph is applied already.
    ///
    /// Counterpart of `UIImage`, the value of `AFImageResponseSerializer`.
    public struct Image: Sendable {
        /// One picture of an animation, whole: what earlier frames have drawn is in it.
        public struct Frame: Sendable, Hashable {
            /// The pixels.
            public var bitmap: Bitmap

            /// The time for which the frame is shown; zero for an image that is not animated.
            public var delay: Duration

            /// Makes a frame.
            ///
            /// - Parameters:
            ///   - bitmap: The pixels.
            ///   - delay: The time for which the frame is shown. Default: zero.
            public init(bitmap: Bitmap, delay: Duration = .zero) {
                self.bitmap = bitmap
                self.delay = delay
            }
        }

        /// What is not in the pixels.
        public struct Metadata: Sendable, Hashable {
            /// The format that the image was decoded from; nil for one made of pixels.
            public var format: ImageFormat?

            /// The width of the image in its file in pixels, before orientation and downsampling;
            /// nil for one made of pixels.
            public var originalWidth: Int?

            /// The height of the image in its file in pixels, before orientation and downsampling;
            /// nil for one made of pixels.
            public var originalHeight: Int?

            /// The orientation that the file asks for. ``ImageDecoder/appliesOrientation`` says
            /// whether it is applied to the pixels; by default it is. Default: upright.
            public var orientation = ImageOrientation.upright

            /// How often an animation is shown; 0 without an end. Default: 1.
            public var loopCount = 1

            /// Whether this is a part of an image whose other bytes had not arrived. Default:
            /// false.
            public var isPartial = false

            /// Makes the metadata of an image that was made of pixels.
            public init() {}
        }

        private final class Storage: Sendable {
            let frames: [Frame]
            let scale: Double
            let metadata: Metadata
            let byteCount: Int

            init(frames: [Frame], scale: Double, metadata: Metadata) {
                self.frames = frames
                self.scale = scale > 0 && scale.isFinite ? scale : 1
                self.metadata = metadata
                byteCount = frames.reduce(0) { $0 + $1.bitmap.bytes.count }
            }
        }

        private let storage: Storage

        /// Makes an image of pixels.
        ///
        /// - Parameters:
        ///   - bitmap: The pixels.
        ///   - scale: The number of pixels for one point. Default: 1.
        ///   - metadata: What is not in the pixels. Default: none.
        public init(_ bitmap: Bitmap, scale: Double = 1, metadata: Metadata = Metadata()) {
            storage = Storage(frames: [Frame(bitmap: bitmap)], scale: scale, metadata: metadata)
        }

        /// Makes an image of frames; nil where there are none, or their sizes differ.
        ///
        /// - Parameters:
        ///   - frames: The frames.
        ///   - scale: The number of pixels for one point. Default: 1.
        ///   - metadata: What is not in the pixels. Default: none.
        public init?(frames: [Frame], scale: Double = 1, metadata: Metadata = Metadata()) {
            guard let first = frames.first?.bitmap else { return nil }
            guard frames.allSatisfy({ $0.bitmap.width == first.width && $0.bitmap.height == first.height }) else {
                return nil
            }
            storage = Storage(frames: frames, scale: scale, metadata: metadata)
        }

        /// The pixels; of an animation, those of its first frame.
        public var bitmap: Bitmap { storage.frames[0].bitmap }

        /// The frames of an animation in the order in which they are shown; of another image, one
        /// with a delay of zero.
        public var frames: [Frame] { storage.frames }

        /// Whether there is more than one frame.
        public var isAnimated: Bool { storage.frames.count > 1 }

        /// The width in pixels, at least 1.
        public var width: Int { bitmap.width }

        /// The height in pixels, at least 1.
        public var height: Int { bitmap.height }

        /// The number of pixels for one point of the screen. Default: 1. What is not positive and
        /// finite counts as 1.
        public var scale: Double { storage.scale }

        /// What is not in the pixels: format, orientation, and how often an animation is shown.
        public var metadata: Metadata { storage.metadata }

        /// The size of all pixels in bytes: the cost of the image in a cache. As in
        /// `AFAutoPurgingImageCache`, width × height × 4, for each frame.
        public var byteCount: Int { storage.byteCount }

        /// The time in which all frames are shown once.
        public var duration: Duration { storage.frames.reduce(.zero) { $0 + $1.delay } }

        /// The same pixels with another scale.
        ///
        /// - Parameter scale: The number of pixels for one point.
        /// - Returns: The image.
        public func scaled(_ scale: Double) -> Image {
            Image(storage: Storage(frames: frames, scale: scale, metadata: metadata))
        }

        /// An image with the same delays, scale and metadata, and other pixels.
        ///
        /// - Parameter transform: Makes the pixels of a frame from those it has; all results must
        ///   have the same size, or nil is returned.
        /// - Returns: The image.
        /// - Throws: What the closure throws.
        public func mapFrames<Failure>(
            _ transform: (Bitmap) throws(Failure) -> Bitmap
        ) throws(Failure) -> Image? {
            var changed: [Frame] = []
            changed.reserveCapacity(frames.count)
            for frame in frames { changed.append(Frame(bitmap: try transform(frame.bitmap), delay: frame.delay)) }
            return Image(frames: changed, scale: scale, metadata: metadata)
        }

        private init(storage: Storage) { self.storage = storage }
    }

    extension Image: Equatable {
        /// Images are equal when their frames, scale and metadata are. Copies are compared at no
        /// cost; other images byte by byte.
        public static func == (left: Image, right: Image) -> Bool {
            left.storage === right.storage
                || (left.scale == right.scale && left.metadata == right.metadata && left.frames == right.frames)
        }
    }
#endif
