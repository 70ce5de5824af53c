import Synchronization

/// Runs code of the user's (interceptors, a transport, the sequence of a body) in a child task, so that
/// whatever stops the session's task also wakes what waits in there. The caller's own Swift task must
/// not be cancelled for that: it lives on.
final class StoppableCall: TaskControl.Operation {
    private struct State {
        var caller: SuspendedCaller?
        var isOver = false
    }

    private let state = Mutex(State())

    private init() {}

    /// Runs the work; it is cancelled when the task of the context is stopped or its time is over.
    static func run<Result: Sendable>(
        for request: Request,
        _ context: ExchangeContext,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let call = StoppableCall()
        try context.control.attach(call)
        defer { context.control.detach(call) }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                defer { call.end() }
                return try await work()
            }
            if let deadline = context.deadline {
                group.addTask {
                    guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return nil }
                    let timeout = request.effectiveTimeouts(over: context.configuration.timeouts).request
                    context.control.cancel(with: .requestTimedOut(request, timeout))
                    return nil
                }
            }
            // Over or stopped: the first child ends in either case, and the clock is not needed any more.
            await call.wait()
            group.cancelAll()
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    private func wait() async {
        await SuspendedCaller.suspend { caller in
            let isOver = state.withLock { state in
                if !state.isOver { state.caller = caller }
                return state.isOver
            }
            if isOver { caller.resume() }
        }
    }

    private func end() {
        let caller = state.withLock { state in
            state.isOver = true
            defer { state.caller = nil }
            return state.caller
        }
        caller?.resume()
    }

    func cancel(with error: NetworkingError) {
        end()
    }

    func setSuspended(_ isSuspended: Bool) {}
}
