import Bluebonnet
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The ways in which a task can be stopped from outside.
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

    /// Awaits the value of a task until it is stopped in this way, and returns its error. The
    /// closure returns when the task may be stopped; the time of `requestTimeout` runs from the
    /// start, and the closure is not called.
    func error(
        of request: Request,
        in session: SessionManager,
        whileUnderWay: (DataTask<Data>) async throws -> Void
    ) async throws -> NetworkingError {
        var request = request
        if self == .requestTimeout { request.timeouts = Timeouts(request: .milliseconds(50)) }
        let task = session.dataTask(for: request)
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
