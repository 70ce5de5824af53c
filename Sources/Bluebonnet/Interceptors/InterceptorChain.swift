/// The user's interceptors and the built-in steps behind them: made once for a session, shared by
/// its requests.
final class InterceptorChain: Next.Chain {
    let interceptors: [any Interceptor]
    let end: BuiltInSteps
    /// The adapters at the beginning, which run before anything is sent: all of them, if there are
    /// no other interceptors, or else those that never wait.
    private let adapters: [RequestAdapter]
    private let mayWaitForAdapters: Bool
    /// Whether there is other code of the user's around the built-in steps.
    private let hasMore: Bool

    init(interceptors: [any Interceptor], end: BuiltInSteps) {
        self.interceptors = interceptors
        self.end = end
        let leading = Array(
            interceptors.lazy.map { $0 as? RequestAdapter }.prefix { $0 != nil }.compactMap(\.self)
        )
        adapters = leading.count == interceptors.count ? leading : Array(leading.prefix { !$0.mayWait })
        mayWaitForAdapters = adapters.contains(where: \.mayWait)
        hasMore = adapters.count < interceptors.count || end.isTransportOfUser
    }

    /// The same chain with the interceptors of one request behind its own.
    func appending(_ more: [any Interceptor]) -> InterceptorChain {
        more.isEmpty ? self : InterceptorChain(interceptors: interceptors + more, end: end)
    }

    /// Sends a request all the way.
    func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
        if !hasMore, let request = try adaptedAtOnce(request, context, caller: #isolation) {
            return try await end.send(request, context: context)
        }
        return try await sendThroughCodeOfUser(request, context)
    }

    func send(_ request: Request, from index: Int, context: ExchangeContext) async throws -> TransportResponse {
        guard index < interceptors.count else { return try await end.send(request, context: context) }
        let rest = Next(self, from: index + 1, context: context)
        return try await interceptors[index].intercept(request, context: context, next: rest)
    }

    /// Sends a request through code of the user's, which may wait for ever and so runs where it can
    /// be stopped.
    @inline(never)
    private func sendThroughCodeOfUser(
        _ request: Request,
        _ context: ExchangeContext
    ) async throws -> TransportResponse {
        let adapted: Request
        if mayWaitForAdapters {
            adapted = try await StoppableCall.run(for: request, context, .here) { [adapters] in
                var request = request
                for adapter in adapters { request = try await adapter.adapted(request, context) }
                return request
            }
        } else if let request = try adaptedAtOnce(request, context, caller: #isolation) {
            adapted = request
        } else {
            adapted = try await adaptedElsewhere(request, context)
        }
        guard hasMore else { return try await end.send(adapted, context: context) }
        let next = Next(self, from: adapters.count, context: context)
        return try await StoppableCall.run(for: adapted, context, .elsewhere) { try await next(adapted) }
    }

    /// The adapted request; nil where an adapter may wait, or where it would run on the caller's
    /// actor.
    private func adaptedAtOnce(
        _ request: Request,
        _ context: ExchangeContext,
        caller: (any Actor)?
    ) throws -> Request? {
        guard !mayWaitForAdapters, caller == nil || adapters.isEmpty else { return nil }
        var request = request
        for adapter in adapters { request = try adapter.adaptedNow(request, context) }
        return request
    }

    @concurrent
    private func adaptedElsewhere(_ request: Request, _ context: ExchangeContext) async throws -> Request {
        try adaptedAtOnce(request, context, caller: nil) ?? request
    }
}
