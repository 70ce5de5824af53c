import NIOCore
import Synchronization

/// The hooks of a session that are called below it, and the seam to all of them: the session sets
/// them, and each call has a lane for them.
protocol CallHooks: Sendable {
    var taskWillPerformRedirection: (@Sendable (any SessionTask, ResponseHead, Request) async -> Request?)? { get }
    var taskNeedsNewBody: (@Sendable (any SessionTask) async -> RequestBody?)? { get }
    var taskDidSendBodyData: (@Sendable (any SessionTask, Int, Int, Int?) async -> Void)? { get }
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
        var isTaken = false
        /// Those that wait for their turn.
        var waiting = CircularBuffer<SuspendedCaller<Void, Never>>()
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
    /// - Throws: What stopped the task, or `CancellationError`.
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

    private func takeTurn(_ call: Call) async throws {
        await withTaskCancellationHandler {
            await waitForTurn()
        } onCancel: {
            // The hook that has the turn ends then, and passes it on.
            call.stop(Self.cancelled)
        }
        guard let error = call.error else { return }
        passTurn()
        throw error
    }

    private static let cancelled = NetworkingError(.cancelled, "The request was cancelled.")

    private func waitForTurn() async {
        let isFree = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if isFree { return }
        await SuspendedCaller.suspend { caller in
            let isFree = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(caller)
                return false
            }
            if isFree { caller.resume() }
        }
    }

    private func passTurn() {
        state.withLock { state -> SuspendedCaller<Void, Never>? in
            guard let next = state.waiting.popFirst() else {
                state.isTaken = false
                return nil
            }
            return next
        }?.resume()
    }

    // MARK: Sent bytes

    /// Begins with a task: notes its deadline, and tells of the bytes that it sends from now on.
    func begin(_ context: ExchangeContext) {
        state.withLock { state in
            state.hasBegun = true
            state.deadline = context.endsAt
        }
        guard hooks.taskDidSendBodyData != nil else { return }
        // The call holds its observers until it is over.
        context.call.observe { counts in
            if let counts { self.note(counts, context) }
        }
    }

    private func note(_ counts: Call.Counts, _ context: ExchangeContext) {
        let begins = state.withLock { state in
            state.sent.note(counts.sent, of: counts.expectedToSend)
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
        while context.call.state != .completed, let step = state.withLock({ $0.sent.take() }) {
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
            guard state.hasBegun, last != nil || state.isTelling || state.sent.hasSteps else { return false }
            let deadline = state.deadline
            state.ending = Task {
                await self.waitForTurn()
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
            call.stop(Self.cancelled)
        }
    }
}

/// The last hooks of a task. They are called although it is over, and have a second from the moment
/// it is stopped; then they are cancelled, as other code of the user's is at once.
private final class LastHooks: Call.Operation {
    private static let time = TimeAmount.seconds(1)

    private let work = StoppableCall()
    private let timers = Mutex<[Scheduled<Void>]>([])

    static func run(
        for call: Call,
        until deadline: NIODeadline?,
        _ hooks: @escaping @Sendable () async -> Void
    ) async {
        let last = LastHooks()
        if call.attachToEnd(last) { last.hurry() }
        if let deadline { last.schedule(at: max(deadline, .now())) { $0.hurry() } }
        try? await last.work.run(hooks)
        call.detach(last)
        for timer in last.timers.withLock(\.self) { timer.cancel() }
    }

    private func hurry() {
        schedule(at: .now() + Self.time) { $0.work.stop() }
    }

    private func schedule(at time: NIODeadline, _ body: @escaping @Sendable (LastHooks) -> Void) {
        let timer = StoppableCall.schedule(at: time) { [weak self] in
            if let self { body(self) }
        }
        timers.withLock { $0.append(timer) }
    }

    func cancel(with error: NetworkingError) {
        hurry()
    }

    func suspensionChanged() {}
    func priorityChanged() {}
}

/// The bytes of a request body that were sent and not told yet, as a value. What comes while nobody
/// takes it counts together, but for each sending of the body by itself.
struct SentBytes {
    struct Step: Equatable {
        /// The bytes since the step before, and those of this sending so far.
        var count: Int
        var total: Int
        var expected: Int?
    }

    private var told = 0
    /// One for each sending of the body, the present one last.
    private var untold: [(total: Int, expected: Int?, isAnother: Bool)] = []

    /// Notes the bytes so far; fewer than before belong to another sending.
    mutating func note(_ total: Int, of expected: Int?) {
        if let last = untold.last, total >= last.total {
            untold[untold.count - 1] = (total, expected, last.isAnother)
        } else if !untold.isEmpty || total != told {
            untold.append((total, expected, total < untold.last?.total ?? told))
        }
    }

    var hasSteps: Bool { !untold.isEmpty }

    /// The next step; nil when all was told.
    mutating func take() -> Step? {
        while !untold.isEmpty {
            let (total, expected, isAnother) = untold.removeFirst()
            if isAnother { told = 0 }
            defer { told = total }
            if total > told { return Step(count: total - told, total: total, expected: expected) }
        }
        return nil
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
}
