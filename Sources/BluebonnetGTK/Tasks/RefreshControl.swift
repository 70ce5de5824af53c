#if GTK
    public import Bluebonnet
    import CGtk4

    /// A widget that starts a refresh, such as a button, and shows that one is under way.
    ///
    /// While its task runs, the widget cannot be used, and a `GtkButton` has a spinner in place of
    /// its label or icon:
    ///
    /// ```
    /// let task = session.dataTask(for: request)
    /// RefreshControl(button).setRefreshing(withStateOf: task)
    /// task.resume()
    /// ```
    ///
    /// A value around the pointer to a widget; it keeps neither the widget nor the task.
    ///
    /// Counterpart of `UIRefreshControl+AFNetworking`.
    @safe @MainActor
    public struct RefreshControl {
        private let widget: WidgetPointer

        /// Makes a refresh control of a widget.
        ///
        /// - Parameter widget: A `GtkWidget`; anything else is a programming error.
        public init(_ widget: UnsafeMutableRawPointer) {
            unsafe self.widget = widget.assumingMemoryBound(to: GtkWidget.self)
            precondition(
                unsafe self.widget.is(a: gtk_widget_get_type()),
                "A RefreshControl is made of a GtkWidget."
            )
        }

        /// Makes a refresh control of a widget.
        ///
        /// - Parameter widget: A `GtkWidget`; anything else is a programming error.
        public init(_ widget: OpaquePointer) {
            unsafe self.init(UnsafeMutableRawPointer(widget))
        }

        /// Whether the task is under way.
        public var isRefreshing: Bool {
            let state: RefreshState? = unsafe WidgetState.known(of: widget, key: RefreshState.key)
            return state?.isRefreshing ?? false
        }

        /// Shows that a refresh is under way while the task runs: from now on or from its start,
        /// not while it is suspended, and until it is over.
        ///
        /// Counterpart of `setRefreshingWithStateOfTask:`, which forgets a task that does not run.
        ///
        /// - Parameters:
        ///   - task: The task, in place of an earlier one; nil for none.
        ///   - onChange: Called with whether a refresh is under way, at each change. Default:
        ///     nobody.
        public func setRefreshing(
            withStateOf task: (any SessionTask)?,
            onChange: (@MainActor (_ isRefreshing: Bool) -> Void)? = nil
        ) {
            let state: RefreshState = unsafe WidgetState.state(of: widget, key: RefreshState.key)
            state.follow(task, onChange)
        }
    }
#endif
