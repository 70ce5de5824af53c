import NIOCore
import NIOPosix
import Synchronization

/// Runs code of the user's (interceptors, a transport, the sequence of a body), so that whatever stops the session's task also
/// stops what waits in there. The caller's own Swift task must not be cancelled for that: it lives on.
///
/// The code runs in a Swift task of its own, which is cancelled. Code that does not look at its cancellation is waited for no
/// longer than a second, and then left to itself: a task that awaits its children would wait for ever.
final class StoppableCall<Output: Sendable>: Call.Operation {
    private struct State {
        var caller: SuspendedCaller<Void>?
        var task: Task<Void, Never>?
        var result: Result<Output, any Error>?
        var isStopped = false
        /// Runs while the code has been stopped and has not ended.
        var patience: Scheduled<Void>?
    }

    private let state = Mutex(State())
    private let patience: TimeAmount

    /// - Parameter patience: How long code that was stopped is waited for. Default: one second.
    init(patience: TimeAmount = .seconds(1)) {
        self.patience = patience
    }

    /// Runs the work until it ends, or the task of the context is stopped or its time is over.
    static func run(
        for request: Request,
        _ context: ExchangeContext,
        _ work: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        let call = StoppableCall()
        try context.call.attach(call)
        defer { context.call.detach(call) }
        let timer = context.endsAt.map { end in
            Self.schedule(at: end) {
                let timeout = request.effectiveTimeouts(over: context.configuration.timeouts).request
                context.call.stop(.requestTimedOut(request, timeout))
            }
        }
        defer { timer?.cancel() }
        return try await call.run(work)
    }

    /// Runs the work until it ends or the call is stopped, as it also is when the caller's Swift task is cancelled. Once.
    ///
    /// - Throws: What the work throws, and `CancellationError` where it was left to itself.
    func run(_ work: @escaping @Sendable () async throws -> Output) async throws -> Output {
        let executor = EventLoopTaskExecutor.preferred
        try await withTaskCancellationHandler {
            try await SuspendedCaller.suspend { caller in
                // Stopped before it began, and its time may be over.
                let isOver = state.withLock { state in
                    if state.result == nil { state.caller = caller }
                    return state.result != nil
                }
                guard !isOver else { return caller.resume(returning: ()) }
                let task = Task(executorPreference: executor) {
                    let result: Result<Output, any Error>
                    do { result = .success(try await work()) } catch { result = .failure(error) }
                    self.end(result)
                }
                let isStopped = state.withLock { state in
                    if state.result == nil { state.task = task }
                    return state.isStopped
                }
                if isStopped { task.cancel() }
            }
        } onCancel: {
            stop()
        }
        return try (state.withLock { $0.result } ?? .failure(CancellationError())).get()
    }

    /// Cancels the work. It has a moment to end by itself.
    func stop() {
        let task = state.withLock { state -> Task<Void, Never>?? in
            guard !state.isStopped, state.result == nil else { return nil }
            state.isStopped = true
            return .some(state.task)
        }
        guard let task else { return }
        task?.cancel()
        let timer = Self.schedule(at: .now().advanced(by: patience)) { self.end(.failure(CancellationError())) }
        let isOver = state.withLock { state in
            if state.result == nil { state.patience = timer }
            return state.result != nil
        }
        if isOver { timer.cancel() }
    }

    /// The first end counts.
    private func end(_ result: Result<Output, any Error>) {
        let (caller, timer) = state.withLock { state -> (SuspendedCaller<Void>?, Scheduled<Void>?) in
            guard state.result == nil else { return (nil, nil) }
            state.result = result
            defer { (state.caller, state.task, state.patience) = (nil, nil, nil) }
            return (state.caller, state.patience)
        }
        timer?.cancel()
        caller?.resume(returning: ())
    }

    /// Not on the loops of the session, which may be shut down and drop the timer.
    static func schedule(at time: NIODeadline, _ call: @escaping @Sendable () -> Void) -> Scheduled<Void> {
        NIOSingletons.posixEventLoopGroup.any().scheduleTask(deadline: time, call)
    }

    func cancel(with error: NetworkingError) {
        stop()
    }

    func suspensionChanged() {}
}
