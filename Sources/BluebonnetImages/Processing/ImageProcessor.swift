#if Images
    /// Changes an image after it was decoded: `[.resized(to: size), .circle]`.
    ///
    /// The ``identifier`` is part of the name of the image in a cache: two processors with the same
    /// one must do the same, and are equal. Of an animation every frame is changed. Sizes are those
    /// of pixels.
    ///
    /// Counterpart of AlamofireImage's `ImageFilter`, and of the `imageProcessingBlock` of
    /// AFNetworking 1.
    public struct ImageProcessor: Sendable, Hashable {
        /// The name of what it does, with all its settings: `circle`.
        public let identifier: String

        private let change: @Sendable (Image) throws -> Image

        /// Makes a processor.
        ///
        /// - Parameters:
        ///   - identifier: The name of what it does, with all its settings.
        ///   - change: Makes another image of an image, on a thread for images. What it throws
        ///     fails the download with `responseSerializationFailed`.
        public init(identifier: String, _ change: @escaping @Sendable (Image) throws -> Image) {
            self.identifier = identifier
            self.change = change
        }

        /// A processor that changes the pixels of each frame.
        private init(_ identifier: String, frames change: @escaping @Sendable (Bitmap) throws -> Bitmap) {
            // Frames of one size stay so.
            self.init(identifier: identifier) { image in try image.mapFrames(change) ?? image }
        }

        /// Changes an image. Takes a time in proportion to its pixels.
        ///
        /// - Parameter image: The image.
        /// - Returns: The changed image.
        /// - Throws: ``ImageDecodingError`` with the reason `tooManyPixels` where the result would
        ///   have more than 100 million pixels, and what a closure throws.
        public func process(_ image: Image) throws -> Image { try change(image) }

        /// Processors are equal when their names are.
        public static func == (left: ImageProcessor, right: ImageProcessor) -> Bool {
            left.identifier == right.identifier
        }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

        // MARK: The library's

        /// How an image gets another size.
        ///
        /// Counterpart of `UIView.ContentMode`.
        public enum ResizeMode: String, Sendable, Hashable, CaseIterable {
            /// The image lies within the size and keeps its proportions.
            case fitting
            /// The image covers the size and keeps its proportions; what lies outside is cut off,
            /// the same on both sides.
            case filling
            /// The image has the size, whatever its proportions were.
            case stretching
        }

        /// The image in another size: each pixel is a mean of those in its place, weighted by
        /// distance and opacity.
        ///
        /// Counterpart of AlamofireImage's `ScaledToSizeFilter`, `AspectScaledToFitSizeFilter` and
        /// `AspectScaledToFillSizeFilter`.
        ///
        /// - Parameters:
        ///   - size: The size in pixels; less than 1 counts as 1.
        ///   - mode: The treatment of other proportions. Default: fitting.
        ///   - enlarges: Whether a smaller image is made larger. Default: false.
        /// - Returns: The processor.
        public static func resized(
            to size: ImageSize,
            mode: ResizeMode = .fitting,
            enlarges: Bool = false
        ) -> ImageProcessor {
            let name = "resized(\(size.width)x\(size.height),\(mode.rawValue)\(enlarges ? ",enlarges" : ""))"
            return ImageProcessor(name) { bitmap in
                let plan = ResizePlan(of: bitmap, to: size, mode: mode, enlarges: enlarges)
                try check(plan.scaled)
                // The image between the two directions.
                try check(ImageSize(width: plan.scaled.width, height: bitmap.height))
                let scaled = bitmap.resized(width: plan.scaled.width, height: plan.scaled.height)
                return scaled.centered(width: plan.cropped.width, height: plan.cropped.height)
            }
        }

        /// The middle of the image.
        ///
        /// - Parameter size: The size in pixels of what is left, where the image is not smaller.
        /// - Returns: The processor.
        public static func cropped(to size: ImageSize) -> ImageProcessor {
            ImageProcessor("cropped(\(size.width)x\(size.height))") { bitmap in
                bitmap.centered(width: size.width, height: size.height)
            }
        }

        /// A part of the image.
        ///
        /// - Parameters:
        ///   - x: The first column, from 0.
        ///   - y: The first row from the top, from 0.
        ///   - size: The size in pixels. What lies outside of the image is left out, but for one
        ///     pixel.
        /// - Returns: The processor.
        public static func cropped(x: Int, y: Int, size: ImageSize) -> ImageProcessor {
            ImageProcessor("cropped(\(x),\(y),\(size.width)x\(size.height))") { bitmap in
                bitmap.cropped(x: x, y: y, width: size.width, height: size.height)
            }
        }

        /// The image with round corners, which are transparent outside.
        ///
        /// Counterpart of AlamofireImage's `RoundedCornersFilter`.
        ///
        /// - Parameter radius: The radius in pixels; at most half of the shorter side.
        /// - Returns: The processor.
        public static func roundedCorners(radius: Double) -> ImageProcessor {
            ImageProcessor("roundedCorners(\(radius))") { $0.rounded(radius: radius) }
        }

        /// The largest circle in the middle of the image.
        ///
        /// Counterpart of AlamofireImage's `CircleFilter`.
        public static let circle = ImageProcessor("circle") { bitmap in
            let side = min(bitmap.width, bitmap.height)
            return bitmap.centered(width: side, height: side).rounded(radius: Double(side) / 2)
        }

        /// The image, blurred.
        ///
        /// Counterpart of AlamofireImage's `BlurFilter`.
        ///
        /// - Parameter radius: The standard deviation of the Gaussian in pixels, which is
        ///   approximated by three means; 0 changes nothing. Default: 10.
        /// - Returns: The processor.
        public static func blurred(radius: Double = 10) -> ImageProcessor {
            ImageProcessor("blurred(\(radius))") { $0.blurred(radius: radius) }
        }

        /// Several processors as one, in this order.
        ///
        /// - Parameter processors: The processors.
        /// - Returns: The processor.
        public static func composed(_ processors: [ImageProcessor]) -> ImageProcessor {
            ImageProcessor(identifier: processors.map(\.identifier).joined(separator: " ")) { image in
                try processors.reduce(image) { try $1.process($0) }
            }
        }

        private static func check(_ size: ImageSize) throws(ImageDecodingError) {
            let limit = ImageLimits().maximumPixelCount
            guard let count = Bitmap.byteCount(width: size.width, height: size.height), count / 4 <= limit else {
                throw ImageDecodingError(
                    .tooManyPixels,
                    "The image would get \(size.width) × \(size.height) pixels, and \(limit) are allowed."
                )
            }
        }
    }

    /// The sizes of an image that gets another size.
    struct ResizePlan: Equatable {
        /// The size to which it is scaled.
        let scaled: ImageSize
        /// The size of its middle, which is kept.
        let cropped: ImageSize

        init(of bitmap: Bitmap, to size: ImageSize, mode: ImageProcessor.ResizeMode, enlarges: Bool) {
            let (width, height) = (Double(bitmap.width), Double(bitmap.height))
            let target = ImageSize(width: max(1, size.width), height: max(1, size.height))
            let (x, y) = (Double(target.width) / width, Double(target.height) / height)
            func limited(_ scale: Double) -> Double { enlarges ? scale : min(1, scale) }
            // Rounded, and within what an `Int` counts: who asks for more gets an error.
            func side(_ length: Double) -> Int { Int(min(max(length.rounded(), 1), 1e9)) }
            switch mode {
            case .stretching:
                scaled = ImageSize(width: side(width * limited(x)), height: side(height * limited(y)))
                cropped = scaled
            case .fitting:
                let scale = limited(min(x, y))
                scaled = ImageSize(width: side(width * scale), height: side(height * scale))
                cropped = scaled
            case .filling:
                let scale = limited(max(x, y))
                scaled = ImageSize(width: side(width * scale), height: side(height * scale))
                cropped = ImageSize(
                    width: min(target.width, scaled.width),
                    height: min(target.height, scaled.height)
                )
            }
        }
    }
#endif
