import NIOCore
import Synchronization

/// The hooks of a session that are called below it, and the seam to all of them: the session sets
/// them, and each call has a lane for them.
protocol CallHooks: Sendable {
    var sessionDidReceiveChallenge: (@Sendable (ClientCertificateChallenge) async -> ChallengeDisposition)? { get }
    var taskWillPerformRedirection: (@Sendable (any SessionTask, ResponseHead, Request) async -> Request?)? { get }
    var taskDidReceiveChallenge: (@Sendable (any SessionTask, AuthenticationChallenge) async -> ChallengeDisposition)? {
        get
    }
    var taskWillRetry: (@Sendable (any SessionTask, TaskRetry) async -> Void)? { get }
    var taskIsWaitingForConnectivity: (@Sendable (any SessionTask) async -> Void)? { get }
    var taskNeedsNewBody: (@Sendable (any SessionTask) async -> RequestBody?)? { get }
    var taskDidSendBodyData: (@Sendable (any SessionTask, Int, Int, Int?) async -> Void)? { get }
    var dataTaskWillCacheResponse: (@Sendable (any SessionTask, ResponseHead) async -> ResponseHead?)? { get }
}

/// Calls the hooks for one task, one after the other in the order in which they are due.
///
/// What is due while a hook runs waits for its turn. The hook runs as other code of the user's does
/// (``StoppableCall``): whatever stops the task ends the wait for it.
///
/// The bytes of a request body are counted while the rest of the task waits for the response. They
/// are told in a Swift task that ends with them, and before any other hook gets its turn.
final class HookLane: Sendable {
    private struct State {
        /// Whether the task has begun, so that its end is told.
        var hasBegun = false
        /// Whether none but the last hooks is called any more.
        var isOver = false
        var isTaken = false
        /// Those that wait for their turn, by their numbers.
        var waiting = CircularBuffer<(number: Int, caller: SuspendedCaller<Void, any Error>)>()
        var lastNumber = 0
        var sent = SentBytes()
        /// Whether a Swift task tells of sent bytes, or has failed to.
        var isTelling = false
        /// The time at which the task must be over.
        var deadline: NIODeadline?
        /// Calls the last hooks, when the task is over.
        var ending: Task<Void, Never>?
    }

    let hooks: any CallHooks
    private let state = Mutex(State())

    init(_ hooks: any CallHooks) {
        self.hooks = hooks
    }

    /// Calls a hook when those before it are over.
    ///
    /// - Parameters:
    ///   - context: The context of the task, which ends the wait.
    ///   - hook: Calls the hook.
    /// - Returns: What the hook returns.
    /// - Throws: What stopped the task, or `CancellationError`, also where its last hooks are due.
    func call<Output: Sendable>(
        in context: ExchangeContext,
        _ hook: @escaping @Sendable () async -> Output
    ) async throws -> Output {
        try await takeTurn(context.call)
        defer { passTurn() }
        try await tellSent(context)
        let output = try await StoppableCall.run(for: context.call.originalRequest, context, .here, hook)
        // What a hook wants that was stopped counts no more.
        if let error = context.call.error { throw error }
        try Task.checkCancellation()
        return output
    }

    // MARK: Turns

    /// Who waits in a Swift task that is cancelled leaves. That need not be the end of the task: it
    /// may be one of several requests that an interceptor or a download makes at once.
    private func takeTurn(_ call: Call) async throws {
        let number = newNumber()
        do {
            try await withTaskCancellationHandler {
                try await waitForTurn(number)
            } onCancel: {
                leave(number)
            }
        } catch {
            throw call.error ?? error
        }
        let isOver = state.withLock(\.isOver)
        guard let error: any Error = call.error ?? (isOver ? CancellationError() : nil) else { return }
        passTurn()
        throw error
    }

    private func newNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// - Throws: `CancellationError` where it has left.
    private func waitForTurn(_ number: Int) async throws {
        let isFree = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if isFree { return }
        try await SuspendedCaller<Void, any Error>.suspend { caller in
            let isFree = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append((number, caller))
                return false
            }
            if isFree { return caller.resume(returning: ()) }
            // It may have been cancelled before it was among those that wait.
            if Task.isCancelled { leave(number) }
        }
    }

    private func leave(_ number: Int) {
        state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).caller }
        }?.resume(throwing: CancellationError())
    }

    private func passTurn() {
        state.withLock { state -> SuspendedCaller<Void, any Error>? in
            guard let next = state.waiting.popFirst() else {
                state.isTaken = false
                return nil
            }
            return next.caller
        }?.resume(returning: ())
    }

    // MARK: Sent bytes

    /// Begins with a task, and notes its deadline.
    func begin(_ context: ExchangeContext) {
        state.withLock { state in
            state.hasBegun = true
            state.deadline = context.endsAt
        }
    }

    /// Tells of the bytes that a task sends from now on.
    ///
    /// - Parameters:
    ///   - context: The context of the task.
    ///   - earlier: The lane of a task that has become this one, and has told of what was sent
    ///     before. Default: none.
    func beginTellingSent(_ context: ExchangeContext, after earlier: HookLane? = nil) {
        guard hooks.taskDidSendBodyData != nil else { return }
        if let sent = earlier?.takeSent() { state.withLock { $0.sent = sent } }
        // The call holds its observers until it is over.
        context.call.observe { counts in
            if let counts { self.note(counts, context) }
        }
        // What was sent meanwhile. The observer may have more by now.
        if earlier != nil { note(context.call.counts, context, isEarlier: true) }
    }

    /// Gives away what was sent and not told. What follows is the other task's.
    private func takeSent() -> SentBytes {
        state.withLock { state in
            defer { state.sent = SentBytes() }
            return state.sent
        }
    }

    /// Calls no hook any more: the task has become another one.
    func close() {
        state.withLock { $0.isOver = true }
    }

    private func note(_ counts: Call.Counts, _ context: ExchangeContext, isEarlier: Bool = false) {
        let begins = state.withLock { state in
            if isEarlier {
                state.sent.noteEarlier(counts.sent, of: counts.expectedToSend)
            } else {
                state.sent.note(counts.sent, of: counts.expectedToSend)
            }
            guard !state.isTelling, state.sent.hasSteps else { return false }
            state.isTelling = true
            return true
        }
        if begins { Task { await tell(context) } }
    }

    private func tell(_ context: ExchangeContext) async {
        repeat {
            do {
                try await takeTurn(context.call)
                defer { passTurn() }
                try await tellSent(context)
            } catch {
                return
            }
            // The rest is told at its end.
            if context.call.state == .completed { return }
        } while state.withLock { state in
            state.isTelling = state.sent.hasSteps
            return state.isTelling
        }
    }

    /// Called by the one that has the turn.
    private func tellSent(_ context: ExchangeContext) async throws {
        guard let hook = hooks.taskDidSendBodyData else { return }
        while context.call.state != .completed,
            let step = state.withLock({ state in state.isOver ? nil : state.sent.take() })
        {
            let task = context.call.presented
            try await StoppableCall.run(for: context.call.originalRequest, context, .here) {
                await hook(task, step.count, step.total, step.expected)
            }
        }
    }

    // MARK: The end

    /// Calls the last hooks of a call that had begun and is over, in a Swift task that
    /// ``settle(_:)`` waits for.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - last: Calls them; nil for none.
    ///   - done: Called afterwards, or at once where there is nothing to tell.
    func end(_ call: Call, _ last: (@Sendable () async -> Void)?, done: @escaping @Sendable () -> Void) {
        let hasSome = state.withLock { state in
            state.isOver = true
            guard state.hasBegun, last != nil || state.isTelling || state.sent.hasSteps else { return false }
            let deadline = state.deadline
            state.ending = Task {
                // Nobody cancels it.
                try? await self.waitForTurn(self.newNumber())
                await LastHooks.run(for: call, until: deadline) {
                    await self.tellRest(call)
                    await last?()
                }
                self.passTurn()
                done()
            }
            return true
        }
        if !hasSome { done() }
    }

    private func tellRest(_ call: Call) async {
        guard let hook = hooks.taskDidSendBodyData, call.error == nil else { return }
        while let step = state.withLock({ $0.sent.take() }) {
            await hook(call.presented, step.count, step.total, step.expected)
        }
    }

    /// Returns when the last hooks of a call that is over have been called.
    func settle(_ call: Call) async {
        guard let ending = state.withLock(\.ending) else { return }
        await withTaskCancellationHandler {
            await ending.value
        } onCancel: {
            call.stop(NetworkingError(.cancelled, "The request was cancelled."))
        }
    }
}

extension ExchangeContext {
    /// Asks for a body in the place of one that was sent and cannot be sent again.
    ///
    /// - Returns: The body; nil where nobody has one.
    func newBody() async throws -> RequestBody? {
        guard let lane = call.hooks, let hook = lane.hooks.taskNeedsNewBody else { return nil }
        let task = call.presented
        return try await lane.call(in: self) { await hook(task) }
    }

    /// Tells events, observers and the hook that a request is going to be sent again.
    func tell(_ retry: TaskRetry) async throws {
        call.willRetry(retry)
        guard let lane = call.hooks, let hook = lane.hooks.taskWillRetry else { return }
        let task = call.presented
        try await lane.call(in: self) { await hook(task, retry) }
    }
}
