#if Images
    package import Bluebonnet

    /// What the widgets of BluebonnetGTK need: images that are handed over where they were decoded,
    /// so that they can be made ready there.
    extension ImageDownloader {
        /// The image in memory, as a download without a response; nil where there is none.
        package func cachedDownload(for request: ImageRequest) -> DownloadedImage? {
            core.cached(request).map { DownloadedImage(image: $0, request: request.request, response: nil) }
        }

        /// Downloads an image that is not in memory.
        ///
        /// - Parameters:
        ///   - request: The image.
        ///   - progress: Called as the transfer goes on, on no particular thread.
        ///   - part: Called with parts of the image, on no particular thread.
        ///   - complete: Called once, on no particular thread, which it must not block for long.
        /// - Returns: The receipt.
        package func begin(
            _ request: ImageRequest,
            progress: (@Sendable (TaskProgress) -> Void)?,
            part: (@Sendable (Image) -> Void)?,
            whenComplete complete: @escaping @Sendable (Result<DownloadedImage, NetworkingError>) -> Void
        ) -> ImageDownloadReceipt {
            let receipt = Self.newReceipt()
            core.add(receipt, Handler(request: request, progress: progress, part: part, complete: complete))
            return ImageDownloadReceipt(identifier: receipt)
        }
    }
#endif
