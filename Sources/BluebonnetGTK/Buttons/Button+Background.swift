#if GTK
    public import Bluebonnet
    public import BluebonnetImages
    public import FoundationEssentials

    /// Images behind the image or the label of a button, stretched to its size.
    ///
    /// The child of the button is a `GtkOverlay` of both from then on.
    extension Button {
        /// Shows a background in a state, and cancels its download.
        ///
        /// - Parameters:
        ///   - image: The image; nil for that of the normal state.
        ///   - state: The state. Default: ``State/normal``.
        public func setBackgroundImage(_ image: Image?, for state: State = .normal) {
            let (button, place) = (self.state, background(state))
            button.known(place)?.cancel()
            button.show(image, nil, in: place)
        }

        /// Shows the image of a URL as the background in a state, when it is here, by the rules of
        /// the function that takes a request.
        ///
        /// - Parameters:
        ///   - url: The URL, which is requested with `Accept: image/*`; nil for none.
        ///   - state: The state. Default: ``State/normal``.
        ///   - placeholder: The image until then. Default: what is shown stays.
        ///   - downloader: Downloads it. Default: that of ``Picture``.
        ///   - success: Called with the image, in place of showing it. Default: it is shown.
        ///   - failure: Called with the error. Default: nobody.
        ///
        /// Counterpart of `setBackgroundImageForState:withURL:placeholderImage:`.
        public func setBackgroundImage(
            with url: URL?,
            for state: State = .normal,
            placeholder: Image? = nil,
            downloader: ImageDownloader? = nil,
            success: (@MainActor (DownloadedImage) -> Void)? = nil,
            failure: (@MainActor (NetworkingError) -> Void)? = nil
        ) {
            setBackgroundImage(
                with: url.map { ImageRequest(url: $0) },
                for: state,
                placeholder: placeholder,
                downloader: downloader,
                success: success,
                failure: failure
            )
        }

        /// Shows the image of a request as the background in a state, when it is here, by the rules
        /// of ``Picture``.
        ///
        /// - Parameters:
        ///   - request: The image; nil for none: then the placeholder is shown, or that of the
        ///     normal state, and `failure` gets an error with the code `invalidURL`.
        ///   - state: The state. Default: ``State/normal``.
        ///   - placeholder: The image until then. Default: what is shown stays.
        ///   - downloader: Downloads it. Default: that of ``Picture``.
        ///   - success: Called with the image, in place of showing it. Default: it is shown.
        ///   - failure: Called with the error. Default: nobody.
        ///
        /// Counterpart of
        /// `setBackgroundImageForState:withURLRequest:placeholderImage:success:failure:`.
        public func setBackgroundImage(
            with request: ImageRequest?,
            for state: State = .normal,
            placeholder: Image? = nil,
            downloader: ImageDownloader? = nil,
            success: (@MainActor (DownloadedImage) -> Void)? = nil,
            failure: (@MainActor (NetworkingError) -> Void)? = nil
        ) {
            load(request, background(state), placeholder, downloader, success, failure)
        }

        /// Cancels the background of a state that is under way, and leaves what is shown. Its
        /// closures are not called.
        ///
        /// Counterpart of `cancelBackgroundImageDownloadTaskForState:`.
        ///
        /// - Parameter state: The state. Default: ``State/normal``.
        public func cancelBackgroundImageDownload(for state: State = .normal) {
            known?.known(background(state))?.cancel()
        }

        private func background(_ state: State) -> ButtonState.Place {
            ButtonState.Place(layer: .background, state: state)
        }
    }
#endif
