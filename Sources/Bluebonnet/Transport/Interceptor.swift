/// A step between session and engine, for one idea about requests and responses: adapt, retry,
/// observe, respond.
///
/// It may change the request before it calls `next`, call `next` several times, change the
/// response, or respond without calling `next` at all. Interceptors of a session run in the order
/// of ``SessionConfiguration/interceptors``, outermost first, then those of
/// ``Request/interceptors``, then the built-in ones: retries, redirects, content decoding. For one
/// that only changes the request there is ``RequestAdapter``, and for one that only decides about
/// another try ``Retrier``.
///
/// An interceptor that waits is woken when the task is stopped: its Swift task is cancelled by
/// `cancel()` of the session's task, by ``Timeouts/request`` and by the end of the session.
/// ``ExchangeContext/sleep(for:)`` waits a while and throws the error that stopped the task. One
/// that does not look at its cancellation is waited for one second and then left to itself: the
/// task fails, and what the interceptor returns later is dropped.
///
/// ```swift
/// struct BearerToken: Interceptor {
///     let token: String
///     func intercept(
///         _ request: Request, context: ExchangeContext, next: Next
///     ) async throws -> TransportResponse {
///         var request = request
///         request.headerFields[.authorization] = "Bearer \(token)"
///         return try await next(request)
///     }
/// }
/// ```
///
/// Counterpart of Alamofire's `RequestInterceptor`.
public protocol Interceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - context: The task's choices.
    ///   - next: The rest of the way; call it to go on.
    /// - Returns: The response.
    /// - Throws: ``NetworkingError``; other errors reach the caller wrapped as
    ///   ``NetworkingError/Code/interceptorFailed``.
    func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse
}
