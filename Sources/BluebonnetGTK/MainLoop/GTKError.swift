#if GTK
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
#endif
