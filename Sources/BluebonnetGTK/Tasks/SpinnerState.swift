#if GTK
    import Bluebonnet
    import CGtk4

    /// The state of a `GtkSpinner`: the task that it follows.
    @MainActor
    final class SpinnerState: WidgetState {
        static let key = unsafe g_quark_from_static_string("bluebonnet-spinner")

        private let following = TaskFollowing()

        override func stop() {
            following.stop()
        }

        func follow(_ task: (any SessionTask)?) {
            following.follow(task) { [weak self] isRunning in
                guard let widget = unsafe self?.widget else { return }
                unsafe gtk_spinner_set_spinning(OpaquePointer(widget), isRunning ? 1 : 0)
            }
        }
    }
#endif
