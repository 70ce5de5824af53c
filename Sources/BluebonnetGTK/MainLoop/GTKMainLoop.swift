#if GTK
    import CGtk4
    import Glibc

    /// The main loop of GTK as the one in which Swift's `MainActor` and `DispatchQueue.main` run.
    ///
    /// A loop of GLib does not know of them: without this, nothing that is sent to the main actor
    /// ever runs. Call ``attach()`` once, in a synchronous `main.swift` or `main()`, before the
    /// application runs:
    ///
    /// ```
    /// try GTKMainLoop.attach()
    /// let application = gtk_application_new("org.example.Photos", G_APPLICATION_DEFAULT_FLAGS)
    /// …
    /// exit(g_application_run(application, 0, nil))
    /// ```
    ///
    /// No counterpart in AFNetworking: UIKit's main loop is that of the main queue.
    @MainActor
    public enum GTKMainLoop {
        /// The number of the source that waits for work; 0 before there is one.
        private static var source: guint = 0

        /// Initializes GTK, and has GLib's main loop run what is sent to `MainActor` and to
        /// `DispatchQueue.main`, on the main thread. While there is nothing, it costs nothing.
        ///
        /// Has no effect when it was called before. Work runs as soon as a loop runs the default
        /// context of GLib: `g_application_run`, or a `GMainLoop`.
        ///
        /// - Throws: ``GTKError/notMainThread`` on another thread, ``GTKError/noDisplay`` where GTK
        ///   finds no display.
        public static func attach() throws(GTKError) {
            guard source == 0 else { return }
            guard bluebonnet_is_main_thread() != 0 else { throw .notMainThread }
            guard gtk_init_check() != 0 else { throw .noDisplay }
            let descriptor = _dispatch_get_main_queue_handle_4CF()
            source = unsafe g_unix_fd_add(descriptor, G_IO_IN, runMainQueue, nil)
        }
    }

    /// The errors of ``GTKMainLoop/attach()``.
    ///
    /// No counterpart in AFNetworking: UIKit has its display and its main thread.
    public enum GTKError: Error, Equatable {
        /// There is no display that GTK can open; `DISPLAY` and `WAYLAND_DISPLAY` name them.
        case noDisplay

        /// The caller is not on the main thread of the process, which an asynchronous `main` leaves
        /// when it waits for the first time: give the program a synchronous one.
        case notMainThread
    }

    /// Runs the work of the main queue, and stays in the loop.
    private func runMainQueue(_ descriptor: gint, _: GIOCondition, _: gpointer?) -> gboolean {
        precondition(
            bluebonnet_is_main_thread() != 0,
            "GLib's main loop must run on the main thread, which an asynchronous main has left."
        )
        // The counter of the descriptor, which is an eventfd, is reset first: what is sent
        // meanwhile sets it again.
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
        _dispatch_main_queue_callback_4CF(nil)
        return gboolean(1)
    }
#endif
