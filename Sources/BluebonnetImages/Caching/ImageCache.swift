#if Images
    public import Bluebonnet
    import FoundationEssentials

    /// A cache of decoded images in memory.
    ///
    /// An ``ImageDownloader`` looks for an image here before it sends a request.
    ///
    /// Counterpart of `AFImageCache` and `AFImageRequestCache`.
    public protocol ImageCache: Sendable {
        /// Stores an image, in place of the one with the same identifier.
        ///
        /// Counterpart of `addImage:withIdentifier:`.
        ///
        /// - Parameters:
        ///   - image: The image.
        ///   - identifier: Its name in the cache.
        func add(_ image: Image, for identifier: String)

        /// An image that is stored.
        ///
        /// Counterpart of `imageWithIdentifier:`.
        ///
        /// - Parameter identifier: Its name in the cache.
        /// - Returns: The image; nil where there is none.
        func image(for identifier: String) -> Image?

        /// Removes an image.
        ///
        /// Counterpart of `removeImageWithIdentifier:`.
        ///
        /// - Parameter identifier: Its name in the cache.
        /// - Returns: Whether there was one.
        @discardableResult
        func remove(_ identifier: String) -> Bool

        /// Removes all images.
        ///
        /// Counterpart of `removeAllImages`.
        ///
        /// - Returns: Whether there was one.
        @discardableResult
        func removeAll() -> Bool

        /// Whether a downloaded image is to be stored. Default: true.
        ///
        /// Counterpart of `shouldCacheImage:forRequest:withAdditionalIdentifier:`.
        ///
        /// - Parameters:
        ///   - image: The image.
        ///   - request: The request that it was downloaded for.
        ///   - additionalIdentifier: The name of its processors and of its size; nil for the image
        ///     as it came.
        /// - Returns: Whether it is stored.
        func shouldCache(_ image: Image, for request: Request, additionalIdentifier: String?) -> Bool
    }

    extension ImageCache {
        /// True: every image is stored.
        public func shouldCache(_ image: Image, for request: Request, additionalIdentifier: String?) -> Bool { true }

        /// The identifier of the image of a request: its URL, and behind a space, which no URL has,
        /// the additional identifier. (AFNetworking put nothing between the two, so that one name
        /// could mean two images.)
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - additionalIdentifier: The name of its processors. Default: none.
        /// - Returns: The identifier.
        public func identifier(for request: Request, additionalIdentifier: String? = nil) -> String {
            let url = request.url.absoluteString
            return additionalIdentifier.map { "\(url) \($0)" } ?? url
        }

        /// Stores the image of a request.
        ///
        /// - Parameters:
        ///   - image: The image.
        ///   - request: The request.
        ///   - additionalIdentifier: The name of its processors. Default: none.
        public func add(_ image: Image, for request: Request, additionalIdentifier: String? = nil) {
            add(image, for: identifier(for: request, additionalIdentifier: additionalIdentifier))
        }

        /// The image of a request that is stored.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - additionalIdentifier: The name of its processors. Default: none.
        /// - Returns: The image; nil where there is none.
        public func image(for request: Request, additionalIdentifier: String? = nil) -> Image? {
            image(for: identifier(for: request, additionalIdentifier: additionalIdentifier))
        }

        /// Removes the image of a request.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - additionalIdentifier: The name of its processors. Default: none.
        /// - Returns: Whether there was one.
        @discardableResult
        public func remove(for request: Request, additionalIdentifier: String? = nil) -> Bool {
            remove(identifier(for: request, additionalIdentifier: additionalIdentifier))
        }
    }
#endif
