#if GTK
    import Bluebonnet
    import BluebonnetImages
    import Dispatch

    /// The image that a widget waits for, at most one: of one that was replaced or cancelled
    /// nothing is heard any more.
    @MainActor
    final class ImageLoad {
        /// An image that has arrived, with its texture where one was wanted.
        struct Arrival: Sendable {
            let download: DownloadedImage
            let texture: Texture?
        }

        /// What is done with an image.
        struct Actions {
            /// Shown until the image is here; nil for what is there.
            let placeholder: Image?
            /// Shows an image, or nothing, with the texture of its first frame where there is one.
            let show: @MainActor (Image?, Texture?) -> Void
            /// Whether parts of the image are shown while it comes.
            var showsParts = false
            let progress: (@MainActor (TaskProgress) -> Void)?
            /// Takes the place of showing the image.
            let success: (@MainActor (DownloadedImage) -> Void)?
            let failure: (@MainActor (NetworkingError) -> Void)?

            @MainActor func finish(_ result: Result<Arrival, NetworkingError>) {
                switch result {
                case .success(let arrival):
                    guard let success else { return show(arrival.download.image, arrival.texture) }
                    success(arrival.download)
                case .failure(let error):
                    failure?(error)
                }
            }
        }

        private struct Active {
            let request: ImageRequest
            let downloader: ImageDownloader
            let receipt: ImageDownloadReceipt
            let actions: Actions
        }

        private var active: Active?
        /// The number of the newest download: what comes of another one is stale.
        private var number = 0

        /// Whether it waits for an image.
        var isActive: Bool { active != nil }

        /// Shows the image of a request, at once or when it is here, in place of another one.
        func load(_ request: ImageRequest?, from downloader: ImageDownloader, _ actions: Actions) {
            guard let request else {
                cancel()
                actions.show(actions.placeholder, nil)
                actions.failure?(NetworkingError(.invalidURL, "There is no URL of an image to be shown."))
                return
            }
            guard !isActive(for: request) else { return }
            cancel()
            if let found = downloader.cachedDownload(for: request) {
                return actions.finish(.success(Arrival(download: found, texture: nil)))
            }
            if let placeholder = actions.placeholder { actions.show(placeholder, nil) }
            begin(request, from: downloader, actions)
        }

        /// Whether it waits for the image of a request already.
        private func isActive(for request: ImageRequest) -> Bool {
            guard let known = active?.request else { return false }
            return known.request.url == request.request.url && known.cacheKey == request.cacheKey
                && known.additionalIdentifier == request.additionalIdentifier
        }

        private func begin(_ request: ImageRequest, from downloader: ImageDownloader, _ actions: Actions) {
            let (number, wantsTexture) = (number, actions.success == nil)
            let tell: @Sendable (TaskProgress) -> Void = { [weak self] step in
                self?.onMain(number) { load, active in active.actions.progress?(step) }
            }
            let show: @Sendable (Image) -> Void = { [weak self] part in
                let texture = Texture(part.bitmap)
                self?.onMain(number) { _, active in active.actions.show(part, texture) }
            }
            let receipt = downloader.begin(
                request,
                progress: actions.progress == nil ? nil : tell,
                part: actions.showsParts && wantsTexture ? show : nil
            ) { [weak self] outcome in
                // Here, and not on the main thread: copying the pixels takes time.
                let result = outcome.map { download in
                    Arrival(download: download, texture: wantsTexture ? Texture(download.image.bitmap) : nil)
                }
                self?.onMain(number) { load, active in
                    load.active = nil
                    active.actions.finish(result)
                }
            }
            active = Active(request: request, downloader: downloader, receipt: receipt, actions: actions)
        }

        /// Waits for no image any more.
        func cancel() {
            number += 1
            guard let active else { return }
            self.active = nil
            active.downloader.cancel(active.receipt)
        }

        /// Calls the closure on the main thread with the download of a number, unless it is stale.
        nonisolated private func onMain(
            _ number: Int,
            _ body: @escaping @MainActor (ImageLoad, Active) -> Void
        ) {
            DispatchQueue.main.async { [weak self] in
                MainActor.assumeIsolated {
                    guard let self, self.number == number, let active = self.active else { return }
                    body(self, active)
                }
            }
        }
    }
#endif
