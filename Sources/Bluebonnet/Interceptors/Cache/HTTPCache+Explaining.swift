import FoundationEssentials
import HTTPTypes

extension HTTPCache {
    /// The part that the cache would have in a request now: a hit, or why it would be sent. Nothing
    /// is sent, and nothing changes.
    ///
    /// ```swift
    /// let status = await HTTPCache().status(for: request)
    /// ```
    ///
    /// A session may add fields to a request, such as cookies, that a response varies by; this
    /// method sees those of the request, and the content codings that sessions offer.
    ///
    /// - Parameter request: The request, with its ``RequestProperties/cachePolicy``.
    /// - Returns: The status; of a request that ``CachePolicy/onlyIfCached`` refuses, one that is
    ///   neither a hit nor forwarded.
    public func status(for request: Request) async -> CacheStatus {
        let request = BuiltInSteps.withOffer(request)
        let policy = request.cachePolicy ?? .default
        var status = CacheStatus()
        guard policy != .noStore, let cached = CacheRequest(request, policy: policy) else {
            status.forward = policy == .noStore ? .bypass : .method
            return status
        }
        let records = await found(cached.key)
        switch CacheDecision(cached, request, records, now: time, isShared: isShared) {
        case .use(let stored):
            (status.isHit, status.timeToLive) = (true, stored.timeToLive)
        case .useAndRenew(let stored):
            (status.isHit, status.timeToLive) = (true, stored.timeToLive)
            status.detail = "renewed meanwhile"
        case .forward(let reason, let stored):
            (status.forward, status.timeToLive) = (reason, stored?.timeToLive)
            guard let stored else { break }
            status.detail =
                stored.isIncomplete
                ? "a part is stored" : stored.record.facts.hasValidator ? "can be confirmed" : "no validator"
        case .refuse:
            status.detail = "only-if-cached"
        }
        return status
    }
}
