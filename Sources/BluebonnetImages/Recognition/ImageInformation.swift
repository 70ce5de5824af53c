#if Images
    public import FoundationEssentials

    /// What the bytes of an image say of it. It is read without decoding the image.
    ///
    /// The format is recognized by the bytes. No counterpart in AFNetworking; `CGImageSource` has
    /// such properties.
    public struct ImageInformation: Sendable, Hashable {
        /// The format.
        public var format: ImageFormat

        /// The width in pixels as it is stored, before the orientation is applied; nil where the
        /// format does not say it: SVG.
        public var width: Int?

        /// The height in pixels as it is stored, before the orientation is applied; nil where the
        /// format does not say it: SVG.
        public var height: Int?

        /// The orientation that the file asks for. Default: upright.
        public var orientation = ImageOrientation.upright

        /// The number of frames of an animation, as far as ``countedFrames``; 1 for other images.
        public var frameCount = 1

        /// How often an animation is shown; 0 without an end. Default: 1.
        public var loopCount = 1

        /// The delays of the frames. Empty where the image is not animated.
        var delays: [Duration] = []

        /// The number of pixels of the largest frame that is stored, of the largest part of a TIFF
        /// that is decoded at once, or of the largest picture in an AVIF or a HEIF, where one is
        /// larger than the image.
        var largestFrame = 0

        /// The number of pixels of the parts that a HEIF or an AVIF is put together of, at most;
        /// zero where it has none.
        var partPixels = 0

        /// The number of pixels of all frames as they are stored; zero where none is larger than
        /// the image.
        var storedPixels = 0

        /// The number of frames at which counting ends: 65,536.
        public static let countedFrames = 65_536

        /// Reads what the bytes say of their image.
        ///
        /// - Parameter data: The bytes, or the first ones of them.
        /// - Throws: ``ImageDecodingError`` with the reason
        ///   ``ImageDecodingError/Reason/unknownFormat``,
        ///   ``ImageDecodingError/Reason/truncated`` where the size is not among the bytes, or
        ///   ``ImageDecodingError/Reason/malformed``.
        public init(of data: Data) throws(ImageDecodingError) {
            let bytes = ImageBytes(data)
            guard let format = ImageFormat(of: bytes) else {
                throw ImageDecodingError(
                    .unknownFormat,
                    data.isEmpty ? "There are no bytes." : "The bytes are not an image of a known format."
                )
            }
            do throws(ImageFault) {
                self = try format.information(bytes)
            } catch {
                throw ImageDecodingError(error, format: format)
            }
        }

        init(_ format: ImageFormat, width: Int? = nil, height: Int? = nil) {
            self.format = format
            self.width = width
            self.height = height
        }

        /// Notes a frame and its delay. Browsers show a frame of 10 ms and less for 100 ms, since
        /// old files have such delays and were never shown so fast.
        mutating func noteFrame(number: Int, milliseconds: Int) {
            frameCount = min(number, Self.countedFrames)
            guard delays.count < Self.countedFrames else { return }
            delays.append(.milliseconds(milliseconds <= 10 ? 100 : milliseconds))
        }
    }

    extension ImageDecodingError {
        init(_ fault: ImageFault, format: ImageFormat) {
            switch fault {
            case .truncated:
                self.init(.truncated, "The bytes end before the \(format) image does.", format: format)
            case .malformed(let reason):
                self.init(.malformed, "The \(format) image is malformed: \(reason).", format: format)
            }
        }
    }

    extension ImageFormat {
        /// Reads the size and more, by the rules of the format.
        fileprivate func information(_ bytes: ImageBytes) throws(ImageFault) -> ImageInformation {
            let information =
                switch self {
                case .png: try PNGHeader.read(bytes)
                case .jpeg: try JPEGHeader.read(bytes)
                case .gif: try GIFHeader.read(bytes)
                case .bmp: try BMPHeader.read(bytes)
                case .ico: try ICODirectory(bytes).largest.information
                case .tiff: try TIFFDirectory.read(bytes)
                case .webp: try WebPHeader.read(bytes)
                case .avif, .heif: try HEIFHeader.read(bytes, self)
                case .jpegXL: try JPEGXLHeader.read(bytes)
                case .pnm: try PNMHeader.read(bytes)
                case .xbm: try XBMHeader.read(bytes)
                default: ImageInformation(self)
                }
            if let width = information.width, let height = information.height {
                guard width > 0, height > 0 else { throw .malformed("its size is \(width) × \(height)") }
            }
            return information
        }
    }
#endif
