import FoundationEssentials
import HTTPTypes

/// The use of stored responses for a request (RFC 9111 §4): a value, made of the request, of what
/// is stored for its key, and of the time.
enum CacheDecision: Sendable {
    /// A stored response is used without asking the server.
    case use(Stored)
    /// It is used, and the server is asked meanwhile (RFC 5861 §3).
    case useAndRenew(Stored)
    /// The request goes to the server. Where there is a stored response, the server is asked if it
    /// is still valid, or it may be used if the server fails.
    case forward(CacheStatus.Forward, Stored?)
    /// Nothing may be sent, and nothing can be used.
    case refuse

    /// A stored response that was chosen.
    struct Stored: Sendable {
        let record: CacheRecord
        let age: Int
        /// The seconds for which it is fresh, below zero for one that is stale.
        let timeToLive: Int
        /// The parts of its body, where all of it is not stored.
        var parts: StoredParts?
        /// The bytes that the response to the request needs of the parts.
        var wanted: Range<Int>?

        /// Whether a part of what the request needs is missing (RFC 9111 §3.3).
        var isIncomplete: Bool {
            guard let parts else { return false }
            return wanted.map { parts.gap(in: $0) != nil } ?? true
        }
    }

    init(_ cached: CacheRequest, _ request: Request, _ records: [CacheRecord], now: Int, isShared: Bool) {
        // RFC 9111 §5.2.1.7: the request is not sent, whatever is stored.
        let otherwise: (CacheStatus.Forward, Stored?) -> CacheDecision = { reason, stored in
            cached.isOnlyIfCached ? .refuse : .forward(reason, stored)
        }
        guard let record = Self.chosen(from: records, request, cached) else {
            self = otherwise(records.isEmpty ? .uriMiss : .varyMiss, nil)
            return
        }
        let facts = record.facts
        let age = facts.age(at: now)
        var stored = Stored(record: record, age: age, timeToLive: facts.lifetime(isShared: isShared) - age)
        if record.part != nil {
            stored.parts = StoredParts(of: record, among: records)
            stored.wanted = Self.wanted(of: record, cached)
            if stored.isIncomplete {
                let reason = Self.reason(stored, cached) == .stale ? CacheStatus.Forward.stale : .partial
                let isUnused = cached.policy == .reload || cached.policy == .noStore
                self = isUnused ? .forward(.request, nil) : otherwise(reason, stored)
                return
            }
        }
        switch cached.policy {
        case .forceCache, .onlyIfCached:
            // What only the server can answer is not in a cache, however old.
            self = Self.isForServer(cached) ? otherwise(.request, stored) : .use(stored)
        case .reload, .noStore: self = .forward(.request, nil)
        case .noCache: self = .forward(.request, stored)
        case .default: self = Self.byRules(stored, cached, isShared) ?? otherwise(Self.reason(stored, cached), stored)
        }
    }

    /// The most recent of the responses that are for the request (§4.1).
    ///
    /// A range is never a part of encoded bytes: a request for one offers no coding, and its
    /// response is not decoded, but a server may leave out the `Vary` that tells the forms apart.
    private static func chosen(
        from records: [CacheRecord],
        _ request: Request,
        _ cached: CacheRequest
    ) -> CacheRecord? {
        let record = records.lazy
            .filter { Vary.matches($0, request) && (cached.range == nil || !$0.head.contains(.contentEncoding)) }
            .max { ($0.facts.date ?? 0, $0.receivedAt) < ($1.facts.date ?? 0, $1.receivedAt) }
        guard let record, record.part != nil else { return record }
        // A part that came while the whole was put together.
        return records.first { $0.part == nil && $0.isSameVersion(as: record) } ?? record
    }

    /// The bytes of an incomplete response that the response to a request has; nil where the
    /// request is for something else. An incomplete response answers no HEAD, no condition and no
    /// range that it does not have (§3.3).
    private static func wanted(of record: CacheRecord, _ cached: CacheRequest) -> Range<Int>? {
        switch StoredAnswer(record, to: cached, head: record.head).content {
        case .part(let range): range
        case .whole: cached.range == nil ? 0..<record.completeByteCount : nil
        case .none: nil
        }
    }

    /// Whether a request has a condition that the server alone can check (§4.3.2), or several
    /// ranges.
    private static func isForServer(_ cached: CacheRequest) -> Bool {
        cached.condition == .ofServer || !cached.hasUsableRange
    }

    private static func reason(_ stored: Stored, _ cached: CacheRequest) -> CacheStatus.Forward {
        stored.timeToLive > 0 && !stored.record.facts.directives.flags.contains(.noCache) ? .request : .stale
    }

    /// Nil where the server has to be asked.
    private static func byRules(_ stored: Stored, _ cached: CacheRequest, _ isShared: Bool) -> CacheDecision? {
        let (wishes, facts) = (cached.directives, stored.record.facts)
        // §5.2.1.4, §5.2.1.5: a request that is not to be stored wants no stored response either.
        if !wishes.flags.isDisjoint(with: [.noCache, .noStore]) { return nil }
        if isForServer(cached) { return nil }
        // §5.2.2.4.
        if facts.directives.flags.contains(.noCache) { return nil }
        // §5.2.1.1.
        if let maxAge = wishes.maxAge, stored.age > maxAge { return nil }
        // §5.2.1.3.
        if let minFresh = wishes.minFresh, stored.timeToLive < minFresh { return nil }
        // §4.2: as long as its lifetime is longer than its age.
        if stored.timeToLive > 0 { return .use(stored) }
        if facts.forbidsStale(isShared: isShared) { return nil }
        let staleness = -stored.timeToLive
        // §5.2.1.2.
        if let maxStale = wishes.maxStale, staleness <= maxStale { return .use(stored) }
        guard let window = facts.directives.staleWhileRevalidate, staleness <= window, wishes.maxAge == nil else {
            return nil
        }
        return .useAndRenew(stored)
    }

    /// Whether a stale response may be used because the server failed (RFC 5861 §4).
    static func isUsableAfterFailure(
        _ stored: Stored,
        _ cached: CacheRequest,
        now: Int,
        isShared: Bool
    ) -> Bool {
        let facts = stored.record.facts
        guard cached.policy == .default, !stored.isIncomplete, !facts.forbidsStale(isShared: isShared),
            cached.condition != .ofServer,
            cached.directives.flags.isDisjoint(with: [.noCache, .noStore])
        else { return false }
        let windows = [facts.directives.staleIfError, cached.directives.staleIfError].compactMap(\.self)
        guard let window = windows.max() else { return false }
        return facts.age(at: now) - facts.lifetime(isShared: isShared) <= window
    }

    /// The status codes that say that the server failed (RFC 5861 §4).
    static func isFailure(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }
}
