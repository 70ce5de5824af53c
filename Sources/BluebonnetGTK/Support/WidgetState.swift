#if GTK
    import CGtk4

    /// A pointer to a widget.
    typealias WidgetPointer = UnsafeMutablePointer<GtkWidget>

    /// What is kept with a widget, by the widget: two wrappers of one widget have the same state,
    /// which ends with the widget.
    @safe @MainActor
    class WidgetState {
        /// The widget; nil once it is gone.
        private(set) final var widget: WidgetPointer?

        /// Makes the state of a widget, which has none of this kind yet.
        required init(_ widget: WidgetPointer) {
            unsafe self.widget = widget
        }

        /// Stops everything that goes on for the widget, which is destroyed: taken out of its
        /// window for good. It may be called again. Subclasses override it.
        func stop() {}

        // MARK: With the widget

        /// The state of a kind that a widget has, which is made when it has none.
        ///
        /// - Parameters:
        ///   - widget: The widget.
        ///   - key: The name of the kind.
        /// - Returns: The state.
        static func state<State: WidgetState>(of widget: WidgetPointer, key: GQuark) -> State {
            if let known: State = unsafe known(of: widget, key: key) { return known }
            let state = unsafe State(widget)
            let pointer = unsafe Unmanaged<WidgetState>.passRetained(state).toOpaque()
            unsafe g_object_set_qdata_full(object(widget), key, pointer, widgetIsGone)
            unsafe state.connect("destroy", widgetIsDestroyed)
            return state
        }

        /// The state of a kind that a widget has; nil when it has none.
        static func known<State: WidgetState>(of widget: WidgetPointer, key: GQuark) -> State? {
            guard let pointer = unsafe g_object_get_qdata(object(widget), key) else { return nil }
            return unsafe Unmanaged<WidgetState>.fromOpaque(pointer).takeUnretainedValue() as? State
        }

        /// Calls a function of C when a signal comes, with the state as its last argument.
        ///
        /// The connection ends with the widget, before the state does. C has one type for the
        /// functions of all signals, which is why the handlers are cast here.
        final func connect(_ signal: String, _ handler: @convention(c) (gpointer?, gpointer?) -> Void) {
            unsafe connect(signal, unsafeBitCast(handler, to: GCallback.self))
        }

        /// Calls a function of C for a signal with one argument.
        final func connect(
            _ signal: String,
            _ handler: @convention(c) (gpointer?, guint, gpointer?) -> Void
        ) {
            unsafe connect(signal, unsafeBitCast(handler, to: GCallback.self))
        }

        private func connect(_ signal: String, _ callback: GCallback) {
            guard let widget = unsafe widget else { return }
            let pointer = unsafe Unmanaged<WidgetState>.passUnretained(self).toOpaque()
            unsafe g_signal_connect_data(widget, signal, callback, pointer, nil, GConnectFlags(rawValue: 0))
        }

        fileprivate final func end() {
            unsafe widget = nil
            stop()
        }

        /// Calls the closure with the state that a function of C was given. GTK calls these on the
        /// main thread.
        @discardableResult
        nonisolated static func with<State: WidgetState, Result: Sendable>(
            _ data: gpointer?,
            _ body: @MainActor (State) -> Result
        ) -> Result? {
            let address = UInt(bitPattern: data)
            return MainActor.assumeIsolated {
                guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address),
                    let state = unsafe Unmanaged<WidgetState>.fromOpaque(pointer).takeUnretainedValue() as? State
                else { return nil }
                return body(state)
            }
        }
    }

    /// The object that a widget is.
    func object(_ widget: WidgetPointer) -> UnsafeMutablePointer<GObject> {
        // The first field of each widget is its object.
        unsafe UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
    }

    private func widgetIsDestroyed(_: gpointer?, _ data: gpointer?) {
        unsafe WidgetState.with(data) { (state: WidgetState) in state.stop() }
    }

    private func widgetIsGone(_ data: gpointer?) {
        unsafe WidgetState.with(data) { (state: WidgetState) in state.end() }
        guard let data = unsafe data else { return }
        unsafe Unmanaged<WidgetState>.fromOpaque(data).release()
    }
#endif
