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
        /// are over and the last connection has closed.
        ///
        /// When the Swift task is cancelled, before or meanwhile, running tasks fail. Returns at
        /// the graceful shutdown at once for ``SessionManager/shared``, which does not end.
        public func run() async {
            do {
                try await gracefulShutdown()
                guard self !== SessionManager.shared else { return }
                // The stream of events ends with the session, or when this is cancelled.
                let events = events(keepingNewest: 1)
                invalidate(cancellingTasks: false)
                for await _ in events {}
            } catch {
                // Cancelled: what is under way fails now.
            }
            await shutdown()
        }
    }
#endif
