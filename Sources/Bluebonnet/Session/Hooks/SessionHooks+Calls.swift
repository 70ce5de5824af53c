import Synchronization

extension SessionHooks {
    /// The hooks of one session, and the calls of them that no running task makes: those of tasks
    /// that are over, and those of the session, which are called in their order.
    final class Calls: Sendable {
        /// A hook of the session that is to be called.
        private struct Due: Sendable {
            /// Whether the last hooks of all tasks are called before it.
            var followsTasks = false
            let call: @Sendable () async -> Void
        }

        private struct State {
            /// The tasks that are over and whose last hooks are being called.
            var ending: [Int: Call] = [:]
            /// What stops tasks that are over too; nil while they have their time.
            var stop: NetworkingError?
            /// The hooks of the session that are to be called.
            var waiting: [Due] = []
            /// Calls them.
            var worker: Task<Void, Never>?
            /// The one that is being called.
            var running: LastHooks?
            /// Whether somebody waits until all are over.
            var isAwaited = false
            var whenIdle: [@Sendable () -> Void] = []
            /// Why the session has ended by itself.
            var error: NetworkingError?
            var isInvalid = false

            mutating func takeIdleListeners() -> [@Sendable () -> Void] {
                defer { whenIdle = [] }
                return whenIdle
            }
        }

        let hooks: SessionHooks
        /// Whether a hook gets the response of a data task before its body.
        let needsHead: Bool
        private let state = Mutex(State())

        /// Nil for hooks of which none is set.
        init?(_ hooks: SessionHooks) {
            guard !hooks.isEmpty else { return nil }
            self.hooks = hooks
            needsHead = hooks.dataTaskDidReceiveResponse != nil || hooks.dataTaskDidReceiveData != nil
        }

        // MARK: Tasks

        /// Calls the last hooks of a task that is over.
        func ended(_ call: Call, _ error: NetworkingError?) {
            // Of one that never began, or became another one, there is nothing to tell.
            guard let lane = call.hooks, let metrics = call.metrics, !call.isHandedOver else { return }
            let (gather, complete) = (hooks.taskDidFinishCollectingMetrics, hooks.taskDidComplete)
            var last: (@Sendable () async -> Void)?
            if gather != nil || complete != nil {
                last = {
                    await gather?(call.presented, metrics)
                    await complete?(call.presented, error)
                }
            }
            let stop = state.withLock { state in
                state.ending[call.identifier] = call
                return state.stop
            }
            lane.end(call, last) { self.forget(call) }
            if let stop { call.stop(stop) }
        }

        private func forget(_ call: Call) {
            let listeners = state.withLock { state in
                state.ending[call.identifier] = nil
                return state.takeIdleListeners()
            }
            for listener in listeners { listener() }
        }

        // MARK: The session

        /// Called when the last transfer is over; nil where no hook wants to know.
        var whenTransfersFinish: (@Sendable () -> Void)? {
            guard let hook = hooks.sessionDidFinishTransfers else { return nil }
            return { [self] in post(hook) }
        }

        /// Notes that the session ends, with the error of one that ended by itself. What it cancels
        /// has a second for its last hooks.
        func invalidate(cancellingTasks: Bool, _ error: NetworkingError?) {
            let end = error ?? NetworkingError(.sessionInvalidated, "The session was invalidated.")
            let ending = state.withLock { state -> [Call] in
                state.error = state.error ?? error
                guard cancellingTasks else { return [] }
                state.stop = end
                return Array(state.ending.values)
            }
            for call in ending { call.stop(end) }
        }

        /// Calls the last hook of the session, once.
        func finish() {
            let listeners = state.withLock { state -> [@Sendable () -> Void] in
                guard !state.isInvalid else { return [] }
                state.isInvalid = true
                if let hook = hooks.sessionDidBecomeInvalid {
                    let error = state.error
                    post(Due(followsTasks: true) { await hook(error) }, in: &state)
                }
                return state.takeIdleListeners()
            }
            for listener in listeners { listener() }
        }

        private func post(_ hook: @escaping @Sendable () async -> Void) {
            state.withLock { post(Due(call: hook), in: &$0) }
        }

        private func post(_ hook: Due, in state: inout State) {
            state.waiting.append(hook)
            if state.worker == nil { state.worker = Task { await work() } }
        }

        private func work() async {
            while let hook = takeNext() {
                if hook.followsTasks { await waitForTasks() }
                let running = LastHooks()
                let isAwaited = state.withLock { state in
                    state.running = running
                    return state.isAwaited
                }
                if isAwaited { running.hurry() }
                await running.run(hook.call)
            }
        }

        /// The next hook; nil where there is none, and the worker is one no more. Both in one step:
        /// a hook that is posted after it begins another worker.
        private func takeNext() -> Due? {
            let (hook, listeners) = state.withLock { state -> (Due?, [@Sendable () -> Void]) in
                guard state.waiting.isEmpty else { return (state.waiting.removeFirst(), []) }
                (state.worker, state.running) = (nil, nil)
                return (nil, state.takeIdleListeners())
            }
            for listener in listeners { listener() }
            return hook
        }

        /// Returns when no last hook of a task is being called.
        func waitForTasks() async {
            await wait { $0.ending.isEmpty }
        }

        /// Returns when the session has ended with all of its tasks, and no hook is being called or
        /// waits. The session must have been invalidated. Each of its hooks has a second from now
        /// on, or from its call.
        func waitUntilEnded() async {
            state.withLock { state in
                defer { state.isAwaited = true }
                return state.isAwaited ? nil : state.running
            }?.hurry()
            await wait { $0.isInvalid && $0.ending.isEmpty && $0.worker == nil }
        }

        private func wait(until isIdle: @Sendable (State) -> Bool) async {
            while !state.withLock({ isIdle($0) }) {
                await withCheckedContinuation { continuation in
                    let isOver = state.withLock { state in
                        guard !isIdle(state) else { return true }
                        state.whenIdle.append { continuation.resume() }
                        return false
                    }
                    if isOver { continuation.resume() }
                }
            }
        }
    }
}
