/// An interceptor that only changes the request, asynchronously if need be, or refuses it.
///
/// Adapters run in their order among the other interceptors, session-wide or for one request.
/// Counterpart of Alamofire's `RequestAdapter`.
///
/// Until it first waits for something, an adapter cannot be stopped; a closure that awaits nothing
/// costs little more than its own work. It does not run on the actor of the caller. One that waits
/// is woken when the task is stopped, like any ``Interceptor``.
///
/// <!-- snippet: actor Tokens { func current() throws -> String { "" } }
/// let tokens = Tokens() -->
/// ```swift
/// configuration.interceptors = [
///     RequestAdapter { request in
///         request.headerFields[.authorization] = "Bearer \(try await tokens.current())"
///     }
/// ]
/// ```
public struct RequestAdapter: Interceptor {
    /// A closure that awaits nothing cannot wait for ever: it needs no Swift task that could be
    /// cancelled.
    private enum Change: Sendable {
        case now(@Sendable (inout Request, ExchangeContext) throws -> Void)
        case later(@Sendable (inout Request) async throws -> Void)
        case laterInContext(@Sendable (inout Request, ExchangeContext) async throws -> Void)
    }

    private let change: Change

    /// Makes an adapter of a closure that awaits something.
    ///
    /// - Parameter adapt: Changes the request. What it throws fails the request with
    ///   ``NetworkingError/Code/requestAdaptationFailed`` and is ``NetworkingError/underlying``;
    ///   nothing is sent then.
    public init(_ adapt: @escaping @Sendable (_ request: inout Request) async throws -> Void) {
        change = .later(adapt)
    }

    /// Makes an adapter of a closure that awaits something, and looks at the context too.
    ///
    /// - Parameter adapt: Changes the request. What it throws fails the request with
    ///   ``NetworkingError/Code/requestAdaptationFailed`` and is ``NetworkingError/underlying``;
    ///   nothing is sent then.
    public init(
        _ adapt: @escaping @Sendable (_ request: inout Request, _ context: ExchangeContext) async throws -> Void
    ) {
        change = .laterInContext(adapt)
    }

    /// Makes an adapter of a closure that awaits nothing.
    ///
    /// - Parameter adapt: Changes the request. What it throws fails the request with
    ///   ``NetworkingError/Code/requestAdaptationFailed`` and is ``NetworkingError/underlying``;
    ///   nothing is sent then.
    public init(_ adapt: @escaping @Sendable (_ request: inout Request) throws -> Void) {
        change = .now { request, _ in try adapt(&request) }
    }

    /// Makes an adapter of a closure that awaits nothing, and looks at the context too.
    ///
    /// - Parameter adapt: Changes the request. What it throws fails the request with
    ///   ``NetworkingError/Code/requestAdaptationFailed`` and is ``NetworkingError/underlying``;
    ///   nothing is sent then.
    public init(_ adapt: @escaping @Sendable (_ request: inout Request, _ context: ExchangeContext) throws -> Void) {
        change = .now(adapt)
    }

    /// Changes the request and sends it on.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - context: The task's choices.
    ///   - next: The rest of the way.
    /// - Returns: The response.
    /// - Throws: ``NetworkingError/Code/requestAdaptationFailed``, and what the rest of the way
    ///   throws.
    public func intercept(
        _ request: Request,
        context: ExchangeContext,
        next: Next
    ) async throws -> TransportResponse {
        try await next(try await adapted(request, context))
    }

    /// Whether it may wait for something.
    var mayWait: Bool {
        if case .now = change { false } else { true }
    }

    /// The request as it is sent on.
    func adapted(_ request: Request, _ context: ExchangeContext) async throws -> Request {
        var adapted = request
        do {
            switch change {
            case .now(let adapt): try adapt(&adapted, context)
            case .later(let adapt): try await adapt(&adapted)
            case .laterInContext(let adapt): try await adapt(&adapted, context)
            }
        } catch {
            throw Self.failure(error, request)
        }
        return adapted
    }

    /// The request as it is sent on by an adapter that never waits; others do not change it.
    func adaptedNow(_ request: Request, _ context: ExchangeContext) throws -> Request {
        guard case .now(let adapt) = change else { return request }
        var adapted = request
        do {
            try adapt(&adapted, context)
        } catch {
            throw Self.failure(error, request)
        }
        return adapted
    }

    private static func failure(_ error: any Error, _ request: Request) -> any Error {
        // A wait that was cancelled is not the adapter's failure.
        if Task.isCancelled { return error }
        return NetworkingError(
            .requestAdaptationFailed,
            "\(request) could not be prepared: \(error)",
            request: request,
            underlying: error
        )
    }
}
