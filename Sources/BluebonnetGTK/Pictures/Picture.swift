#if GTK
    public import Bluebonnet
    public import BluebonnetImages
    import CGtk4
    public import FoundationEssentials

    /// A `GtkPicture` or a `GtkImage` that shows images of the network.
    ///
    /// ```
    /// let widget = gtk_picture_new()
    /// Picture(widget).setImage(with: url, placeholder: gray)
    /// ```
    ///
    /// A value around the pointer to a widget, from whatever binding; it does not keep the widget.
    /// The download is kept with the widget: another `Picture` of it sees the same one, a new image
    /// replaces it, and it is cancelled when the widget is destroyed. Until then, what was asked
    /// for last is what is shown, in whatever order the images arrive: a widget of a list can be
    /// used again for another row.
    ///
    /// The frames of an animation are shown while the widget is on the screen. A `GtkImage` shows
    /// everything in the size of icons, unless its pixel size is set.
    ///
    /// Counterpart of `UIImageView+AFNetworking`.
    @safe @MainActor
    public struct Picture {
        /// Downloads the images of pictures and buttons. Default: `ImageDownloader.shared`.
        ///
        /// Counterpart of `sharedImageDownloader`.
        public static var sharedImageDownloader: ImageDownloader = .shared

        private let widget: WidgetPointer

        /// Makes a picture of a widget.
        ///
        /// - Parameter widget: A `GtkPicture` or a `GtkImage`; anything else is a programming
        ///   error.
        public init(_ widget: UnsafeMutableRawPointer) {
            unsafe self.widget = widget.assumingMemoryBound(to: GtkWidget.self)
            precondition(
                unsafe self.widget.isPicture || self.widget.is(a: gtk_image_get_type()),
                "A Picture is made of a GtkPicture or a GtkImage."
            )
        }

        /// Makes a picture of a widget.
        ///
        /// - Parameter widget: A `GtkPicture` or a `GtkImage`; anything else is a programming
        ///   error.
        public init(_ widget: OpaquePointer) {
            unsafe self.init(UnsafeMutableRawPointer(widget))
        }

        private var state: PictureState { unsafe WidgetState.state(of: widget, key: PictureState.key) }

        /// Whether an image is under way.
        public var isDownloading: Bool {
            let state: PictureState? = unsafe WidgetState.known(of: widget, key: PictureState.key)
            return state?.load.isActive ?? false
        }

        /// The size of the widget in pixels of the screen; before it has one, the size that it
        /// requests, and nil where it requests none.
        ///
        /// With it as the `targetSize` of an `ImageRequest`, an image is decoded no larger than it
        /// is shown. (An image that is to cover the widget needs more.)
        public var pixelSize: ImageSize? {
            let scale = unsafe Int(gtk_widget_get_scale_factor(widget))
            var (width, height) = unsafe (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
            if width <= 0 || height <= 0 { unsafe gtk_widget_get_size_request(widget, &width, &height) }
            guard width > 0, height > 0 else { return nil }
            return ImageSize(width: Int(width) * scale, height: Int(height) * scale)
        }

        // MARK: Images

        /// Shows an image, and cancels the download.
        ///
        /// - Parameter image: The image; nil for none.
        public func setImage(_ image: Image?) {
            let state = state
            state.load.cancel()
            state.show(image)
        }

        /// Shows the image of a URL, which is requested with `Accept: image/*`, by the rules of
        /// ``setImage(with:placeholder:showsParts:downloader:progress:success:failure:)``.
        ///
        /// - Parameters:
        ///   - url: The URL; nil for none.
        ///   - placeholder: The image until then. Default: what is shown stays.
        ///   - fitsWidget: Whether the image is decoded no larger than ``pixelSize``, where it has
        ///     one. Default: false.
        ///   - showsParts: Whether the part of the image that is there is shown while the rest
        ///     comes. Default: false.
        ///   - downloader: Downloads it. Default: ``sharedImageDownloader``.
        ///   - progress: Called as the transfer goes on. Default: nobody.
        ///   - success: Called with the image, in place of showing it. Default: it is shown.
        ///   - failure: Called with the error. Default: nobody.
        ///
        /// Counterpart of `setImageWithURL:placeholderImage:`.
        public func setImage(
            with url: URL?,
            placeholder: Image? = nil,
            fitsWidget: Bool = false,
            showsParts: Bool = false,
            downloader: ImageDownloader? = nil,
            progress: (@MainActor (TaskProgress) -> Void)? = nil,
            success: (@MainActor (DownloadedImage) -> Void)? = nil,
            failure: (@MainActor (NetworkingError) -> Void)? = nil
        ) {
            setImage(
                with: url.map { ImageRequest(url: $0, targetSize: fitsWidget ? pixelSize : nil) },
                placeholder: placeholder,
                showsParts: showsParts,
                downloader: downloader,
                progress: progress,
                success: success,
                failure: failure
            )
        }

        /// Shows the image of a request, when it is here.
        ///
        /// An image in memory is shown before the call returns, without the placeholder. Where the
        /// same image is under way, the call has no effect, and its closures are not called. An
        /// image of another request is cancelled, and none of its closures is called any more.
        ///
        /// - Parameters:
        ///   - request: The image; nil for none: then the placeholder is shown, or nothing, and
        ///     `failure` gets an error with the code `invalidURL`.
        ///   - placeholder: The image until then. Default: what is shown stays.
        ///   - showsParts: Whether the part of the image that is there is shown while the rest
        ///     comes, in place of the placeholder; not with `success`. PNG, JPEG, GIF and BMP have
        ///     parts, see `ProgressiveImageDecoder`. After a failure, the part stays. Default:
        ///     false.
        ///   - downloader: Downloads it. Default: ``sharedImageDownloader``.
        ///   - progress: Called as the transfer goes on. Default: nobody.
        ///   - success: Called with the image, in place of showing it. Default: it is shown.
        ///   - failure: Called with the error. Default: nobody.
        ///
        /// Counterpart of `setImageWithURLRequest:placeholderImage:success:failure:`, which shows
        /// images in memory even where the policy of the request is to reload.
        public func setImage(
            with request: ImageRequest?,
            placeholder: Image? = nil,
            showsParts: Bool = false,
            downloader: ImageDownloader? = nil,
            progress: (@MainActor (TaskProgress) -> Void)? = nil,
            success: (@MainActor (DownloadedImage) -> Void)? = nil,
            failure: (@MainActor (NetworkingError) -> Void)? = nil
        ) {
            let state = state
            state.load.load(
                request,
                from: downloader ?? Self.sharedImageDownloader,
                ImageLoad.Actions(
                    placeholder: placeholder,
                    show: { [weak state] in state?.show($0, $1) },
                    showsParts: showsParts,
                    progress: progress,
                    success: success,
                    failure: failure
                )
            )
        }

        /// Cancels the image that is under way, and leaves what is shown. Its closures are not
        /// called.
        ///
        /// Counterpart of `cancelImageDownloadTask`.
        public func cancelImageDownload() {
            let state: PictureState? = unsafe WidgetState.known(of: widget, key: PictureState.key)
            state?.load.cancel()
        }
    }
#endif
