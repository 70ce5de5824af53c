#if Images
    public import Bluebonnet
    public import Dispatch
    public import FoundationEssentials
    import Synchronization

    /// Downloads images, a few at a time, each once, and keeps them in memory.
    ///
    /// ```
    /// let downloader = ImageDownloader()
    /// let image = try await downloader.image(from: url)
    /// ```
    ///
    /// Requests for the same URL share one transfer, whatever their other fields are; each gets its
    /// image. Who cancels gets an error with the code `cancelled`, and the transfer goes on for the
    /// others; nobody's transfer is stopped. What one that was stopped or cut has received is
    /// continued, by a retry of the session or by the next request, where the server can do that.
    ///
    /// Images in memory are found in ``cache``. The session has a cache of its own, for responses
    /// as they came: ``sessionConfiguration``.
    ///
    /// Keep the downloader until its images are here: when it is released, those who wait get an
    /// error with the code `cancelled`.
    ///
    /// Counterpart of `AFImageDownloader`.
    public final class ImageDownloader: Sendable {
        /// The order in which downloads begin that wait for a place.
        ///
        /// Counterpart of `AFImageDownloadPrioritization`.
        public enum Prioritization: Sendable, Hashable {
            /// The one that has waited longest comes first.
            case firstInFirstOut
            /// The newest one comes first: for lists that are scrolled.
            case lastInFirstOut
        }

        /// The settings of a downloader.
        ///
        /// Counterpart of the properties of `AFImageDownloader`.
        public struct Configuration: Sendable {
            /// The most transfers at the same time; less than 1 counts as 1. Default: 4.
            public var maximumActiveDownloads = 4

            /// The order in which downloads of the same urgency begin. Default: first in, first
            /// out.
            public var prioritization = Prioritization.firstInFirstOut

            /// The decoder. Default: the default one.
            public var decoder = ImageDecoder()

            /// The responses that are accepted. Default: 2xx with a media type of images.
            public var validation = ResponseValidation.image

            /// The bytes of unfinished images that are kept to be continued; 0 for none. Default:
            /// 32 MiB.
            public var maximumPartialBytes = 32 << 20

            /// The queue of closures. Default: the main queue, which a program without an
            /// application's main loop must run itself.
            public var completionQueue = DispatchQueue.main

            /// Makes the default settings.
            public init() {}
        }

        /// A downloader with the default settings, for the whole process.
        ///
        /// Counterpart of `defaultInstance`.
        public static let shared = ImageDownloader()

        /// The configuration of the default session: a cache of responses in memory, 20 MiB, and
        /// bodies of at most 256 MiB.
        ///
        /// A `DiskCacheStore` of BluebonnetStores in its place keeps them on the disk, 150 MiB:
        /// these are the sizes of the `NSURLCache` of `AFImageDownloader`.
        public static var sessionConfiguration: SessionConfiguration {
            var configuration = SessionConfiguration()
            configuration.cache = HTTPCache(store: MemoryCacheStore(capacity: 20 << 20))
            configuration.limits.bodyInMemory = 256 << 20
            return configuration
        }

        private static let lastReceipt = Atomic(0)

        /// The settings.
        public let configuration: Configuration

        /// The session that sends the requests.
        public var session: SessionManager { core.session }

        /// The decoded images in memory; nil for none.
        public var cache: (any ImageCache)? { core.cache }

        let core: Core

        /// Makes a downloader.
        ///
        /// - Parameters:
        ///   - session: The session that sends the requests. Default: one of its own, with
        ///     ``sessionConfiguration``.
        ///   - cache: The decoded images in memory; nil for none. Default: 100 MiB.
        ///   - configuration: The settings. Default: the default ones.
        public convenience init(
            session: SessionManager? = nil,
            cache: (any ImageCache)? = AutoPurgingImageCache(),
            configuration: Configuration = Configuration()
        ) {
            let decoder = configuration.decoder
            self.init(session: session, cache: cache, configuration: configuration) {
                data,
                size throws(ImageDecodingError) in
                var decoder = decoder
                decoder.targetSize = size ?? decoder.targetSize
                return try await decoder.image(from: data)
            }
        }

        init(
            session: SessionManager?,
            cache: (any ImageCache)?,
            configuration: Configuration,
            decode: @escaping Decode
        ) {
            self.configuration = configuration
            core = Core(
                session: session ?? SessionManager(configuration: Self.sessionConfiguration),
                cache: cache,
                configuration: configuration,
                decode: decode
            )
        }

        deinit {
            core.end()
        }

        /// The number of downloads that somebody waits for.
        public var receiptCount: Int { core.counts.receipts }

        /// The number of transfers under way, never more than the limit.
        public var activeCount: Int { core.counts.running }

        // MARK: Awaited

        /// An image, of the memory or the network. Cancelling the Swift task cancels the download
        /// for this caller.
        ///
        /// - Parameters:
        ///   - request: The image.
        ///   - progress: Called as the transfer goes on, on no particular thread, which it must not
        ///     block; never where the image is in memory. Default: nobody.
        ///   - part: Called with parts of the image while it comes, as those of a
        ///     ``ProgressiveImageDecoder``, made smaller and processed as is wanted; on no
        ///     particular thread. There are none where the image is in memory, where the transfer
        ///     was begun for others who want none, or goes on after a cut, where the session may send
        ///     the request again, and where the validation of the downloader has rules: the last two
        ///     need the whole body. Default: nobody.
        /// - Returns: The image.
        /// - Throws: `NetworkingError`: what the request failed with; `responseSerializationFailed`
        ///   where the image cannot be decoded, with an ``ImageDecodingError`` below it, or not be
        ///   processed; `cancelled` where the Swift task was cancelled or the downloader released.
        public func image(
            for request: ImageRequest,
            progress: (@Sendable (TaskProgress) -> Void)? = nil,
            part: (@Sendable (Image) -> Void)? = nil
        ) async throws(NetworkingError) -> Image {
            if let image = core.cached(request) { return image }
            let receipt = Self.newReceipt()
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    core.add(
                        receipt,
                        Handler(request: request, progress: progress, part: part) {
                            continuation.resume(returning: $0)
                        }
                    )
                    // One that was cancelled before it was there.
                    if Task.isCancelled { core.cancel(receipt) }
                }
            } onCancel: {
                core.cancel(receipt)
            }
            return try outcome.get().image
        }

        /// An image, of the memory or the network; see ``image(for:progress:part:)``.
        ///
        /// - Parameters:
        ///   - url: Its URL.
        ///   - processors: What changes the decoded image. Default: nothing.
        ///   - targetSize: The size in pixels into which it is made to fit. Default: its own.
        /// - Returns: The image.
        /// - Throws: `NetworkingError`; see ``image(for:progress:part:)``.
        public func image(
            from url: URL,
            processors: [ImageProcessor] = [],
            targetSize: ImageSize? = nil
        ) async throws(NetworkingError) -> Image {
            try await image(for: ImageRequest(url: url, processors: processors, targetSize: targetSize))
        }

        /// The image in memory; nil where there is none, or the policy of the request does not
        /// allow it.
        ///
        /// - Parameter request: The image.
        /// - Returns: The image as it is wanted.
        public func cachedImage(for request: ImageRequest) -> Image? { core.cached(request) }

        // MARK: With closures

        /// Downloads an image. An image in memory is handed over at once, without a receipt. One of
        /// the closures is called, once, on the completion queue.
        ///
        /// Counterpart of `downloadImageForURLRequest:success:failure:`.
        ///
        /// - Parameters:
        ///   - request: The image.
        ///   - progress: Called on the completion queue as the transfer goes on. Default: nobody.
        ///   - part: Called on the completion queue with parts of the image while it comes; see
        ///     ``image(for:progress:part:)``. Default: nobody.
        ///   - success: Called with the image.
        ///   - failure: Called with the error. Default: nobody.
        /// - Returns: The receipt; nil where the image is in memory.
        @discardableResult
        public func downloadImage(
            for request: ImageRequest,
            progress: (@Sendable (TaskProgress) -> Void)? = nil,
            part: (@Sendable (Image) -> Void)? = nil,
            success: (@Sendable (DownloadedImage) -> Void)?,
            failure: (@Sendable (NetworkingError) -> Void)? = nil
        ) -> ImageDownloadReceipt? {
            let queue = configuration.completionQueue
            if let image = core.cached(request) {
                let found = DownloadedImage(image: image, request: request.request, response: nil)
                queue.async { success?(found) }
                return nil
            }
            let receipt = Self.newReceipt()
            let tell = progress.map { progress -> @Sendable (TaskProgress) -> Void in
                { value in queue.async { progress(value) } }
            }
            let show = part.map { part -> @Sendable (Image) -> Void in
                { image in queue.async { part(image) } }
            }
            core.add(
                receipt,
                Handler(request: request, progress: tell, part: show) { outcome in
                    queue.async {
                        switch outcome {
                        case .success(let image): success?(image)
                        case .failure(let error): failure?(error)
                        }
                    }
                }
            )
            return ImageDownloadReceipt(identifier: receipt)
        }

        /// Cancels a download for the one who has the receipt, whose failure closure gets an error
        /// with the code `cancelled`. Has no effect on one that is over.
        ///
        /// Counterpart of `cancelTaskForImageDownloadReceipt:`.
        ///
        /// - Parameter receipt: The result of
        ///   ``downloadImage(for:progress:part:success:failure:)``.
        public func cancel(_ receipt: ImageDownloadReceipt) {
            core.cancel(receipt.identifier)
        }

        /// Changes the priority of a download, also of one under way. A transfer has that of the
        /// most urgent one who waits for it.
        ///
        /// - Parameters:
        ///   - priority: The new priority; its urgency counts.
        ///   - receipt: What ``downloadImage(for:progress:part:success:failure:)`` has returned.
        public func setPriority(_ priority: RequestPriority, of receipt: ImageDownloadReceipt) {
            core.setPriority(priority, of: receipt.identifier)
        }

        // MARK: Before they are wanted

        /// Downloads images that may be wanted soon into the ``cache``, behind all that are wanted
        /// now. An image that is asked for meanwhile gets the priority of who asks. Errors are told
        /// to nobody.
        ///
        /// - Parameter requests: The images; those in memory are left out.
        /// - Returns: What cancels it.
        @discardableResult
        public func prefetch(_ requests: [ImageRequest]) -> ImagePrefetch {
            let wanted = requests.filter { core.cached($0) == nil }
            let receipts = wanted.map { _ in Self.newReceipt() }
            let prefetch = ImagePrefetch(core, receipts)
            for (receipt, request) in zip(receipts, wanted) {
                var request = request
                request.request.properties.priority = .background
                core.add(receipt, Handler(request: request, progress: nil, part: nil) { _ in prefetch.ended(receipt) })
            }
            return prefetch
        }

        static func newReceipt() -> Int { lastReceipt.add(1, ordering: .relaxed).newValue }
    }
#endif
