#if GTK
    public import Bluebonnet
    import CGtk4

    /// A `GtkProgressBar` that shows how far a task is.
    ///
    /// ```
    /// let task = session.downloadTask(for: request, to: .file(photo))
    /// ProgressBar(widget).setProgress(ofDownload: task)
    /// task.resume()
    /// ```
    ///
    /// While the length is not known, the bar pulses at each piece that comes. It changes at most
    /// ten times a second, or with each frame where it is animated. A value around the pointer to a
    /// widget; it keeps neither the widget nor the task.
    ///
    /// Counterpart of `UIProgressView+AFNetworking`.
    @safe @MainActor
    public struct ProgressBar {
        private let widget: WidgetPointer

        /// Makes a progress bar of a widget.
        ///
        /// - Parameter widget: A `GtkProgressBar`; anything else is a programming error.
        public init(_ widget: UnsafeMutableRawPointer) {
            unsafe self.widget = widget.assumingMemoryBound(to: GtkWidget.self)
            precondition(
                unsafe self.widget.is(a: gtk_progress_bar_get_type()),
                "A ProgressBar is made of a GtkProgressBar."
            )
        }

        /// Makes a progress bar of a widget.
        ///
        /// - Parameter widget: A `GtkProgressBar`; anything else is a programming error.
        public init(_ widget: OpaquePointer) {
            unsafe self.init(UnsafeMutableRawPointer(widget))
        }

        /// Shows how much of its request body a task has sent, until it is over.
        ///
        /// Counterpart of `setProgressWithUploadProgressOfTask:animated:`.
        ///
        /// - Parameters:
        ///   - task: The task, in place of an earlier one; nil to leave the bar as it is.
        ///   - isAnimated: Whether the bar moves to its new place, where the settings of GTK allow
        ///     animations. Default: false.
        public func setProgress(ofUpload task: (any SessionTask)?, animated isAnimated: Bool = false) {
            state.follow(task, isAnimated, \.upload)
        }

        /// Shows how much of the response body a task has received, until it is over.
        ///
        /// Counterpart of `setProgressWithDownloadProgressOfTask:animated:`.
        ///
        /// - Parameters:
        ///   - task: The task, in place of an earlier one; nil to leave the bar as it is.
        ///   - isAnimated: Whether the bar moves to its new place, where the settings of GTK allow
        ///     animations. Default: false.
        public func setProgress(ofDownload task: (any SessionTask)?, animated isAnimated: Bool = false) {
            state.follow(task, isAnimated, \.download)
        }

        private var state: ProgressBarState { unsafe WidgetState.state(of: widget, key: ProgressBarState.key) }
    }
#endif
