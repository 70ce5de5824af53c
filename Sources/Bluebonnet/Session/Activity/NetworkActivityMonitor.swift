import Synchronization

/// Tells when an activity indicator is to be shown: while tasks are under way, but not for short
/// ones, and without flicker between two.
///
/// ```swift
/// let monitor = NetworkActivityMonitor()
/// monitor.observe(session)
/// for await isActive in monitor.changes { print(isActive ? "busy" : "idle") }
/// ```
///
/// The indicator is shown when something has been under way for ``activationDelay``, and hidden
/// when nothing has been for ``completionDelay``. A task counts from its start to its end, without
/// the time for which it is suspended. It has no widget of its own: ``onChange(_:)`` and
/// ``changes`` tell any.
///
/// Keep the monitor for as long as it is to tell.
///
/// Counterpart of `AFNetworkActivityIndicatorManager`, which counts the tasks of all sessions.
public final class NetworkActivityMonitor: Sendable {
    private struct Observation {
        weak let session: SessionManager?
        var work: Task<Void, Never>?
    }

    private struct State {
        var machine = StateMachine()
        var delay: Task<Void, Never>?
        var lastObservation = 0
        var observations: [Int: Observation] = [:]
        var listeners: [Int: @Sendable (Bool) -> Void] = [:]
        var nextListener = 0
        /// Changes that were not told yet.
        var untold: [Bool] = []
        /// Whether a thread is telling: one after the other, in their order.
        var isTelling = false
    }

    /// The time for which something has to be under way before the indicator is shown.
    public let activationDelay: Duration

    /// The time for which nothing has to be under way before the indicator is hidden.
    public let completionDelay: Duration

    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    /// Makes a monitor that observes nothing.
    ///
    /// - Parameters:
    ///   - activationDelay: The time for which something has to be under way before the indicator
    ///     is shown. Default: 1 second.
    ///   - completionDelay: The time for which nothing has to be under way before the indicator is
    ///     hidden. Default: 0.17 seconds.
    ///   - clock: The clock of the delays. Default: `ContinuousClock`.
    public init(
        activationDelay: Duration = .seconds(1),
        completionDelay: Duration = .milliseconds(170),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.activationDelay = max(.zero, activationDelay)
        self.completionDelay = max(.zero, completionDelay)
        self.clock = clock
    }

    deinit {
        state.withLock { state in
            state.delay?.cancel()
            for observation in state.observations.values { observation.work?.cancel() }
        }
    }

    // MARK: The indicator

    /// Whether the indicator is to be shown now.
    ///
    /// Counterpart of `networkActivityIndicatorVisible`.
    public var isActive: Bool { state.withLock { $0.machine.isVisible } }

    /// Whether the indicator may be shown. What is under way is counted in any case. Default: true;
    /// AFNetworking's manager, which counts without being asked, has false.
    public var isEnabled: Bool {
        get { state.withLock { $0.machine.isEnabled } }
        set { change { $0.setEnabled(newValue) } }
    }

    /// The number of tasks and other work under way, never negative.
    public var activityCount: Int { state.withLock { $0.machine.count } }

    /// Calls the closure at each change: with true when the indicator is to be shown, with false
    /// when it is to be hidden. The calls come one after the other, on no particular thread. A
    /// further closure is called too.
    ///
    /// Counterpart of `setNetworkingActivityActionWithBlock:`.
    ///
    /// - Parameter body: Gets whether the indicator is to be shown. It must not block.
    public func onChange(_ body: @escaping @Sendable (_ isActive: Bool) -> Void) {
        _ = add(body)
    }

    /// The changes from now on: true when the indicator is to be shown, false when it is to be
    /// hidden. A slow reader gets the newest. Each call makes a new sequence, which holds nothing
    /// and ends with the monitor.
    public var changes: AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let listener = Listener(continuation)
        let number = add { listener.tell($0) }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// The end of a sequence, which comes when the monitor forgets it.
    private final class Listener: Sendable {
        private let continuation: AsyncStream<Bool>.Continuation

        init(_ continuation: AsyncStream<Bool>.Continuation) {
            self.continuation = continuation
        }

        deinit {
            continuation.finish()
        }

        func tell(_ isActive: Bool) {
            continuation.yield(isActive)
        }
    }

    // MARK: What is counted

    /// Counts the tasks of a session from now on, those that are under way among them, until the
    /// session ends. The session is not kept. Has no effect for one that is observed already.
    ///
    /// - Parameter session: The session.
    public func observe(_ session: SessionManager) {
        let number = state.withLock { state -> Int? in
            guard !state.observations.values.contains(where: { $0.session === session }) else { return nil }
            state.lastObservation += 1
            state.observations[state.lastObservation] = Observation(session: session)
            return state.lastObservation
        }
        guard let number else { return }
        let events = session.events(keepingNewest: nil)
        // Before any event is read: what they tell of these tasks is newer.
        for task in session.tasks where task.state == .running {
            change { $0.began(StateMachine.Identity(observation: number, task: task.identifier)) }
        }
        let work = Task { [weak self] in
            for await event in events { self?.note(event, number) }
            self?.sessionEnded(number)
        }
        // The end of the session may have been read already.
        state.withLock { $0.observations[number]?.work = work }
    }

    /// Counts work that is not a task of a session, until ``decrement()``.
    ///
    /// Counterpart of `incrementActivityCount`.
    public func increment() {
        change { $0.increment() }
    }

    /// Ends what ``increment()`` began. Has no effect where that was not called before.
    ///
    /// Counterpart of `decrementActivityCount`.
    public func decrement() {
        change { $0.decrement() }
    }

    private func note(_ event: SessionEvent, _ observation: Int) {
        guard let task = event.task else { return }
        let identity = StateMachine.Identity(observation: observation, task: task.identifier)
        switch event.kind {
        case .didResume: change { $0.began(identity) }
        case .didSuspend, .didComplete: change { $0.ended(identity) }
        default: break
        }
    }

    private func sessionEnded(_ observation: Int) {
        state.withLock { $0.observations[observation] = nil }
        change { $0.ended(observation: observation) }
    }

    // MARK: Changes

    private func add(_ listener: @escaping @Sendable (Bool) -> Void) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = listener
            return state.nextListener
        }
    }

    private func change(_ body: (inout StateMachine) -> StateMachine.Step) {
        let tells = state.withLock { state in
            let step = body(&state.machine)
            if step.endsDelay || step.delay != nil {
                state.delay?.cancel()
                state.delay = nil
            }
            if let delay = step.delay { state.delay = wait(for: delay, state.machine.delayNumber) }
            if let shows = step.shows { state.untold.append(shows) }
            guard !state.untold.isEmpty, !state.isTelling else { return false }
            state.isTelling = true
            return true
        }
        if tells { tell() }
    }

    private func wait(for delay: StateMachine.Delay, _ number: Int) -> Task<Void, Never> {
        // A clock may end the process where the sum of its time and a delay has no number.
        let time = min(delay == .activation ? activationDelay : completionDelay, .seconds(1 << 40))
        return Task { [weak self, clock] in
            // A delay that is cancelled is void.
            guard (try? await clock.sleep(for: time)) != nil else { return }
            self?.change { $0.delayEnded(number) }
        }
    }

    private func tell() {
        while true {
            let (isActive, listeners) = state.withLock { state -> (Bool?, [@Sendable (Bool) -> Void]) in
                guard !state.untold.isEmpty else {
                    state.isTelling = false
                    return (nil, [])
                }
                let listeners = state.listeners.sorted { $0.key < $1.key }.map(\.value)
                return (state.untold.removeFirst(), listeners)
            }
            guard let isActive else { return }
            for listener in listeners { listener(isActive) }
        }
    }
}
