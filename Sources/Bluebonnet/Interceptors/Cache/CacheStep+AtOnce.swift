import FoundationEssentials
import HTTPTypes
import NIOCore

/// The short way of most requests: a hit from memory, and a response that is known not to be
/// stored. It needs neither the key as a text nor a wait; everything else goes the whole way.
extension CacheStep {
    /// What is known of a request at once.
    enum Shortcut {
        case none
        /// The response, without a request.
        case response(TransportResponse)
        /// The request is sent: nothing is stored for it, and its last response could not be.
        case pass(Pass)
    }

    /// A request that passes the cache.
    struct Pass: Sendable {
        let fingerprint: CacheFingerprint
        let requestedAt: Int
        /// That of the cache's ``Invalidations``.
        let generation: UInt64
    }

    /// The fields of a request that asks nothing of a cache; nil for other ones.
    private struct PlainFields {
        private(set) var hasAcceptEncoding = false

        init?(_ fields: HTTPFields) {
            for field in fields {
                let name = field.name.canonicalName
                switch name.utf8.count {
                case 4 where name == "host", 5 where name == "range", 6 where name == "pragma",
                    8 where name == "if-match" || name == "if-range", 13 where name == "cache-control",
                    13 where name == "if-none-match", 17 where name == "if-modified-since",
                    19 where name == "if-unmodified-since":
                    return nil
                case 15 where name == "accept-encoding": hasAcceptEncoding = true
                default: break
                }
            }
        }
    }

    /// Looks what is known of a request.
    ///
    /// - Parameters:
    ///   - request: The request with its cookies.
    ///   - context: Its context.
    ///   - offersCodings: Whether the server is told which content codings can be undone.
    /// - Returns: The response, or that the request may pass, or nothing.
    func shortcut(_ request: Request, _ context: ExchangeContext, offersCodings: Bool) -> Shortcut {
        guard request.cachePolicy ?? .default == .default, request.method == .get, request.body == nil,
            let target = try? request.target, let fields = PlainFields(request.headerFields),
            let fingerprint = CacheFingerprint(target)
        else { return .none }
        switch cache.atOnce(fingerprint) {
        case .unknown: return .none
        case .notStorable:
            return .pass(Pass(fingerprint: fingerprint, requestedAt: cache.time, generation: cache.generation))
        case .stored(let record, let body):
            guard CacheFingerprint.isKey(record.key, of: target) else { return .none }
            let offer =
                offersCodings
                ? ContentCoding.Offer(hasAcceptEncoding: fields.hasAcceptEncoding, hasRange: false) : nil
            let sent = SentRequest(request, offer: offer)
            guard record.varying.isEmpty || Vary.matches(record, sent.request),
                let answer = record.answer(at: cache.time, isShared: cache.isShared)
            else { return .none }
            return .response(hit(answer, body, sent, context.call))
        }
    }

    private func hit(
        _ answer: AgedAnswer.Value,
        _ body: ResponseBody.Storage,
        _ sent: SentRequest,
        _ call: Call
    ) -> TransportResponse {
        let startedAt = NIODeadline.now()
        let response = TransportResponse(
            head: answer.head,
            body: ResponseBody(body),
            sent: sent,
            informational: [],
            timings: ExchangeTimings(),
            startedAt: startedAt,
            isRequestBodyUntouched: true,
            hop: call.newHop(),
            cacheStatus: answer.status
        )
        call.noteStored(response, startedAt: startedAt)
        return response
    }

    /// The response to a request that has passed the cache; nil where it may be stored after all.
    func passed(_ received: TransportResponse) -> TransportResponse? {
        guard let reason = StorageDecision.refusal(of: received.head) else { return nil }
        var response = received
        response.sharedCacheStatus = Self.status(of: reason)
        return response
    }

    /// Made once: most responses that are not stored have the same reason.
    private static let uselessStatus = CopyOnWrite(forwarded(StorageDecision.useless))

    private static func status(of reason: String) -> CopyOnWrite<CacheStatus> {
        reason == StorageDecision.useless ? uselessStatus : CopyOnWrite(forwarded(reason))
    }

    private static func forwarded(_ reason: String) -> CacheStatus {
        var status = CacheStatus()
        (status.forward, status.detail) = (.uriMiss, reason)
        return status
    }

    /// The response to a request that has passed the cache and that may be stored.
    func settled(
        _ received: TransportResponse,
        after pass: Pass,
        _ request: Request,
        _ context: ExchangeContext,
        _ send: @escaping Send
    ) async -> TransportResponse {
        cache.forgetPassing(pass.fingerprint)
        guard let cached = CacheRequest(request, policy: .default) else { return received }
        let lookup = Lookup(request: request, cached: cached, context: context, send: send)
        let times = FetchTimes(requestedAt: pass.requestedAt, receivedAt: cache.time, generation: pass.generation)
        return await settled(received, lookup, .uriMiss, times)
    }
}

extension CacheRecord {
    /// The head and the status of a hit at a time, for a request that asks nothing of the cache;
    /// nil where the response is not fresh, or is a part.
    fileprivate func answer(at now: Int, isShared: Bool) -> AgedAnswer.Value? {
        guard part == nil, let (age, timeToLive) = freshness(at: now, isShared: isShared) else { return nil }
        return aged.value(age: age, timeToLive: timeToLive, head: head(atAge: age))
    }
}
