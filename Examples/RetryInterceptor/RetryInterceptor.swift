import Bluebonnet

/// Sends a request again when the server is busy: a 503 with `Retry-After` in seconds (RFC 9110
/// §10.2.3).
struct RetryInterceptor: Interceptor {
    /// The number of times that a request is sent at most.
    var attempts = 3
    /// The longest pause; if the server asks for more, the request is not repeated.
    var longestPause = Duration.seconds(30)
    /// The function that waits; tests replace it.
    var sleep: @Sendable (Duration, ExchangeContext) async throws -> Void = { try await $1.sleep(for: $0) }

    func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
        for _ in 1..<max(1, attempts) {
            let response = try await next(request)
            guard let pause = pause(before: request, after: response.head) else { return response }
            // Read a short body to its end, so that the next attempt can use the connection.
            _ = try? await response.body.collect(upTo: 65_536)
            // If the task is cancelled or a timeout is over, this throws at once.
            try await sleep(pause, context)
        }
        return try await next(request)
    }

    /// The time to wait before the next attempt; nil when the request is not repeated.
    private func pause(before request: Request, after head: ResponseHead) -> Duration? {
        guard head.status == .serviceUnavailable, request.body?.isReplayable ?? true,
            let seconds = head[.retryAfter].flatMap({ Int($0) }), seconds >= 0
        else { return nil }
        let pause = Duration.seconds(seconds)
        return pause <= longestPause ? pause : nil
    }
}
