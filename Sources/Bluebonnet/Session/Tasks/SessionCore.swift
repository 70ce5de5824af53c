import HTTPTypes
import Synchronization

/// The part of a session that its tasks keep alive, not the session itself: when the last
/// `SessionManager` is released, its tasks fail and its connections close.
final class SessionCore: CallOwner {
    private struct State {
        var tasks: [Int: Call] = [:]
        var nextListener = 0
        var listeners: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
        var invalidation: NetworkingError?
        /// Invalidation waits for the running tasks.
        var isFinishing = false
    }

    let settings: SessionSettings
    let chain: InterceptorChain
    private let lastIdentifier = Atomic(0)
    /// The number of listeners, read several times for each request.
    private let listenerCount = Atomic(0)
    private let state = Mutex(State())

    init(configuration: SessionConfiguration, transport: (any Transport)?, hopObserver: HopEvent.Observer? = nil) {
        settings = SessionSettings(configuration, hopObserver: hopObserver)
        // The one fixed order: the user's own, those of the request, redirects, content decoding.
        chain = InterceptorChain(
            interceptors: configuration.interceptors,
            end: BuiltInSteps(
                transport: transport ?? Engine(configuration: configuration),
                decodesContent: configuration.decodesContent
            )
        )
    }

    var configuration: SessionConfiguration { settings.configuration }

    var transport: any Transport { chain.end.transport }

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

    /// Begins a task; throws when the session has ended.
    func begin(_ task: Call) throws(NetworkingError) {
        let (error, hasListeners) = state.withLock { state -> (NetworkingError?, Bool) in
            if state.invalidation == nil { state.tasks[task.identifier] = task }
            return (state.invalidation, !state.listeners.isEmpty)
        }
        if let error { throw error }
        if hasListeners { post(SessionEvent(.didResume, task.presented)) }
    }

    /// Notes the head of the last hop's response. A call that is not watched notes it when it
    /// completes.
    func received(_ response: TransportResponse, for task: Call) {
        let hasListeners = hasListeners
        guard task.isWatched || hasListeners else { return }
        task.note(response)
        if hasListeners { post(SessionEvent(.didReceiveResponse, task.presented, head: response.head)) }
    }

    func call(_ task: Call, isSuspended: Bool) {
        guard hasListeners else { return }
        post(SessionEvent(isSuspended ? .didSuspend : .didResume, task.presented))
    }

    func call(_ task: Call, hasEnded error: NetworkingError?) {
        let (hasListeners, isLast) = state.withLock { state in
            state.tasks[task.identifier] = nil
            return (!state.listeners.isEmpty, state.isFinishing && state.tasks.isEmpty)
        }
        if hasListeners { post(SessionEvent(.didComplete, task.presented, error: error)) }
        if isLast { finish() }
    }

    var tasks: [any SessionTask] {
        state.withLock { Array($0.tasks.values) }.sorted { $0.identifier < $1.identifier }.map(\.presented)
    }

    // MARK: Events

    var hasListeners: Bool { listenerCount.load(ordering: .acquiring) > 0 }

    func post(_ event: SessionEvent) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(event) }
    }

    /// A new stream of the events from now on; the newest 1,024 events wait for a slow reader.
    var events: AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: .bufferingNewest(1024)
        )
        let number = state.withLock { state -> Int? in
            guard state.invalidation == nil else { return nil }
            defer { state.nextListener += 1 }
            state.listeners[state.nextListener] = continuation
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

    func invalidate(cancellingTasks: Bool, error: NetworkingError) {
        let tasks = state.withLock { state in
            state.invalidation = state.invalidation ?? error
            state.isFinishing = true
            return Array(state.tasks.values)
        }
        if cancellingTasks {
            // The newest first: the ones that wait must not get the connections of those that end.
            for task in tasks.sorted(by: { $0.identifier > $1.identifier }) { task.stop(error) }
            transport.invalidate()
        }
        if tasks.isEmpty { finish() }
    }

    /// Ends an invalidated session, when its last task is over.
    private func finish() {
        transport.invalidate()
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            listenerCount.store(0, ordering: .releasing)
            return Array(state.listeners.values)
        }
        for listener in listeners {
            listener.yield(SessionEvent(.didInvalidate, nil))
            listener.finish()
        }
    }
}
