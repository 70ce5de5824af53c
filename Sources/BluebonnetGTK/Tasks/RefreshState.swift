#if GTK
    import Bluebonnet
    import CGtk4

    /// The state of a widget that starts a refresh: the task that it follows, and what it showed
    /// before.
    @MainActor
    final class RefreshState: WidgetState {
        static let key = unsafe g_quark_from_static_string("bluebonnet-refresh")

        /// What a button shows when it does not refresh.
        @safe private enum Content {
            case label(String)
            case icon(String)
            /// A reference is held.
            case child(WidgetPointer?)
        }

        private let following = TaskFollowing()
        private var onChange: (@MainActor (Bool) -> Void)?
        private var content: Content?

        var isRefreshing: Bool { following.isRunning }
        /// Whether a spinner takes the place of what a button shows.
        var hasSpinner: Bool { content != nil }

        override func stop() {
            following.stop()
            onChange = nil
            release()
        }

        func follow(_ task: (any SessionTask)?, _ onChange: (@MainActor (Bool) -> Void)?) {
            // The end of an earlier task is told to who has asked for it.
            following.follow(nil) { [weak self] in self?.change(to: $0) }
            self.onChange = onChange
            following.follow(task) { [weak self] in self?.change(to: $0) }
        }

        private func change(to isRefreshing: Bool) {
            guard let widget = unsafe widget else { return }
            let isButton = unsafe widget.is(a: gtk_button_get_type())
            // The images of a button follow its states, but not while it has a spinner.
            if isButton, !isRefreshing { unsafe showContent(widget) }
            unsafe gtk_widget_set_sensitive(widget, isRefreshing ? 0 : 1)
            if isButton, isRefreshing { unsafe showSpinner(widget.button) }
            onChange?(isRefreshing)
        }

        // MARK: Buttons

        private func showSpinner(_ button: UnsafeMutablePointer<GtkButton>) {
            guard content == nil else { return }
            if let label = unsafe gtk_button_get_label(button) {
                content = unsafe .label(String(cString: label))
            } else if let icon = unsafe gtk_button_get_icon_name(button) {
                content = unsafe .icon(String(cString: icon))
            } else {
                let child = unsafe gtk_button_get_child(button)
                if let child = unsafe child { unsafe g_object_ref(UnsafeMutableRawPointer(child)) }
                content = unsafe .child(child)
            }
            let spinner = unsafe gtk_spinner_new()
            unsafe gtk_spinner_set_spinning(OpaquePointer(spinner), 1)
            unsafe gtk_button_set_child(button, spinner)
        }

        private func showContent(_ widget: WidgetPointer) {
            let button = unsafe widget.button
            switch content {
            case .label(let text): unsafe gtk_button_set_label(button, text)
            case .icon(let name): unsafe gtk_button_set_icon_name(button, name)
            case .child(let child): unsafe gtk_button_set_child(button, child)
            case nil: break
            }
            release()
            let images: ButtonState? = unsafe WidgetState.known(of: widget, key: ButtonState.key)
            images?.update()
        }

        private func release() {
            if case .child(let child?) = content { unsafe g_object_unref(UnsafeMutableRawPointer(child)) }
            content = nil
        }
    }

    extension WidgetPointer {
        /// The widget, which is a button.
        var button: UnsafeMutablePointer<GtkButton> {
            unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkButton.self)
        }
    }
#endif
