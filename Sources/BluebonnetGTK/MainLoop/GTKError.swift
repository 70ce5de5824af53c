#if GTK
    /// The errors of ``GTKMainLoop/attach()``.
    ///
    /// No counterpart in AFNetworking: UIKit has its display and its main thread.
    public enum GTKError: Error, Equatable {
        /// There is no display that GTK can open; `DISPLAY` and `WAYLAND_DISPLAY` name them.
        case noDisplay

        /// The caller is not the main thread of the process, as in a program with an asynchronous
        /// `main`: give it a synchronous one.
        case notMainThread
    }
#endif
