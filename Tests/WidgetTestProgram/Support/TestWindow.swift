#if GTK
    import CGtk4

    /// A window on the screen with one widget.
    @safe @MainActor
    final class TestWindow {
        private let window: UnsafeMutablePointer<GtkWindow>
        let child: Widget

        /// Shows a widget in a window.
        init(_ child: Widget) async throws {
            unsafe window = UnsafeMutableRawPointer(gtk_window_new()).assumingMemoryBound(to: GtkWindow.self)
            self.child = child
            unsafe gtk_window_set_default_size(window, 200, 200)
            unsafe gtk_window_set_child(window, child.pointer)
            unsafe gtk_window_present(window)
            try await until("the widget is on the screen") { unsafe gtk_widget_get_mapped(child.pointer) != 0 }
        }

        /// Takes the window from the screen, and destroys it with its widget.
        func close() {
            unsafe gtk_window_destroy(window)
        }
    }
#endif
