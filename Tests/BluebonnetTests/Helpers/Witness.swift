import Bluebonnet

/// Ends a stream when its last reference is released. A session can hold it as an interceptor that
/// does nothing.
final class Witness: Interceptor {
    private let continuation: AsyncStream<Void>.Continuation

    private init(_ continuation: AsyncStream<Void>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }

    /// A witness and the stream that ends with it.
    static func make() -> (witness: Witness, end: AsyncStream<Void>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        return (Witness(continuation), stream)
    }

    func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
        try await next(request)
    }
}
