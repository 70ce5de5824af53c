#if ServiceLifecycle
    public import Bluebonnet
    public import ServiceLifecycle

    /// A session among the services of a `ServiceGroup` of swift-service-lifecycle.
    ///
    /// ```
    /// let group = ServiceGroup(
    ///     services: [session, server],
    ///     gracefulShutdownSignals: [.sigterm],
    ///     logger: logger
    /// )
    /// try await group.run()
    /// ```
    ///
    /// A group ends its services in the opposite order: name the session before those that send
    /// requests with it.
    extension SessionManager: Service {
        /// Waits for the graceful shutdown. From then on, no task starts, and every later request
        /// fails with ``NetworkingError/Code/sessionInvalidated``; returns when the running tasks
        /// are over, ``SessionHooks/taskDidComplete`` has returned for each, and the last
        /// connection has closed. A session that was invalidated before, and completes its tasks,
        /// completes them here too.
        ///
        /// When the Swift task is cancelled, before or meanwhile, running tasks fail. Returns at
        /// the graceful shutdown at once for ``SessionManager/shared``, which does not end.
        public func run() async {
            do {
                try await gracefulShutdown()
                guard self !== SessionManager.shared else { return }
                invalidate(cancellingTasks: false)
                await waitForTasks()
            } catch {
                // Cancelled: what is under way fails now.
            }
            await shutdown()
        }
    }
#endif
