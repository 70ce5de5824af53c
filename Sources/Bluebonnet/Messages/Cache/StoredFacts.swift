import FoundationEssentials
import HTTPTypes

/// The facts of a response by which a cache decides, found once when it is received: its
/// directives, dates and validators (RFC 9111 §4.2, RFC 9110 §8.8).
///
/// All times are seconds since 1970. No sum of them overflows: dates of HTTP have four digits for
/// the year, and ages are cut to 2³¹ seconds.
struct StoredFacts: Sendable {
    let status: Int
    let directives: CacheDirectives
    /// The time of `Date`.
    let date: Int?
    let entityTag: String?
    let lastModified: String?
    private let lastModifiedAt: Int?
    /// The time of `Expires`; the earliest there is for one that is no date (§5.3).
    private let expires: Int?
    /// The corrected age when it was received (§4.2.3).
    private let initialAge: Int
    private let receivedAt: Int

    init(_ head: ResponseHead, requestedAt: Int, receivedAt: Int) {
        status = head.statusCode
        directives = CacheDirectives(head.values(for: .cacheControl))
        date = Self.time(head[.date])
        entityTag = head.values(for: .eTag).first
        lastModified = head.values(for: .lastModified).first
        lastModifiedAt = Self.time(lastModified)
        let expiries = head.values(for: .expires)
        // §4.2.1: of several the most restrictive counts.
        expires = expiries.isEmpty ? nil : expiries.map { Self.time($0) ?? .min }.min()
        self.receivedAt = receivedAt
        let apparentAge = max(0, receivedAt - (date ?? receivedAt))
        // §5.1: of a list the first member counts, and what is no number is ignored.
        let first = head[.age]?.split(separator: ",", maxSplits: 1).first.map { $0.trimmingBlanks }
        let ageValue = CacheDirectives.seconds(first) ?? 0
        initialAge = max(apparentAge, ageValue + max(0, receivedAt - requestedAt))
    }

    private static func time(_ text: String?) -> Int? {
        text.flatMap { HTTPDate($0) }?.secondsSince1970
    }

    /// Whether the server can be asked if it is still valid.
    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// The age at a time (§4.2.3). A clock that was set back counts as one that stood still.
    func age(at now: Int) -> Int { initialAge + max(0, now - receivedAt) }

    /// The status codes whose responses may be stored without being asked for it (RFC 9110 §15.1).
    /// Partial content is stored with the head of the whole, and so counts as a 200.
    private static let heuristicallyCacheable: Set = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The longest time for which a response is fresh that does not say so.
    static let longestHeuristic = 7 * 24 * 60 * 60

    var isHeuristicallyCacheable: Bool { Self.heuristicallyCacheable.contains(status) }

    /// Whether the response says itself how long it is fresh.
    func hasExplicitLifetime(isShared: Bool) -> Bool {
        directives.maxAge != nil || expires != nil || isShared && directives.sharedMaxAge != nil
    }

    /// The time for which it is fresh (§4.2.1).
    func lifetime(isShared: Bool) -> Int {
        if isShared, let seconds = directives.sharedMaxAge { return seconds }
        if let seconds = directives.maxAge { return seconds }
        if let expires { return expires == .min ? 0 : max(0, expires - (date ?? receivedAt)) }
        // §4.2.2: a tenth of the time since it was changed.
        guard isHeuristicallyCacheable || directives.flags.contains(.isPublic), let lastModifiedAt else { return 0 }
        return min(max(0, (date ?? receivedAt) - lastModifiedAt) / 10, Self.longestHeuristic)
    }

    /// Whether it must not be used without the server when it is stale (§4.2.4).
    func forbidsStale(isShared: Bool) -> Bool {
        if directives.flags.contains(.mustRevalidate) || directives.flags.contains(.noCache) { return true }
        // §5.2.2.8, §5.2.2.10.
        return isShared && (directives.flags.contains(.proxyRevalidate) || directives.sharedMaxAge != nil)
    }

    /// The time of ``lastModified``, or of `Date` without one, for `If-Modified-Since` (RFC 9111
    /// §4.3.2).
    var modifiedAt: Int? { lastModifiedAt ?? date }

    /// Whether two entity tags are the same weakly (RFC 9110 §8.8.3.2).
    static func matchesWeakly(_ one: String, _ other: String) -> Bool {
        one.utf8.dropFirst(isStrong(one) ? 0 : 2).elementsEqual(other.utf8.dropFirst(isStrong(other) ? 0 : 2))
    }

    /// The entity tag where it is a strong one, in quotation marks.
    var strongTag: String? {
        guard let entityTag, entityTag.utf8.count > 1, entityTag.utf8.first == UInt8(ascii: "\""),
            entityTag.utf8.last == UInt8(ascii: "\"")
        else { return nil }
        return entityTag
    }

    /// Whether an entity tag is a strong one.
    static func isStrong(_ tag: String) -> Bool { !tag.utf8.starts(with: "W/".utf8) }
}

extension StringProtocol {
    /// The text without spaces and tabs at both ends.
    var trimmingBlanks: String {
        let bytes = Array(utf8)
        guard let first = bytes.firstIndex(where: { !ASCII.isBlank($0) }),
            let last = bytes.lastIndex(where: { !ASCII.isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}
