#if GTK

/// What stops the use of GTK.
public enum GTKError: Error, Equatable {
    /// There is no display that GTK can open; `DISPLAY` and `WAYLAND_DISPLAY` name them.
    case noDisplay
}

#endif
