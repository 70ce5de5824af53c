/// The rest of a request's way: the interceptors further in, and then the transport.
public struct Next: Sendable {
    /// A session's interceptors and its transport: made once, shared by all requests.
    final class Chain: Sendable {
        let interceptors: [any Interceptor]
        let transport: any Transport

        init(interceptors: [any Interceptor], transport: any Transport) {
            self.interceptors = interceptors
            self.transport = transport
        }

        /// The same chain with more interceptors, for one request.
        func inserting(_ more: [any Interceptor], at index: Int) -> Chain {
            Chain(
                interceptors: interceptors[..<index] + more + interceptors[index...],
                transport: transport
            )
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
                return try await chain.transport.send(request, context: context)
            }
            let rest = Next(.chain(chain, index: index + 1, context))
            return try await chain.interceptors[index].intercept(request, context: context, next: rest)
        }
    }
}
