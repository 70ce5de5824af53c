/// The rest of a request's way: the interceptors further in, and then the transport.
public struct Next: Sendable {
    /// The user's interceptors and what comes behind them: made once for a session, shared by its requests.
    final class Chain: Sendable {
        let interceptors: [any Interceptor]
        let end: BuiltInSteps

        init(interceptors: [any Interceptor], end: BuiltInSteps) {
            self.interceptors = interceptors
            self.end = end
        }

        /// The same chain with the interceptors of one request behind its own.
        func appending(_ more: [any Interceptor]) -> Chain {
            more.isEmpty ? self : Chain(interceptors: interceptors + more, end: end)
        }
    }

    private enum Step: Sendable {
        case chain(Chain, index: Int, ExchangeContext)
        case closure(@Sendable (Request) async throws -> TransportResponse)
    }

    private let step: Step

    init(_ chain: Chain, context: ExchangeContext) {
        step = .chain(chain, index: 0, context)
    }

    private init(_ step: Step) {
        self.step = step
    }

    /// A way that ends in a closure: for testing an interceptor alone.
    ///
    /// - Parameter answer: Returns the response to the request.
    public init(answer: @escaping @Sendable (Request) async throws -> TransportResponse) {
        step = .closure(answer)
    }

    /// Sends the request the rest of the way.
    ///
    /// - Parameter request: What is to be sent.
    /// - Returns: The response.
    /// - Throws: What the rest of the way throws.
    public func callAsFunction(_ request: Request) async throws -> TransportResponse {
        switch step {
        case .closure(let answer):
            return try await answer(request)
        case .chain(let chain, let index, let context):
            guard index < chain.interceptors.count else {
                return try await chain.end.send(request, context: context)
            }
            let rest = Next(.chain(chain, index: index + 1, context))
            return try await chain.interceptors[index].intercept(request, context: context, next: rest)
        }
    }
}
