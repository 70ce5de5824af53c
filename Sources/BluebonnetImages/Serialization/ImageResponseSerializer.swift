#if Images
    public import Bluebonnet
    public import FoundationEssentials

    /// Validates a response and decodes its body to an ``Image``.
    ///
    /// Accepts 2xx and the media types of ``Bluebonnet/ResponseValidation/image`` by default. A
    /// body that cannot be decoded is an error, with the reason in an ``ImageDecodingError`` below
    /// it. (In AFNetworking it was a success without an image.)
    ///
    /// Images are decoded on threads of their own, as many at a time as there are cores, also where
    /// a helper process does it. Their pixels are always ready to be drawn, as with
    /// `automaticallyInflatesResponseImage` of AFNetworking.
    ///
    /// Counterpart of `AFImageResponseSerializer`.
    public struct ImageResponseSerializer: ValidatingResponseSerializer {
        /// The responses that are accepted. Default: 2xx with a media type of images.
        public var validation: ResponseValidation

        /// The decoder: limits, formats, downsampling. Default: the default one.
        public var decoder: ImageDecoder

        /// The number of pixels for one point: the ``Image/scale`` of the images. Default: 1.
        /// (AFNetworking took the scale of the screen.)
        public var imageScale: Double {
            get { decoder.scale }
            set { decoder.scale = newValue }
        }

        /// Makes a serializer.
        ///
        /// - Parameters:
        ///   - validation: The responses that are accepted. Default: 2xx with a media type of
        ///     images.
        ///   - decoder: The decoder. Default: the default one.
        public init(validation: ResponseValidation = .image, decoder: ImageDecoder = ImageDecoder()) {
            self.validation = validation
            self.decoder = decoder
        }

        /// True: a short body may be a large image.
        public var isLengthy: Bool { true }

        /// Validates, then decodes.
        ///
        /// - Parameters:
        ///   - body: The decoded body bytes.
        ///   - head: Status and header fields.
        ///   - request: The request of the response.
        /// - Returns: The image.
        /// - Throws: `NetworkingError` with the code `unacceptableStatusCode`,
        ///   `unacceptableContentType` or `responseSerializationFailed`, with an
        ///   ``ImageDecodingError`` below the last.
        public func serialize(
            _ body: Data,
            head: ResponseHead,
            request: Request
        ) throws(NetworkingError) -> Image {
            try validated(body, head: head, request: request) { body throws(NetworkingError) in
                do throws(ImageDecodingError) {
                    return try decoder.decode(body)
                } catch {
                    throw NetworkingError(
                        .responseSerializationFailed,
                        "The response is not an image that can be decoded: \(error.message)",
                        underlying: error
                    )
                }
            }
        }
    }

    extension ResponseValidation {
        /// The media types of `AFImageResponseSerializer`.
        public static let afNetworkingImageContentTypes: Set<String> = [
            "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
            "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap",
        ]

        /// Every status 2xx, the media types of `AFImageResponseSerializer`, and those of the other
        /// formats among ``BluebonnetImages/ImageFormat/helperDefaults`` for which the system has a
        /// loader.
        public static let image = ResponseValidation(
            contentTypes: ImageLoaders.available.intersection(ImageFormat.helperDefaults)
                .reduce(into: afNetworkingImageContentTypes) { $0.formUnion($1.mediaTypes) }
        )
    }

    extension ResponseSerializer where Self == ImageResponseSerializer {
        /// The image of a 2xx response.
        public static var image: Self { Self() }

        /// The image of a 2xx response, decoded as the decoder says.
        ///
        /// - Parameter decoder: The decoder: limits, formats, downsampling.
        /// - Returns: The serializer.
        public static func image(_ decoder: ImageDecoder) -> Self { Self(decoder: decoder) }
    }
#endif
