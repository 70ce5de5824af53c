#if GTK
    public import Bluebonnet
    import CGtk4

    /// A `GtkSpinner` that spins while a task is under way.
    ///
    /// ```
    /// let task = session.dataTask(for: request)
    /// Spinner(widget).setSpinning(withStateOf: task)
    /// task.resume()
    /// ```
    ///
    /// A value around the pointer to a widget; it does not keep the widget. The task is not kept
    /// either.
    ///
    /// Counterpart of `UIActivityIndicatorView+AFNetworking`.
    @safe @MainActor
    public struct Spinner {
        private let widget: WidgetPointer

        /// Makes a spinner of a widget.
        ///
        /// - Parameter widget: A `GtkSpinner`; anything else is a programming error.
        public init(_ widget: UnsafeMutableRawPointer) {
            unsafe self.widget = widget.assumingMemoryBound(to: GtkWidget.self)
            precondition(
                unsafe self.widget.is(a: gtk_spinner_get_type()),
                "A Spinner is made of a GtkSpinner."
            )
        }

        /// Makes a spinner of a widget.
        ///
        /// - Parameter widget: A `GtkSpinner`; anything else is a programming error.
        public init(_ widget: OpaquePointer) {
            unsafe self.init(UnsafeMutableRawPointer(widget))
        }

        /// Spins while the task runs: from now on or from its start, not while it is suspended, and
        /// until it is over.
        ///
        /// Counterpart of `setAnimatingWithStateOfTask:`.
        ///
        /// - Parameter task: The task, in place of an earlier one; nil to stop.
        public func setSpinning(withStateOf task: (any SessionTask)?) {
            let state: SpinnerState = unsafe WidgetState.state(of: widget, key: SpinnerState.key)
            state.follow(task)
        }
    }
#endif
