#if GTK
    public import Bluebonnet
    import CGtk4

    /// A widget that is shown while the network is used, such as a spinner in the header of a
    /// window.
    ///
    /// ```
    /// let monitor = NetworkActivityMonitor()
    /// monitor.observe(session)
    /// ActivityIndicator(spinner).follow(monitor)
    /// ```
    ///
    /// A value around the pointer to a widget; it does not keep the widget.
    ///
    /// Counterpart of the indicator of `AFNetworkActivityIndicatorManager`.
    @safe @MainActor
    public struct ActivityIndicator {
        private let widget: WidgetPointer

        /// Makes an activity indicator of a widget.
        ///
        /// - Parameter widget: A `GtkWidget`; anything else is a programming error.
        public init(_ widget: UnsafeMutableRawPointer) {
            unsafe self.widget = widget.assumingMemoryBound(to: GtkWidget.self)
            precondition(
                unsafe self.widget.is(a: gtk_widget_get_type()),
                "An ActivityIndicator is made of a GtkWidget."
            )
        }

        /// Makes an activity indicator of a widget.
        ///
        /// - Parameter widget: A `GtkWidget`; anything else is a programming error.
        public init(_ widget: OpaquePointer) {
            unsafe self.init(UnsafeMutableRawPointer(widget))
        }

        /// Shows the widget while a monitor says so, and hides it otherwise. A `GtkSpinner` also
        /// spins while it is shown.
        ///
        /// - Parameter monitor: The monitor, which the widget keeps, in place of an earlier one;
        ///   nil for none, and the widget is hidden.
        public func follow(_ monitor: NetworkActivityMonitor?) {
            let state: ActivityState = unsafe WidgetState.state(of: widget, key: ActivityState.key)
            state.follow(monitor)
        }
    }

    /// The state of a widget that is shown while the network is used.
    @MainActor
    final class ActivityState: WidgetState {
        static let key = unsafe g_quark_from_static_string("bluebonnet-activity")

        private let following = Following()
        private var monitor: NetworkActivityMonitor?

        override func stop() {
            following.stop()
            monitor = nil
        }

        func follow(_ monitor: NetworkActivityMonitor?) {
            stop()
            self.monitor = monitor
            guard let monitor else { return show(false) }
            // The changes first: what comes meanwhile is not missed.
            let changes = monitor.changes
            show(monitor.isActive)
            following.follow(changes, each: { [weak self] in self?.show($0) })
        }

        private func show(_ isActive: Bool) {
            guard let widget = unsafe widget else { return }
            unsafe gtk_widget_set_visible(widget, isActive ? 1 : 0)
            if unsafe widget.is(a: gtk_spinner_get_type()) {
                unsafe gtk_spinner_set_spinning(OpaquePointer(widget), isActive ? 1 : 0)
            }
        }
    }
#endif
