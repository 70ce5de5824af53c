#if GTK
    import Bluebonnet
    import CGtk4
    import Dispatch
    import Glibc

    /// The state of a `GtkProgressBar`: the progress that it follows, and its movement.
    @MainActor
    final class ProgressBarState: WidgetState {
        static let key = unsafe g_quark_from_static_string("bluebonnet-progress-bar")

        /// The time in which a movement does two thirds of its way, in microseconds.
        private static let pace = 80_000.0

        private let following = Following()
        /// The number of the task that is followed: what comes of another one is stale.
        private var number = 0
        private var knowsLength = false
        private var hasEnded = false
        private var hasSucceeded = false
        /// Where the bar moves to.
        private var target = 0.0
        private var isAnimated = false
        /// The callback for each frame, while the bar moves; 0 for none.
        private var tick: guint = 0
        private var lastFrame: Int = 0

        override func stop() {
            following.stop()
            endMovement()
        }

        /// Follows the progress of a task in one direction, in place of another one.
        func follow(
            _ task: (any SessionTask)?,
            _ isAnimated: Bool,
            _ direction: @escaping @Sendable (TaskProgress) -> TransferProgress
        ) {
            following.stop()
            endMovement()
            number += 1
            guard let task else { return }
            let progress = task.progress
            let now = direction(task.currentProgress)
            // It begins where the task is, without a movement from where another one was.
            self.isAnimated = false
            move(to: now.fractionCompleted ?? 0)
            self.isAnimated = isAnimated
            (knowsLength, hasSucceeded, hasEnded) = (now.total != nil, false, false)
            following.follow(
                progress,
                each: { [weak self] step in self?.show(direction(step)) },
                end: { [weak self] in
                    self?.hasEnded = true
                    self?.fillAtEnd()
                }
            )
            if let task = task as? any ValueTask { fillAtEnd(of: task) }
        }

        /// Fills the bar of a task whose length is not known, when it has succeeded.
        private func fillAtEnd(of task: some ValueTask) {
            task.whenComplete { [weak self, number] outcome in
                guard case .success = outcome else { return }
                DispatchQueue.main.async {
                    MainActor.assumeIsolated {
                        guard let self, self.number == number else { return }
                        self.hasSucceeded = true
                        self.fillAtEnd()
                    }
                }
            }
        }

        /// Behind its last progress, and behind its result, which come in any order.
        private func fillAtEnd() {
            if hasEnded, hasSucceeded, !knowsLength { move(to: 1) }
        }

        private func show(_ progress: TransferProgress) {
            guard let widget = unsafe widget else { return }
            knowsLength = progress.total != nil
            guard let fraction = progress.fractionCompleted else {
                if progress.completed > 0 { unsafe gtk_progress_bar_pulse(OpaquePointer(widget)) }
                return
            }
            move(to: fraction)
        }

        // MARK: Movement

        private func move(to fraction: Double) {
            target = fraction
            guard let widget = unsafe widget else { return }
            guard isAnimated, unsafe gtk_widget_get_mapped(widget) != 0,
                unsafe bluebonnet_allows_animations(widget) != 0
            else {
                endMovement()
                unsafe gtk_progress_bar_set_fraction(OpaquePointer(widget), fraction)
                return
            }
            guard tick == 0 else { return }
            lastFrame = 0
            let data = unsafe Unmanaged<WidgetState>.passUnretained(self).toOpaque()
            tick = unsafe gtk_widget_add_tick_callback(widget, frameOfBar, data, nil)
        }

        private func endMovement() {
            guard tick != 0 else { return }
            if let widget = unsafe widget { unsafe gtk_widget_remove_tick_callback(widget, tick) }
            tick = 0
        }

        /// Moves the bar for one frame.
        ///
        /// - Returns: Whether it has further to go.
        fileprivate func moveForFrame(at time: Int) -> Bool {
            guard let widget = unsafe widget else { return false }
            let elapsed = lastFrame == 0 ? 0 : Double(time - lastFrame)
            lastFrame = time
            let bar = OpaquePointer(widget)
            let rest = unsafe (target - gtk_progress_bar_get_fraction(bar)) * exp(-elapsed / Self.pace)
            let hasArrived = abs(rest) < 0.002
            unsafe gtk_progress_bar_set_fraction(bar, hasArrived ? target : target - rest)
            if hasArrived { tick = 0 }
            return !hasArrived
        }
    }

    private func frameOfBar(_: WidgetPointer?, _ clock: OpaquePointer?, _ data: gpointer?) -> gboolean {
        let time = unsafe gdk_frame_clock_get_frame_time(clock)
        let goesOn = unsafe WidgetState.with(data) { (state: ProgressBarState) in state.moveForFrame(at: time) }
        return goesOn == true ? 1 : 0
    }
#endif
