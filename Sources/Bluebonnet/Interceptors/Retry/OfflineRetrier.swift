import HTTPTypes
import Synchronization

/// Sends a request again that failed because there was no network, as soon as there is one.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.retriers = [OfflineRetrier(longestWait: .seconds(30))]
/// ```
///
/// Where there is a path to the host it decides nothing, and the next retrier or the
/// ``RetryPolicy`` does. When the longest wait is over without a path, it has no part in what
/// follows either: without a policy the error is the result, and with one the request is sent again
/// by its rules, whatever the network looks like. It never repeats a request that the server may
/// have processed, unless its method is idempotent (RFC 9110 §9.2.2).
///
/// With a proxy, the path is that to the proxy.
///
/// Counterpart of Alamofire's `OfflineRetrier`, which does not have the request sent again either
/// when its wait is over.
public struct OfflineRetrier: Retrier, Hashable {
    /// The longest wait for a path. Default: 5 seconds. Zero or less: none.
    public var longestWait: Duration

    /// The errors after which it looks whether there is a network. Default: those of name lookup,
    /// of a connection that could not be made or was lost, and of a response that did not come in
    /// time.
    public var errorCodes: Set<NetworkingError.Code>

    /// Makes a retrier.
    ///
    /// - Parameters:
    ///   - longestWait: The longest wait for a path. Default: 5 seconds.
    ///   - errorCodes: The errors after which it looks. Default: those of
    ///     ``RetryPolicy/errorCodes`` of the standard policy.
    public init(
        longestWait: Duration = .seconds(5),
        errorCodes: Set<NetworkingError.Code> = RetryPolicy.standard.errorCodes
    ) {
        self.longestWait = longestWait
        self.errorCodes = errorCodes
    }

    private static let repeatable: Set<HTTPRequest.Method> = [.delete, .get, .head, .options, .put, .trace]

    /// Waits for a path where there is none.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - context: The task's choices.
    /// - Returns: ``RetryDecision/retryNow`` when the path is there, else
    ///   ``RetryDecision/byPolicy``.
    public func decision(after attempt: RetryAttempt, context: ExchangeContext) async -> RetryDecision {
        guard longestWait > .zero, let error = attempt.error, errorCodes.contains(error.code),
            !attempt.mayHaveBeenProcessed || Self.repeatable.contains(attempt.request.method)
        else { return .byPolicy }
        let destination = context.destination(of: attempt.request)
        do {
            guard let state = try await context.network(), state.path(to: destination).status == .notReachable else {
                return .byPolicy
            }
            // A host may have a route where there is no default one. A name that was not found is
            // not looked up again.
            if destination == nil, error.code != .dnsLookupFailed,
                let endpoint = context.lastEndpoint(of: attempt.request)
            {
                let addresses = try await context.addresses(of: endpoint, for: attempt.request)
                if addresses.contains(where: { state.path(to: $0).isReachable }) { return .byPolicy }
            }
            let isThere = Mutex(false)
            try await context.waitForNetwork(atMost: longestWait) { state in
                guard state.path(to: destination).isReachable else { return false }
                isThere.withLock { $0 = true }
                return true
            }
            return isThere.withLock { $0 } ? .retryNow : .byPolicy
        } catch {
            // The task was stopped.
            return .fail(error)
        }
    }
}
