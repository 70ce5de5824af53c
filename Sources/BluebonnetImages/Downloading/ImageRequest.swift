#if Images
    public import Bluebonnet
    public import FoundationEssentials
    import HTTPTypes

    /// An image that is wanted: the request for it, and what is done with it.
    ///
    /// Counterpart of the `NSURLRequest` of `AFImageDownloader`.
    public struct ImageRequest: Sendable {
        /// The request. Its `cachePolicy` also says whether the images in memory are used; its
        /// `priority` is the one that the download has at first.
        public var request: Request

        /// What changes the decoded image, in this order. Default: nothing.
        public var processors: [ImageProcessor]

        /// The size in pixels into which the image is made to fit while it is decoded, which saves
        /// time and memory; nil for that of the downloader's decoder. Default: nil.
        public var targetSize: ImageSize?

        /// The name of the image, by which it is known in the cache and shares its transfer; nil
        /// for the URL. Default: nil.
        ///
        /// Set it where a part of the URL changes and the image does not, such as a token, and
        /// where one URL has several images, by the header fields of the request.
        public var cacheKey: String?

        /// Makes a request for an image.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - processors: What changes the decoded image. Default: nothing.
        ///   - targetSize: The size in pixels into which it is made to fit. Default: its own.
        public init(_ request: Request, processors: [ImageProcessor] = [], targetSize: ImageSize? = nil) {
            self.request = request
            self.processors = processors
            self.targetSize = targetSize
        }

        /// Makes a GET for an image, with `Accept: image/*`.
        ///
        /// - Parameters:
        ///   - url: The URL.
        ///   - processors: What changes the decoded image. Default: nothing.
        ///   - targetSize: The size in pixels into which it is made to fit. Default: its own.
        public init(url: URL, processors: [ImageProcessor] = [], targetSize: ImageSize? = nil) {
            self.init(
                Request(url: url, headerFields: [.accept: "image/*"]),
                processors: processors,
                targetSize: targetSize
            )
        }

        /// The name of what is done with the image; nil for nothing: the additional identifier in
        /// an ``ImageCache``.
        public var additionalIdentifier: String? {
            let names = [sizeIdentifier].compactMap(\.self) + processors.map(\.identifier)
            return names.isEmpty ? nil : names.joined(separator: " ")
        }

        var sizeIdentifier: String? { targetSize.map { "within(\($0.width)x\($0.height))" } }

        /// The name of the transfer.
        var transferKey: String {
            let name = cacheKey ?? request.url.absoluteString
            return request.method == .get ? name : "\(request.method.rawValue) \(name)"
        }

        /// The identifier in a cache.
        func identifier(in cache: any ImageCache, _ additional: String?) -> String {
            guard let cacheKey else { return cache.identifier(for: request, additionalIdentifier: additional) }
            return additional.map { "\(cacheKey) \($0)" } ?? cacheKey
        }

        /// Whether an image in memory may be used, as in AFNetworking: not by the policies that
        /// reload.
        var readsCache: Bool {
            switch request.properties.cachePolicy ?? .default {
            case .default, .forceCache, .onlyIfCached: request.method == .get
            case .noCache, .reload, .noStore: false
            }
        }

        /// Whether the image may be kept in memory.
        var writesCache: Bool { request.method == .get && request.properties.cachePolicy != .noStore }

        var urgency: Int { (request.properties.priority ?? .normal).urgency }
    }

    /// What a download of an image has brought.
    ///
    /// Counterpart of the arguments of the `success` block of `AFImageDownloader`.
    public struct DownloadedImage: Sendable {
        /// The image.
        public let image: Image

        /// The request that it was downloaded for.
        public let request: Request

        /// Status and header fields of the response; nil where the image was in memory.
        public let response: ResponseHead?
    }

    /// A download of an image that somebody waits for, with which it is cancelled or gets another
    /// priority.
    ///
    /// Counterpart of `AFImageDownloadReceipt`. (That one has the task, which others may share.)
    public struct ImageDownloadReceipt: Sendable, Hashable {
        /// A number that no other receipt of the process has.
        public let identifier: Int
    }
#endif
