import Bluebonnet
import HTTPTypes

/// Sends a request again when the server is busy: a 503 with `Retry-After` in seconds (RFC 9110
/// §10.2.3).
struct RetryInterceptor: Interceptor {
    /// How many times a request is sent in all.
    var attempts = 3
    /// A server that asks for more patience than this gets none.
    var longestPause = Duration.seconds(30)
    /// What waits; another one in tests.
    var sleep: @Sendable (Duration, ExchangeContext) async throws -> Void = { try await $1.sleep(for: $0) }

    func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
        for _ in 1..<max(1, attempts) {
            let response = try await next(request)
            guard let pause = pause(before: request, after: response.head) else { return response }
            // A short body is read, so that the next attempt finds its connection free.
            _ = try? await response.body.collect(upTo: 65_536)
            // Whatever stops the task wakes it, and is thrown.
            try await sleep(pause, context)
        }
        return try await next(request)
    }

    /// How long to wait; nil when the answer stands.
    private func pause(before request: Request, after head: ResponseHead) -> Duration? {
        guard head.status == .serviceUnavailable, request.body?.isReplayable ?? true,
            let seconds = head[.retryAfter].flatMap({ Int($0) }), seconds >= 0
        else { return nil }
        let pause = Duration.seconds(seconds)
        return pause <= longestPause ? pause : nil
    }
}
