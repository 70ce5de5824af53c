import FoundationEssentials
import NIOCore
import Synchronization

/// The life of one task, whatever value it brings in the end: registered with its session, running, received, complete.
///
/// ``DataTask`` puts a typed value on top. Not generic, so that the hot path is compiled once.
final class TaskRun: SessionTask {
    private struct State {
        var hasStarted = false
        var isSuspended = false
        var isComplete = false
        var sent: SentRequest?
        var response: ResponseHead?
        /// What runs a task that was started by `resume()`; one that is awaited from the start runs in its caller.
        var runner: Task<Void, Never>?
        /// The public task on top, if there is one.
        weak var facade: (any SessionTask)?
    }

    let identifier: Int
    let originalRequest: Request
    let core: SessionCore
    let control: TaskControl
    /// Somebody may look at the response head or the progress before the body is complete.
    private let isWatched: Bool
    private let state_ = Mutex(State())

    init(_ request: Request, core: SessionCore, isWatched: Bool = false) {
        identifier = core.newIdentifier()
        originalRequest = request
        self.core = core
        self.isWatched = isWatched
        control = TaskControl(measuresSpeed: isWatched)
    }

    deinit {
        control.finish()
    }

    /// The task as its user knows it.
    var presented: any SessionTask { state_.withLock { $0.facade } ?? self }

    func present(as task: any SessionTask) {
        state_.withLock { $0.facade = task }
    }

    // MARK: What is known of it

    var state: TaskState {
        state_.withLock { state in
            if state.isComplete { return .completed }
            return state.hasStarted && !state.isSuspended ? .running : .suspended
        }
    }

    var currentRequest: Request { state_.withLock { $0.sent }?.request ?? originalRequest }

    var response: ResponseHead? { state_.withLock { $0.response } }

    var currentProgress: TaskProgress { TaskProgress(control.counts) }

    var progress: AsyncStream<TaskProgress> {
        let (stream, continuation) = AsyncStream.makeStream(of: TaskProgress.self, bufferingPolicy: .bufferingNewest(1))
        let observer = control.observe { counts in
            if let counts { continuation.yield(TaskProgress(counts)) } else { continuation.finish() }
        }
        continuation.onTermination = { [weak control] _ in control?.forget(observer) }
        return stream
    }

    // MARK: Control

    /// Starts a task that was not started, with what runs it; false when it had started.
    func start(_ run: @escaping @Sendable () async -> Void) -> Bool {
        state_.withLock { state in
            guard !state.hasStarted, !state.isComplete else { return false }
            state.hasStarted = true
            // Held until the task is complete, and cancelled with it.
            state.runner = Task { await run() }
            return true
        }
    }

    func resume() {
        let goesOn = state_.withLock { state in
            defer { state.isSuspended = false }
            return state.isSuspended && !state.isComplete
        }
        guard goesOn else { return }
        control.setSuspended(false)
        if core.hasListeners { core.post(.didResume(presented)) }
    }

    func suspend() {
        let changes = state_.withLock { state in
            guard state.hasStarted, !state.isSuspended, !state.isComplete else { return false }
            state.isSuspended = true
            return true
        }
        guard changes else { return }
        control.setSuspended(true)
        if core.hasListeners { core.post(.didSuspend(presented)) }
    }

    func cancel() {
        fail(NetworkingError(.cancelled, "The request was cancelled."))
    }

    /// Stops whatever is under way; whoever runs the task completes it.
    func fail(_ error: NetworkingError) {
        control.cancel(with: error)
        state_.withLock { $0.runner }?.cancel()
    }

    /// Marks the task as started by somebody who will call ``receive()``; false when it had started.
    func startsNow() -> Bool {
        state_.withLock { state in
            guard !state.hasStarted, !state.isComplete else { return false }
            state.hasStarted = true
            return true
        }
    }

    // MARK: The run

    /// Sends the request and collects the response. Cancelling the Swift task cancels the run.
    ///
    /// When this throws, the task is complete.
    nonisolated(nonsending) func receive() async throws -> ReceivedResponse {
        _ = startsNow()
        do {
            try core.begin(self)
            return try await exchange()
        } catch {
            throw failed(error, nil)
        }
    }

    /// Sends the request and returns with the head. The task is over when the body has come to its end, whoever reads it.
    ///
    /// When this throws, the task is complete.
    nonisolated(nonsending) func stream() async throws -> TransportResponse {
        _ = startsNow()
        do {
            try core.begin(self)
            let context = core.context(
                for: originalRequest,
                identifier: identifier,
                collectsBody: false,
                control: control
            )
            let response = try await core.send(originalRequest, context: context)
            received(response)
            guard let stream = response.body.stream else {
                try complete(nil)
                return response
            }
            stream.whenEnded { [self] end in
                // Whoever reads the body hears of what ended it.
                if case .failure(let error) = end { try? complete(error) } else { try? complete(nil) }
            }
            return response
        } catch {
            throw failed(error, nil)
        }
    }

    private func received(_ response: TransportResponse) {
        state_.withLock { state in
            state.response = response.head
            state.sent = response.sent
        }
        if core.hasListeners { core.post(.didReceiveResponse(presented, response.head)) }
    }

    private nonisolated(nonsending) func exchange() async throws -> ReceivedResponse {
        let startedAt = NIODeadline.now()
        let context = core.context(
            for: originalRequest,
            identifier: identifier,
            collectsBody: !isWatched && !core.hasListeners,
            control: control
        )
        let response = try await core.send(originalRequest, context: context)
        received(response)
        if let body = try whole(of: response) {
            return ReceivedResponse(transport: response, body: body, startedAt: startedAt)
        }
        let body = try await collect(response, context)
        return ReceivedResponse(transport: response, body: body, startedAt: startedAt)
    }

    private func whole(of response: TransportResponse) throws -> Data? {
        do {
            return try response.wholeBody(upTo: core.settings.configuration.limits.bodyInMemory)
        } catch let error as NetworkingError {
            throw error.completed(request: response.request, response: response.head)
        }
    }

    // Apart, because most responses come whole, and need no frame for this.
    @inline(never)
    private nonisolated(nonsending) func collect(
        _ response: TransportResponse,
        _ context: ExchangeContext
    ) async throws -> Data {
        let (body, limit) = (response.body, core.settings.configuration.limits.bodyInMemory)
        do {
            guard body.comesFromSequence else { return try await body.collect(upTo: limit) }
            return try await StoppableCall.run(for: response.request, context) { try await body.collect(upTo: limit) }
        } catch let error as NetworkingError {
            throw error.completed(request: response.request, response: response.head)
        }
    }

    /// A body above this size is parsed off the event loop, where the caller may be running.
    private static let inlineParsingSize = 32 * 1024

    /// Whether what was received must not be parsed where the caller runs.
    static func isParsedElsewhere(_ received: ReceivedResponse) -> Bool {
        received.body.count > inlineParsingSize && EventLoopTaskExecutor.isRunningOnEventLoop
    }

    /// Parses off the event loop.
    static func parseElsewhere<Output: Sendable>(
        _ parse: @escaping @Sendable () throws(NetworkingError) -> Output
    ) async throws(NetworkingError) -> Output {
        let result = await withTaskExecutorPreference(globalConcurrentExecutor) { await elsewhere(parse) }
        return try result.get()
    }

    @concurrent
    private static func elsewhere<Output: Sendable>(
        _ work: @Sendable () throws(NetworkingError) -> Output
    ) async -> Result<Output, NetworkingError> {
        Result { () throws(NetworkingError) in try work() }
    }

    /// Ends the task, once. A task that was stopped meanwhile throws why.
    func complete(_ error: NetworkingError?) throws(NetworkingError) {
        let stopped = error == nil ? control.error : nil
        let isFirst = state_.withLock { state in
            defer {
                state.isComplete = true
                state.runner = nil
            }
            return !state.isComplete
        }
        if isFirst {
            core.end(self, error: error ?? stopped)
            control.finish()
        }
        if let stopped { throw stopped }
    }

    /// Ends the task with whatever was thrown, made complete. Whoever stopped the task says why; what an interceptor saw then was
    /// only a cancellation.
    func failed(_ error: any Error, _ received: ReceivedResponse?) -> NetworkingError {
        let request = received?.transport.request ?? originalRequest
        let seen = NetworkingError.wrapping(error)
        let error = (control.error ?? seen)
            .completed(request: seen.request ?? request, response: seen.response, body: seen.body)
            .completed(request: request, response: received?.transport.head, body: received?.body)
        // With an error given there is nothing more to throw.
        try? complete(error)
        return error
    }
}
