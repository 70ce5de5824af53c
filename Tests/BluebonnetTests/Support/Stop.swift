import Bluebonnet

/// What stops a task from outside.
enum Stop: CaseIterable {
    case cancel, cancelledCaller, requestTimeout, endOfSession

    /// The code of the error that the task must end with.
    var code: NetworkingError.Code {
        switch self {
        case .cancel, .cancelledCaller: .cancelled
        case .requestTimeout: .requestTimeout
        case .endOfSession: .sessionInvalidated
        }
    }

    /// Awaits the value of a task until it is stopped in this way, and returns its error.
    ///
    /// - Parameters:
    ///   - request: What the task sends; with a time of its own for `requestTimeout`.
    ///   - whileUnderWay: Returns when the task may be stopped. Not called for `requestTimeout`.
    func error(
        of request: Request,
        in session: SessionManager,
        whileUnderWay: (DataTask) async throws -> Void
    ) async throws -> NetworkingError {
        var request = request
        if self == .requestTimeout { request.timeouts = Timeouts(request: .milliseconds(50)) }
        let task = session.dataTask(request)
        let caller = Task { try await task.value }
        if self != .requestTimeout { try await whileUnderWay(task) }
        switch self {
        case .cancel: task.cancel()
        case .cancelledCaller: caller.cancel()
        case .requestTimeout: break
        case .endOfSession: session.invalidate()
        }
        return try await networkingError { try await caller.value }
    }
}
