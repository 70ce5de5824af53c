#if GTK
    import Bluebonnet

    /// The task whose running a widget shows, at most one.
    @MainActor
    final class TaskFollowing {
        /// Whether the task runs, as it was told last.
        private(set) var isRunning = false
        private let following = Following()

        /// Follows the state of a task, in place of another one; nil for none.
        ///
        /// - Parameters:
        ///   - task: The task.
        ///   - show: Called with whether it runs, at each change.
        func follow(_ task: (any SessionTask)?, show: @escaping @MainActor (Bool) -> Void) {
            following.stop()
            change(to: task?.state == .running, show)
            guard let task, task.state != .completed else { return }
            following.follow(
                task.states,
                each: { [weak self] state in self?.change(to: state == .running, show) },
                end: { [weak self] in self?.change(to: false, show) }
            )
        }

        /// Follows none any more, and tells nobody.
        func stop() {
            following.stop()
            isRunning = false
        }

        private func change(to isRunning: Bool, _ show: @MainActor (Bool) -> Void) {
            guard isRunning != self.isRunning else { return }
            self.isRunning = isRunning
            show(isRunning)
        }
    }
#endif
