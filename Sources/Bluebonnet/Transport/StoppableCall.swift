import NIOCore
import NIOPosix
import Synchronization

/// Runs code of the user's (interceptors, a transport, the sequence of a body), so that everything
/// that stops the session's task also stops code that waits. The caller's own Swift task must not
/// be cancelled for that, because it goes on.
///
/// The code runs in a Swift task of its own, which is cancelled. Code that does not look at its
/// cancellation is waited for no longer than a second, and then left to itself: a task that awaits
/// its children would wait for ever.
///
/// Not generic, because an object that is freed for every request should not have to look up its
/// own type.
final class StoppableCall: Call.Operation {
    /// The place where the code begins.
    enum Beginning {
        /// At once and on the thread of its caller, until it first waits; elsewhere, if the caller
        /// is an actor. Code that never waits ends there, without a change of thread, and cannot be
        /// stopped.
        case here
        /// In the new Swift task from the start: code that never waits can be stopped too.
        case elsewhere
    }

    private enum End {
        case byItself
        /// It was stopped and did not end.
        case leftToItself
    }

    private struct State {
        var caller: SuspendedCaller<Void, Never>?
        /// Cancels the Swift task of the code.
        var cancel: (@Sendable () -> Void)?
        var end: End?
        var isStopped = false
        /// Runs while the code has been stopped and has not ended.
        var patience: Scheduled<Void>?
    }

    private let state = Mutex(State())
    private let patience: TimeAmount

    /// - Parameter patience: The time that stopped code has to end. Default: one second.
    init(patience: TimeAmount = .seconds(1)) {
        self.patience = patience
    }

    /// Runs the work until it ends, or the task of the context is stopped or its time is over.
    ///
    /// - Throws: What the work throws, and `CancellationError` where it did not begin or was left
    ///   to itself.
    static func run<Output: Sendable>(
        for request: Request,
        _ context: ExchangeContext,
        _ beginning: Beginning,
        caller: (any Actor)? = #isolation,
        _ work: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        let call = StoppableCall()
        let task = beginning == .here && caller == nil ? try call.beginHere(work) : nil
        if let task, call.hasEnded { return try await task.value }
        defer { context.call.detach(call) }
        do throws(NetworkingError) {
            try context.call.attach(call)
        } catch {
            guard task != nil else { throw error }
            call.stop()
        }
        let timer = context.endsAt.map { end in Self.schedule(at: end) { context.timeOut(request) } }
        defer { timer?.cancel() }
        return try await call.end(of: try task ?? call.begin(work))
    }

    /// Runs the work until it ends or the call is stopped, as it also is when the caller's Swift
    /// task is cancelled. Once.
    ///
    /// - Throws: What the work throws, and `CancellationError` where it did not begin or was left
    ///   to itself.
    func run<Output: Sendable>(_ work: @escaping @Sendable () async throws -> Output) async throws -> Output {
        try await end(of: try begin(work))
    }

    private func begin<Output: Sendable>(
        _ work: @escaping @Sendable () async throws -> Output
    ) throws -> Task<Output, any Error> {
        try checkBeginning()
        let task = Task(executorPreference: EventLoopTaskExecutor.preferred) {
            defer { self.end(.byItself) }
            return try await work()
        }
        keep(task)
        return task
    }

    private func beginHere<Output: Sendable>(
        _ work: @escaping @Sendable () async throws -> Output
    ) throws -> Task<Output, any Error> {
        guard #available(macOS 26, *) else { return try begin(work) }
        try checkBeginning()
        let task = Task.immediate(executorPreference: EventLoopTaskExecutor.preferred) {
            defer { self.end(.byItself) }
            return try await work()
        }
        keep(task)
        return task
    }

    /// A caller that was cancelled begins nothing more.
    private func checkBeginning() throws {
        try Task.checkCancellation()
        if hasEnded { throw CancellationError() }
    }

    private var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// From now on the task is cancelled when the call is stopped.
    private func keep<Output: Sendable>(_ task: Task<Output, any Error>) {
        let isStopped = state.withLock { state in
            if state.end == nil { state.cancel = { task.cancel() } }
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    private func end<Output: Sendable>(of task: Task<Output, any Error>) async throws -> Output {
        await withTaskCancellationHandler {
            await SuspendedCaller.suspend { caller in
                let hasEnded = state.withLock { state in
                    if state.end == nil { state.caller = caller }
                    return state.end != nil
                }
                if hasEnded { caller.resume() }
            }
        } onCancel: {
            stop()
        }
        guard case .byItself = state.withLock({ $0.end }) else { throw CancellationError() }
        // It has ended: the task tells so as its last step.
        return try await task.value
    }

    /// Cancels the work. The work then has the time of `patience` to end by itself.
    func stop() {
        let (isFirst, cancel) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isStopped, state.end == nil else { return (false, nil) }
            state.isStopped = true
            return (true, state.cancel)
        }
        guard isFirst else { return }
        cancel?()
        let timer = Self.schedule(at: .now().advanced(by: patience)) { self.end(.leftToItself) }
        let hasEnded = state.withLock { state in
            if state.end == nil { state.patience = timer }
            return state.end != nil
        }
        if hasEnded { timer.cancel() }
    }

    /// Ends the call; only the first end counts.
    private func end(_ end: End) {
        let (caller, timer) = state.withLock { state -> (SuspendedCaller<Void, Never>?, Scheduled<Void>?) in
            guard state.end == nil else { return (nil, nil) }
            state.end = end
            defer { (state.caller, state.cancel, state.patience) = (nil, nil, nil) }
            return (state.caller, state.patience)
        }
        timer?.cancel()
        caller?.resume()
    }

    /// Not on the loops of the session, which may be shut down and drop the timer.
    static func schedule(at time: NIODeadline, _ call: @escaping @Sendable () -> Void) -> Scheduled<Void> {
        NIOSingletons.posixEventLoopGroup.any().scheduleTask(deadline: time, call)
    }

    func cancel(with error: NetworkingError) {
        stop()
    }

    func suspensionChanged() {}
    func priorityChanged() {}
}
