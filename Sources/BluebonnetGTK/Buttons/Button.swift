#if GTK
    public import Bluebonnet
    public import BluebonnetImages
    import CGtk4
    public import FoundationEssentials

    /// A `GtkButton` that shows images of the network, one for each of its states.
    ///
    /// ```
    /// let widget = gtk_button_new()
    /// Button(widget).setImage(with: url, for: .normal)
    /// Button(widget).setImage(with: gray, for: .insensitive)
    /// ```
    ///
    /// The image is shown by the child of the button where that is a `GtkPicture` or a `GtkImage`;
    /// any other child, such as a label, is replaced by a `GtkPicture`. A state without an image
    /// has that of ``State/normal``.
    ///
    /// A value around the pointer to a widget; it does not keep the widget. The downloads are kept
    /// with the widget, and cancelled when it is destroyed.
    ///
    /// Counterpart of `UIButton+AFNetworking`.
    @safe @MainActor
    public struct Button {
        /// A state of a button, after the state flags of GTK.
        ///
        /// Counterpart of `UIControlState`.
        public enum State: Sendable, Hashable {
            /// None of the others; also the image of states that have none.
            case normal
            /// The pointer is over the button. UIKit has no such state.
            case prelight
            /// The button is pressed; `highlighted` in UIKit.
            case active
            /// The button cannot be used; `disabled` in UIKit.
            case insensitive
        }

        private let widget: WidgetPointer

        /// Makes a button of a widget.
        ///
        /// - Parameter widget: A `GtkButton`; anything else is a programming error.
        public init(_ widget: UnsafeMutableRawPointer) {
            unsafe self.widget = widget.assumingMemoryBound(to: GtkWidget.self)
            precondition(
                unsafe self.widget.is(a: gtk_button_get_type()),
                "A Button is made of a GtkButton."
            )
        }

        /// Makes a button of a widget.
        ///
        /// - Parameter widget: A `GtkButton`; anything else is a programming error.
        public init(_ widget: OpaquePointer) {
            unsafe self.init(UnsafeMutableRawPointer(widget))
        }

        var known: ButtonState? { unsafe WidgetState.known(of: widget, key: ButtonState.key) }

        var state: ButtonState { unsafe WidgetState.state(of: widget, key: ButtonState.key) }

        /// Whether the image of a state is under way.
        ///
        /// - Parameter state: The state. Default: ``State/normal``.
        /// - Returns: Whether it is.
        public func isDownloading(for state: State = .normal) -> Bool {
            known?.known(place(state))?.isActive ?? false
        }

        /// Shows an image in a state, and cancels its download.
        ///
        /// - Parameters:
        ///   - image: The image; nil for that of the normal state.
        ///   - state: The state. Default: ``State/normal``.
        public func setImage(_ image: Image?, for state: State = .normal) {
            let button = self.state
            button.known(place(state))?.cancel()
            button.show(image, nil, in: place(state))
        }

        /// Shows the image of a URL in a state, when it is here, by the rules of the function that
        /// takes a request.
        ///
        /// - Parameters:
        ///   - url: The URL, which is requested with `Accept: image/*`; nil for none.
        ///   - state: The state. Default: ``State/normal``.
        ///   - placeholder: The image until then. Default: what is shown stays.
        ///   - downloader: Downloads it. Default: that of ``Picture``.
        ///   - success: Called with the image, in place of showing it. Default: it is shown.
        ///   - failure: Called with the error. Default: nobody.
        ///
        /// Counterpart of `setImageForState:withURL:placeholderImage:`.
        public func setImage(
            with url: URL?,
            for state: State = .normal,
            placeholder: Image? = nil,
            downloader: ImageDownloader? = nil,
            success: (@MainActor (DownloadedImage) -> Void)? = nil,
            failure: (@MainActor (NetworkingError) -> Void)? = nil
        ) {
            setImage(
                with: url.map { ImageRequest(url: $0) },
                for: state,
                placeholder: placeholder,
                downloader: downloader,
                success: success,
                failure: failure
            )
        }

        /// Shows the image of a request in a state, when it is here, by the rules of ``Picture``.
        /// The downloads of several states do not replace one another.
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
        /// `setImageForState:withURLRequest:placeholderImage:success:failure:`.
        public func setImage(
            with request: ImageRequest?,
            for state: State = .normal,
            placeholder: Image? = nil,
            downloader: ImageDownloader? = nil,
            success: (@MainActor (DownloadedImage) -> Void)? = nil,
            failure: (@MainActor (NetworkingError) -> Void)? = nil
        ) {
            load(request, place(state), placeholder, downloader, success, failure)
        }

        /// Cancels the image of a state that is under way, and leaves what is shown. Its closures
        /// are not called.
        ///
        /// Counterpart of `cancelImageDownloadTaskForState:`.
        ///
        /// - Parameter state: The state. Default: ``State/normal``.
        public func cancelImageDownload(for state: State = .normal) {
            known?.known(place(state))?.cancel()
        }

        private func place(_ state: State) -> ButtonState.Place {
            ButtonState.Place(layer: .image, state: state)
        }

        /// Shows the image of a request in a place, when it is here.
        func load(
            _ request: ImageRequest?,
            _ place: ButtonState.Place,
            _ placeholder: Image?,
            _ downloader: ImageDownloader?,
            _ success: (@MainActor (DownloadedImage) -> Void)?,
            _ failure: (@MainActor (NetworkingError) -> Void)?
        ) {
            let button = state
            button.load(of: place).load(
                request,
                from: downloader ?? Picture.sharedImageDownloader,
                ImageLoad.Actions(
                    placeholder: placeholder,
                    show: { [weak button] image, texture in button?.show(image, texture, in: place) },
                    progress: nil,
                    success: success,
                    failure: failure
                )
            )
        }
    }
#endif
