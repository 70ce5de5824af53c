import FoundationEssentials
import HTTPTypes

/// One attempt of a request that may be sent again.
struct RetriedAttempt {
    /// From 1.
    let number: Int
    let request: Request
    let result: Result<TransportResponse, any Error>
    /// The number of the last hop before it.
    let hop: Int
    let duration: Duration

    var response: TransportResponse? { try? result.get() }

    var outcome: RetryPolicy.Facts.Outcome {
        switch result {
        case .success(let response): .response(response.statusCode)
        case .failure(let error): .failure(NetworkingError.wrapping(error).code)
        }
    }

    /// Whether the source of the body was not asked for it. The response only knows of the last
    /// hop, which may have had another body.
    var isBodyUntouched: Bool {
        if let use = request.body?.use { return !use.hasBegun }
        return response?.isRequestBodyUntouched == true
    }

    /// The times that the engine sent the request again by itself. One that failed at last has its
    /// last failure for itself.
    func repeats(_ context: ExchangeContext) -> Int {
        if let response { return response.retries }
        let records = context.call.transactions(afterHop: hop) ?? []
        return records.dropLast().count { $0.error?.underlying is RepeatableError }
    }

    /// What decides whether the request may be sent again; nil for a response that no server has
    /// sent now: it comes from a store.
    func facts(_ context: ExchangeContext, now: @autoclosure () -> Date) -> RetryPolicy.Facts? {
        let records = context.call.transactions(afterHop: hop)?.filter { !$0.isLocal }
        if response?.sharedCacheStatus?.value.isFromCache == true { return nil }
        if let response, let records, records.last?.head?.statusCode != response.statusCode { return nil }
        return RetryPolicy.Facts(
            outcome: outcome,
            request: RetryPolicy.Facts.Sent(request),
            processed: records?.filter(\.mayHaveBeenProcessed).map { RetryPolicy.Facts.Sent($0.sent.base) },
            retryAfter: response.flatMap { RetryAfter.time(in: $0.head, now: now()) }
        )
    }

    /// The attempt as retriers see it: an error has the metrics of the task so far.
    func shown(_ facts: RetryPolicy.Facts, _ context: ExchangeContext) -> RetryAttempt {
        let outcome: Result<ResponseHead, NetworkingError>
        switch result {
        case .success(let response): outcome = .success(response.head)
        case .failure(let error):
            var failure = NetworkingError.wrapping(error)
            failure.metrics = failure.metrics ?? context.call.metrics
            outcome = .failure(failure)
        }
        return RetryAttempt(
            number: number,
            request: request,
            outcome: outcome,
            duration: duration,
            timings: response?.timings,
            mayHaveBeenProcessed: facts.processed?.isEmpty != true
        )
    }

    /// Drops the body of the response.
    func discard() async {
        await response?.body.discard()
    }

    /// The response or the error of the request whose last attempt this is.
    ///
    /// - Parameters:
    ///   - retries: The times that the request was sent again.
    ///   - refusal: The reason why it is not sent again, where it otherwise would be.
    /// - Returns: The response.
    /// - Throws: The error.
    func end(retries: Int, _ refusal: RetryPolicy.Refusal?) throws -> TransportResponse {
        switch result {
        case .success(var response):
            if retries > 0 { response.retries = retries }
            return response
        case .failure(let error):
            guard let reason = refusal?.reason, var failure = error as? NetworkingError else { throw error }
            guard refusal != .body else {
                throw NetworkingError(
                    .requestBodyNotReplayable,
                    "\(request) failed and was not sent again, because \(reason): \(failure.message)",
                    request: failure.request ?? request,
                    response: failure.response,
                    underlying: failure
                ).with(failure.metrics)
            }
            failure.message += " It was not sent again, because \(reason)."
            throw failure
        }
    }
}

extension TransactionRecord {
    /// Whether the server may have processed the request: not where there was no connection to it,
    /// or it has said that it has not.
    var mayHaveBeenProcessed: Bool {
        guard let error, head == nil else { return true }
        if let mark = error.underlying as? RepeatableError, mark.reason == .notProcessed { return false }
        // The handshake of TLS failed, or the certificate of the server was refused.
        if let connection, !connection.isOpen { return false }
        let unconnected: [NetworkingError.Code] = [
            .dnsLookupFailed, .connectFailed, .dnsLookupTimeout, .connectTimeout, .waitingTimeout, .invalidProxy,
            .proxyConnectFailed, .proxyTimeout, .proxyTLSFailed, .proxyUntrusted, .proxyAuthenticationFailed,
            .proxyRefused,
            .proxyResponseInvalid,
        ]
        return !unconnected.contains(error.code)
    }
}
