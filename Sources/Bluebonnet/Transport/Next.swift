/// The rest of a request's way: the interceptors further in, and then the transport.
///
/// Counterpart of the completion closures of Alamofire's `RequestInterceptor`.
public struct Next: Sendable {
    /// The interceptors, by their numbers, and then the transport.
    protocol Chain: AnyObject, Sendable {
        /// Sends a request the rest of the way, from the interceptor of this number on.
        func send(_ request: Request, from index: Int, context: ExchangeContext) async throws -> TransportResponse
    }

    private enum Step: Sendable {
        case chain(any Chain, index: Int, ExchangeContext)
        case closure(@Sendable (Request) async throws -> TransportResponse)
    }

    private let step: Step

    /// The rest of a chain, from the interceptor of this number on.
    init(_ chain: any Chain, from index: Int, context: ExchangeContext) {
        step = .chain(chain, index: index, context)
    }

    /// A way that ends in a closure: for testing an interceptor alone.
    ///
    /// - Parameter respond: Returns the response to the request.
    public init(respond: @escaping @Sendable (Request) async throws -> TransportResponse) {
        step = .closure(respond)
    }

    /// Sends the request the rest of the way.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response.
    /// - Throws: What the rest of the way throws.
    public func callAsFunction(_ request: Request) async throws -> TransportResponse {
        switch step {
        case .closure(let respond):
            return try await respond(request)
        case .chain(let chain, let index, let context):
            return try await chain.send(request, from: index, context: context)
        }
    }
}
