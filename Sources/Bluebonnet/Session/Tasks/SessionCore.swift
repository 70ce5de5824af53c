import HTTPTypes
import Synchronization

/// The part of a session that its tasks keep alive, not the session itself: when the last
/// `SessionManager` is released, its tasks fail and its connections close.
final class SessionCore: CallOwner {
    /// A task that has not started. It lives as long as its user keeps it.
    private struct Unstarted {
        weak var task: (any SessionTask)?
        let kind: Call.Kind
    }

    private struct Listener {
        let continuation: AsyncStream<SessionEvent>.Continuation
        /// Whether it gets bodies and values, which may be large.
        let wantsResults: Bool
    }

    private struct State {
        /// Those that have started and are not complete.
        var tasks: [Int: Call] = [:]
        var unstarted: [Int: Unstarted] = [:]
        var nextListener = 0
        var listeners: [Int: Listener] = [:]
        var invalidation: NetworkingError?
        /// Whether invalidation has stopped the running tasks.
        var isCancelling = false
        /// The number of tasks that are over, and of whose end somebody is being told.
        var ending = 0
        /// The session, where hooks make tasks that keep it.
        weak var manager: SessionManager?
        /// Invalidation waits for the running tasks.
        var isFinishing = false
        /// Those who wait until it has.
        var whenEnded: [@Sendable () -> Void] = []

        /// Whether everything is over that invalidation waits for.
        var hasEnded: Bool { isFinishing && tasks.isEmpty && ending == 0 }

        /// Most tasks of most sessions start at once.
        mutating func forgetUnstarted(_ identifier: Int) {
            if !unstarted.isEmpty { unstarted[identifier] = nil }
        }
    }

    let settings: SessionSettings
    let chain: InterceptorChain
    /// The transfers that outlive the process, in a session with a journal.
    let transfers: SessionTransfers?
    /// The hooks; nil where none is set.
    let hookCalls: SessionHooks.Calls?
    private let lastIdentifier: Atomic<Int>
    /// The number of listeners, read several times for each request.
    private let listenerCount = Atomic(0)
    private let state = Mutex(State())
    /// Held while listeners are told of the beginning, the suspensions and the end of a task, which
    /// come from different threads: they have them in the order of what happened.
    private let order = Mutex(())

    init(configuration: SessionConfiguration, transport: (any Transport)? = nil) {
        settings = SessionSettings(configuration)
        hookCalls = SessionHooks.Calls(configuration.hooks)
        transfers = SessionTransfers(configuration, whenFinished: hookCalls?.whenTransfersFinish)
        lastIdentifier = Atomic(transfers?.lastIdentifier ?? 0)
        // The one fixed order: the user's own, those of the request, retries, redirects,
        // authentication, cookies, content decoding, the cache, rate limits.
        chain = InterceptorChain(
            interceptors: configuration.interceptors,
            end: BuiltInSteps(
                transport: transport ?? Engine(configuration: configuration, names: settings.names),
                configuration: configuration
            )
        )
    }

    var configuration: SessionConfiguration { settings.configuration }

    var transport: any Transport { chain.end.transport }

    /// The session, where there are hooks and it was not released.
    var manager: SessionManager? { state.withLock(\.manager) }

    /// Remembers the session.
    func keep(_ manager: SessionManager) {
        state.withLock { $0.manager = manager }
    }

    /// A request with the fields that the session adds.
    func withAdditionalFields(_ request: Request) -> Request {
        let additional = settings.configuration.additionalHeaderFields
        guard !additional.isEmpty else { return request }
        var request = request
        request.headerFields.addMissing(additional)
        return request
    }

    // MARK: Tasks

    func newIdentifier() -> Int {
        lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Notes a task that may start later.
    func made(_ task: any SessionTask, _ kind: Call.Kind) {
        state.withLock { $0.unstarted[task.identifier] = Unstarted(task: task, kind: kind) }
    }

    /// Forgets a task that its user has released.
    func released(_ identifier: Int) {
        state.withLock { $0.forgetUnstarted(identifier) }
    }

    /// Begins a task; throws when the session has ended. A session that completes its tasks also
    /// completes what one of them becomes.
    func begin(_ task: Call, after begun: BegunResponse? = nil) throws(NetworkingError) {
        guard hasListeners || task.isSuspended else { return try note(task, after: begun) }
        try order.withLock { _ throws(NetworkingError) in
            try note(task, after: begun)
            if hasListeners { post(SessionEvent(.didResume, task.presented)) }
            // It may be suspended before it begins, a task that another one became with that one.
            tellSuspension(of: task)
        }
    }

    /// Notes that a task is under way.
    private func note(_ task: Call, after begun: BegunResponse?) throws(NetworkingError) {
        let earlier = begun?.dataTask.identifier
        let error = state.withLock { state -> NetworkingError? in
            state.forgetUnstarted(task.identifier)
            let isContinued = earlier.map { !state.isCancelling && state.tasks[$0] != nil } ?? false
            let error = isContinued ? nil : state.invalidation
            if error == nil { state.tasks[task.identifier] = task }
            return error
        }
        if let error { throw error }
    }

    /// Notes the head of the last hop's response. A call that is not watched notes it when it
    /// completes.
    func received(_ response: TransportResponse, for task: Call) {
        let hasListeners = hasListeners
        guard task.isWatched || hasListeners else { return }
        task.note(response)
        if hasListeners { post(SessionEvent(.didReceiveResponse, task.presented, head: response.head)) }
    }

    func suspensionChanged(of task: Call) {
        order.withLock { _ in
            // One that has not begun is told of when it begins, and of one that is over there is
            // nothing to tell any more.
            if state.withLock({ $0.tasks[task.identifier] != nil }) { tellSuspension(of: task) }
        }
    }

    /// Tells of a suspension or its end, unless that was told.
    private func tellSuspension(of task: Call) {
        let isSuspended = task.isSuspended
        guard task.wasToldSuspended.exchange(isSuspended, ordering: .relaxed) != isSuspended, hasListeners
        else { return }
        post(SessionEvent(isSuspended ? .didSuspend : .didResume, task.presented))
    }

    func callWaitsForConnectivity(_ task: Call) {
        if hasListeners { post(SessionEvent(.isWaitingForConnectivity, task.presented)) }
    }

    func call(_ task: Call, willRetry retry: TaskRetry) {
        for observer in settings.observers { observer.taskWillRetry(retry) }
        if hasListeners { post(SessionEvent(.willRetry, task.presented, retry: retry)) }
    }

    func call(_ task: Call, hasEnded error: NetworkingError?, _ result: () -> CallResult) {
        let observers = settings.observers
        let isWatched = !observers.isEmpty || hookCalls != nil
        let (hasListeners, isTold, isLast) = state.withLock { state in
            state.tasks[task.identifier] = nil
            // One that was cancelled before it began.
            state.forgetUnstarted(task.identifier)
            let isTold = isWatched || !state.listeners.isEmpty
            if isTold { state.ending += 1 }
            return (!state.listeners.isEmpty, isTold, state.hasEnded)
        }
        guard isTold else {
            if isLast { finish() }
            return
        }
        // The end of the session is told behind that of its tasks, also where it comes meanwhile.
        defer {
            let isLast = state.withLock { state in
                state.ending -= 1
                return state.hasEnded
            }
            if isLast { finish() }
        }
        // Who is told may keep the task.
        task.settleTransactions()
        if hasListeners || !observers.isEmpty {
            let result = result()
            report(task, error, result, to: observers)
            if hasListeners {
                let event = SessionEvent(
                    .didComplete,
                    task.presented,
                    error: error,
                    serializer: task.serializer,
                    result
                )
                order.withLock { _ in post(event) }
            }
        }
        if let hookCalls { hookCalls.ended(task, error) }
    }

    private func report(
        _ task: Call,
        _ error: NetworkingError?,
        _ result: CallResult,
        to observers: [any TaskObserver]
    ) {
        // One that never began has nothing to report.
        guard !observers.isEmpty, let metrics = task.metrics else { return }
        var report = TaskReport(
            taskIdentifier: task.identifier,
            request: task.originalRequest,
            metrics: metrics,
            error: error,
            body: result.body,
            file: result.file
        )
        report.statusCode = result.head?.statusCode
        for observer in observers { observer.taskDidEnd(report) }
    }

    /// The tasks that are not complete: of one kind, or all of them.
    func tasks(_ kind: Call.Kind? = nil) -> [any SessionTask] {
        let (started, unstarted) = state.withLock { state in
            let unstarted = state.unstarted.values.filter { kind == nil || kind == $0.kind }
            return (state.tasks.values.filter { kind == nil || kind == $0.kind }, unstarted.compactMap(\.task))
        }
        return (started.map(\.presented) + unstarted).sorted { $0.identifier < $1.identifier }
    }

    /// The number of tasks that it has noted, also of those that were released, for tests.
    var rememberedTasks: Int { state.withLock { $0.tasks.count + $0.unstarted.count } }

    // MARK: Events

    var hasListeners: Bool { listenerCount.load(ordering: .acquiring) > 0 }

    func post(_ event: SessionEvent) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners {
            listener.continuation.yield(listener.wantsResults ? event : event.withoutResult)
        }
    }

    /// A new stream of the events from now on.
    ///
    /// - Parameters:
    ///   - limit: The most events that wait for a slow reader; nil for all.
    ///   - wantsResults: Whether they have bodies and values.
    /// - Returns: The events.
    func events(keepingNewest limit: Int?, wantsResults: Bool) -> AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: limit.map { .bufferingNewest(max(1, $0)) } ?? .unbounded
        )
        let number = state.withLock { state -> Int? in
            guard state.invalidation == nil else { return nil }
            defer { state.nextListener += 1 }
            state.listeners[state.nextListener] = Listener(continuation: continuation, wantsResults: wantsResults)
            listenerCount.store(state.listeners.count, ordering: .releasing)
            return state.nextListener
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            self.state.withLock { state in
                state.listeners[number] = nil
                self.listenerCount.store(state.listeners.count, ordering: .releasing)
            }
        }
        return stream
    }

    // MARK: The end

    func invalidate(cancellingTasks: Bool, error: NetworkingError, isRelease: Bool = false) {
        // Before a task can fail because of it.
        transfers?.beginEnd()
        let (tasks, hasEnded) = state.withLock { state in
            state.invalidation = state.invalidation ?? error
            state.isFinishing = true
            if cancellingTasks { state.isCancelling = true }
            return (Array(state.tasks.values), state.hasEnded)
        }
        hookCalls?.invalidate(cancellingTasks: cancellingTasks, isRelease && !tasks.isEmpty ? error : nil)
        if cancellingTasks {
            // The newest first: the ones that wait must not get the connections of those that end.
            for task in tasks.sorted(by: { $0.identifier > $1.identifier }) { task.stop(error) }
            chain.end.cache?.invalidate()
            transport.invalidate()
        }
        if hasEnded { finish() }
    }

    /// Returns when the tasks of an invalidated session are over and their last hooks have
    /// returned, or when the Swift task is cancelled.
    func waitForTasks() async {
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        let done: @Sendable () -> Void = { [hookCalls] in
            guard let hookCalls else { return continuation.finish() }
            Task {
                await hookCalls.waitForTasks()
                continuation.finish()
            }
        }
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.whenEnded.append(done) }
            return state.hasEnded
        }
        if hasEnded { done() }
        for await _ in end {}
    }

    /// Ends an invalidated session, when its last task is over.
    private func finish() {
        chain.end.cache?.invalidate()
        transport.invalidate()
        transfers?.end()
        let (listeners, whenEnded) = state.withLock { state in
            defer { (state.listeners, state.whenEnded) = ([:], []) }
            listenerCount.store(0, ordering: .releasing)
            return (Array(state.listeners.values), state.whenEnded)
        }
        for listener in listeners {
            listener.continuation.yield(SessionEvent(.didInvalidate, nil))
            listener.continuation.finish()
        }
        for listener in whenEnded { listener() }
        guard let hookCalls else { return }
        // The end of the last transfer is told before that of the session.
        guard let transfers else { return hookCalls.finish() }
        transfers.whenIdle { hookCalls.finish() }
    }
}
