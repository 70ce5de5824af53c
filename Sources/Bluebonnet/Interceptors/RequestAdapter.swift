/// An interceptor that only changes the request, asynchronously if need be, or refuses it.
///
/// Adapters run in their order among the other interceptors, session-wide or for one request. Counterpart of Alamofire's
/// `RequestAdapter`.
///
/// ```swift
/// configuration.interceptors = [
///     RequestAdapter { request in
///         request.headerFields[.authorization] = "Bearer \(try await tokens.current())"
///     }
/// ]
/// ```
public struct RequestAdapter: Interceptor {
    private let adapt: @Sendable (inout Request, ExchangeContext) async throws -> Void

    /// Makes an adapter.
    ///
    /// - Parameter adapt: Changes the request. What it throws fails the request with
    ///   ``NetworkingError/Code/requestAdaptationFailed`` and is ``NetworkingError/underlying``; nothing is sent then.
    public init(_ adapt: @escaping @Sendable (_ request: inout Request) async throws -> Void) {
        self.adapt = { request, _ in try await adapt(&request) }
    }

    /// Makes an adapter that looks at the context too.
    ///
    /// - Parameter adapt: Changes the request. What it throws fails the request with
    ///   ``NetworkingError/Code/requestAdaptationFailed`` and is ``NetworkingError/underlying``; nothing is sent then.
    public init(
        _ adapt: @escaping @Sendable (_ request: inout Request, _ context: ExchangeContext) async throws -> Void
    ) {
        self.adapt = adapt
    }

    /// Changes the request and sends it on.
    ///
    /// - Parameters:
    ///   - request: What is to be sent.
    ///   - context: The task's choices.
    ///   - next: The rest of the way.
    /// - Returns: The response.
    /// - Throws: ``NetworkingError/Code/requestAdaptationFailed``, and what the rest of the way throws.
    public func intercept(
        _ request: Request,
        context: ExchangeContext,
        next: Next
    ) async throws -> TransportResponse {
        var adapted = request
        do {
            try await adapt(&adapted, context)
        } catch {
            // A wait that was cancelled is not the adapter's failure.
            if Task.isCancelled { throw error }
            throw NetworkingError(
                .requestAdaptationFailed,
                "\(request) could not be prepared: \(error)",
                request: request,
                underlying: error
            )
        }
        return try await next(adapted)
    }
}
