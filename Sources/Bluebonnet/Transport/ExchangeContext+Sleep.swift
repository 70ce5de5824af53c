import NIOCore
import Synchronization

extension ExchangeContext {
    /// Waits a while: for interceptors that wait before they send a request again.
    ///
    /// Whatever stops the task wakes it at once, also in a Swift task that the interceptor has made
    /// itself: `cancel()`, ``Timeouts/request``, the end of the session, and the cancellation of
    /// the Swift task that waits. A task that is suspended sleeps on.
    ///
    /// <!-- snippet:
    /// func intercept(
    ///     _ request: Request, context: ExchangeContext, next: Next
    /// ) async throws -> TransportResponse {
    /// …
    /// }
    /// -->
    /// ```swift
    /// let response = try await next(request)
    /// guard response.head.status == .serviceUnavailable else { return response }
    /// try await context.sleep(for: .seconds(1))
    /// return try await next(request)
    /// ```
    ///
    /// - Parameter duration: The time to wait, 292 years at most. Zero or less only checks whether
    ///   the task was stopped.
    /// - Throws: The ``NetworkingError`` that stopped the task, such as
    ///   ``NetworkingError/Code/requestTimeout``, or ``NetworkingError/Code/cancelled`` where only
    ///   the Swift task was.
    public func sleep(for duration: Duration) async throws(NetworkingError) {
        let sleep = Sleep(endsAtResumption: false)
        try call.attach(sleep)
        defer { call.detach(sleep) }
        if duration > .zero { await wait(sleep, until: .now().advanced(by: duration)) }
        try checkStopped()
    }

    /// Waits until it is woken, the time is over, or whatever stops the task.
    ///
    /// - Parameters:
    ///   - limit: The longest wait; nil for no limit.
    ///   - begin: Gets what wakes it.
    /// - Throws: What stopped the task.
    func sleep(
        atMost limit: Duration?,
        _ begin: (_ wake: @escaping @Sendable () -> Void) -> Void
    ) async throws(NetworkingError) {
        let sleep = Sleep(endsAtResumption: false)
        try call.attach(sleep)
        defer { call.detach(sleep) }
        begin { sleep.wake() }
        await wait(sleep, until: limit.map { .now().advanced(by: $0) } ?? .distantFuture)
        try checkStopped()
    }

    /// Waits until the task is resumed, or whatever stops it.
    func waitWhileSuspended() async throws(NetworkingError) {
        while isSuspended {
            let sleep = Sleep(endsAtResumption: true)
            try call.attach(sleep)
            defer { call.detach(sleep) }
            // Before it was attached, nobody told it of a resumption.
            if isSuspended { await wait(sleep, until: .distantFuture) }
            try checkStopped()
        }
    }

    var isSuspended: Bool { call.isSuspended }

    private func wait(_ sleep: Sleep, until end: NIODeadline) async {
        await sleep.wait(until: min(end, endsAt ?? .distantFuture))
    }

    /// Throws the error of a task that was stopped, or whose time is over.
    func checkStopped() throws(NetworkingError) {
        // No timer runs for its end, or it may not have fired yet.
        if let endsAt, .now() >= endsAt { timeOut(call.originalRequest) }
        if let error = call.error { throw error }
        if Task.isCancelled { throw NetworkingError(.cancelled, "The request was cancelled.") }
    }
}

/// One wait, which ends at a time, when somebody wakes it, or by the cancellation of the Swift task
/// that waits.
final class WakeableWait: Sendable {
    private struct State {
        var caller: SuspendedCaller<Void, Never>?
        var timer: Scheduled<Void>?
        var isOver = false
    }

    private let state = Mutex(State())

    /// Waits, once; not at all where it was woken before.
    func wait(until end: NIODeadline) async {
        await withTaskCancellationHandler {
            await SuspendedCaller.suspend { caller in
                let timer = end < .distantFuture ? StoppableCall.schedule(at: end) { self.wake() } : nil
                let isOver = state.withLock { state in
                    if !state.isOver { (state.caller, state.timer) = (caller, timer) }
                    return state.isOver
                }
                guard isOver else { return }
                timer?.cancel()
                caller.resume()
            }
        } onCancel: {
            wake()
        }
    }

    func wake() {
        let (caller, timer) = state.withLock { state -> (SuspendedCaller<Void, Never>?, Scheduled<Void>?) in
            state.isOver = true
            defer { (state.caller, state.timer) = (nil, nil) }
            return (state.caller, state.timer)
        }
        timer?.cancel()
        caller?.resume()
    }
}

/// A wait of a call, which what stops the call ends and, where that is asked for, its resumption.
private final class Sleep: Call.Operation {
    private let endsAtResumption: Bool
    private let sleeper = WakeableWait()

    init(endsAtResumption: Bool) {
        self.endsAtResumption = endsAtResumption
    }

    func wait(until end: NIODeadline) async { await sleeper.wait(until: end) }

    func wake() { sleeper.wake() }

    func cancel(with error: NetworkingError) { wake() }

    func suspensionChanged() {
        if endsAtResumption { sleeper.wake() }
    }

    func priorityChanged() {}
}
