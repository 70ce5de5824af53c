#if Images
    import Bluebonnet
    public import FoundationEssentials

    /// Makes images of bytes, with the loaders of gdk-pixbuf that the system has.
    ///
    /// The format is recognized by the bytes, not by a media type or a file name. ``limits`` are
    /// checked before memory for pixels is allocated.
    ///
    /// Counterpart of the decoding in `AFImageResponseSerializer`.
    public struct ImageDecoder: Sendable, Hashable {
        /// The formats that are decoded; nil for ``ImageFormat/defaults``, with a ``helper`` for
        /// ``ImageFormat/helperDefaults``. Default: nil.
        public var formats: Set<ImageFormat>?

        /// The limits of the image. Default: the default limits.
        public var limits = ImageLimits()

        /// The ``Image/scale`` of the images. Default: 1.
        public var scale: Double = 1

        /// The size in pixels into which images are made to fit, with their proportions; nil for
        /// none. Default: nil.
        ///
        /// JPEG is decoded at a smaller size at once, which saves time and memory; SVG is drawn in
        /// this size; other formats are made smaller after they are decoded. No image but SVG is
        /// made larger.
        public var targetSize: ImageSize?

        /// Whether the orientation that the file asks for is applied to the pixels. Default: true.
        public var appliesOrientation = true

        /// Whether all frames of an animation are decoded, or only the first one. Default: true.
        public var decodesAnimations = true

        /// The process that decodes; nil for this one. Default: nil. See ``ImageHelperProcess``.
        public var helper: ImageHelperProcess?

        /// Makes a decoder.
        public init() {}

        /// Decodes an image on a thread for images, of which there are as many as cores.
        ///
        /// - Parameter data: The encoded image.
        /// - Returns: The image.
        /// - Throws: ``ImageDecodingError``, with the reason why it cannot be decoded.
        public func image(from data: Data) async throws(ImageDecodingError) -> Image {
            do {
                return try await ImageWork.run { try decode(data) }
            } catch let error as ImageDecodingError {
                throw error
            } catch is CancellationError {
                throw ImageDecodingError(.cancelled, "The decoding of the image was cancelled.")
            } catch {
                throw ImageDecodingError(.helperFailed, "The image could not be decoded: \(error)")
            }
        }

        /// Decodes an image on the present thread.
        ///
        /// - Parameter data: The encoded image.
        /// - Returns: The image.
        /// - Throws: ``ImageDecodingError``, with the reason why it cannot be decoded.
        public func decode(_ data: Data) throws(ImageDecodingError) -> Image {
            if let helper { return try helper.decode(data, self) }
            return try DecodingPlan(self, data).image(self)
        }
    }

    /// A size in pixels.
    ///
    /// Counterpart of `CGSize`.
    public struct ImageSize: Sendable, Hashable {
        /// The width in pixels.
        public var width: Int
        /// The height in pixels.
        public var height: Int

        /// Makes a size.
        ///
        /// - Parameters:
        ///   - width: The width in pixels.
        ///   - height: The height in pixels.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }
#endif
