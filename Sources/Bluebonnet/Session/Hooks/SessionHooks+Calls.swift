import Synchronization

extension SessionHooks {
    /// The hooks of one session, and the calls of them that no running task makes: those of tasks
    /// that are over, and those of the session, which are called in their order.
    final class Calls: Sendable {
        private struct State {
            /// The tasks that are over and whose last hooks are being called.
            var ending: [Int: Call] = [:]
            /// The hooks of the session that are to be called.
            var waiting: [@Sendable () async -> Void] = []
            /// Calls them.
            var worker: Task<Void, Never>?
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
            state.withLock { $0.ending[call.identifier] = call }
            lane.end(call, last) { self.forget(call) }
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
            let ending = state.withLock { state in
                state.error = state.error ?? error
                return Array(state.ending.values)
            }
            guard cancellingTasks else { return }
            let end = error ?? NetworkingError(.sessionInvalidated, "The session was invalidated.")
            for call in ending { call.stop(end) }
        }

        /// Calls the last hook of the session, once.
        func finish() {
            let listeners = state.withLock { state -> [@Sendable () -> Void] in
                guard !state.isInvalid else { return [] }
                state.isInvalid = true
                if let hook = hooks.sessionDidBecomeInvalid {
                    let error = state.error
                    post(in: &state) { [self] in
                        await wait { $0.ending.isEmpty }
                        await hook(error)
                    }
                }
                return state.takeIdleListeners()
            }
            for listener in listeners { listener() }
        }

        private func post(_ hook: @escaping @Sendable () async -> Void) {
            state.withLock { post(in: &$0, hook) }
        }

        private func post(in state: inout State, _ hook: @escaping @Sendable () async -> Void) {
            state.waiting.append(hook)
            if state.worker == nil { state.worker = Task { await work() } }
        }

        private func work() async {
            while let hook = state.withLock({ state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }) {
                await hook()
            }
            let listeners = state.withLock { state in
                state.worker = nil
                return state.takeIdleListeners()
            }
            for listener in listeners { listener() }
        }

        /// Returns when the session has ended with all of its tasks, and no hook is being called or
        /// waits. The session must have been invalidated.
        func waitUntilEnded() async {
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
