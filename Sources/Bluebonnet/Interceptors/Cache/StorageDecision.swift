import FoundationEssentials
import HTTPTypes

/// Whether a response may be stored (RFC 9111 §3), and what of it.
enum StorageDecision: Sendable {
    case store(CacheRecord)
    /// With the reason in a few words.
    case refuse(String)

    /// The status codes that this cache understands (§3, `must-understand`): the ones of RFC 9110
    /// whose responses are stored as they are.
    private static let understood: Set = [
        200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414,
        415, 417, 421, 422, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505,
    ]

    /// - Parameters:
    ///   - head: The head of the response.
    ///   - request: The request as it was sent, without the conditions that the cache has added.
    ///   - cached: What the cache knows of it.
    ///   - requestedAt: The time at which it was sent.
    ///   - receivedAt: The time at which the head came.
    ///   - isShared: Whether the cache serves several users.
    init(
        _ head: ResponseHead,
        to request: Request,
        _ cached: CacheRequest,
        requestedAt: Int,
        receivedAt: Int,
        isShared: Bool
    ) {
        guard Self.mayBeOfUse(head) else {
            self = .refuse(Self.useless)
            return
        }
        let facts = StoredFacts(head, requestedAt: requestedAt, receivedAt: receivedAt)
        if let reason = Self.refusal(facts, cached, isShared) {
            self = .refuse(reason)
            return
        }
        let dropped = Self.droppedNames(head, facts.directives, isShared)
        guard dropped.isDisjoint(with: Self.fixedFields) else {
            self = .refuse("without the fields that say how its body is to be read")
            return
        }
        guard let varying = Vary.fields(of: head, for: request) else {
            self = .refuse("Vary matches no request")
            return
        }
        self = .store(
            CacheRecord(
                key: cached.key,
                url: request.url,
                head: Self.stored(head, facts.directives, isShared),
                varying: varying,
                requestedAt: requestedAt,
                receivedAt: receivedAt
            )
        )
    }

    /// The reason of most refusals.
    static let useless = "neither lifetime nor validator"

    /// The reason for which a response with this head is not stored, whatever the request; nil
    /// where more has to be known.
    static func refusal(of head: ResponseHead) -> String? {
        guard mayBeOfUse(head) else { return useless }
        guard head.contains(.cacheControl) else { return nil }
        let flags = CacheDirectives(head.values(for: .cacheControl)).flags
        return flags.contains(.noStore) && !flags.contains(.mustUnderstand) ? "no-store" : nil
    }

    /// Whether a head has a field that can make it fresh, or by which the server can confirm it:
    /// most that are not stored have none, and cost no more than this.
    private static func mayBeOfUse(_ head: ResponseHead) -> Bool {
        head.hasCachingField
    }

    private static func refusal(_ facts: StoredFacts, _ cached: CacheRequest, _ isShared: Bool) -> String? {
        let directives = facts.directives
        if cached.isHead { return "HEAD has no body" }
        if cached.policy == .noStore || cached.directives.flags.contains(.noStore) { return "no-store in the request" }
        // A part is stored as ``PartDecision`` says, and a challenge is for one request.
        switch facts.status {
        case 206: return "partial content"
        case 304: return "not modified"
        case 401, 407: return "challenge"
        case ..<200: return "not a final response"
        default: break
        }
        // §5.2.2.3: who understands the status code ignores no-store.
        if directives.flags.contains(.mustUnderstand) {
            guard understood.contains(facts.status) else { return "status code not understood" }
        } else if directives.flags.contains(.noStore) {
            return "no-store"
        }
        if isShared {
            if directives.flags.contains(.isWhollyPrivate) { return "private" }
            // §3.5.
            let allows =
                !directives.flags.isDisjoint(with: [.mustRevalidate, .isPublic]) || directives.sharedMaxAge != nil
            if cached.isAuthorized, !allows { return "authorized" }
        }
        let isExplicit =
            facts.hasExplicitLifetime(isShared: isShared) || directives.flags.contains(.isPublic)
            || !isShared && directives.flags.contains(.isPrivate)
        guard isExplicit || facts.isHeuristicallyCacheable else { return "status code" }
        // Allowed, but of no use: it is never fresh, and the server cannot confirm it.
        guard isExplicit || facts.hasValidator || facts.lifetime(isShared: isShared) > 0 else {
            return useless
        }
        return nil
    }

    /// The fields that are for one connection alone (RFC 9110 §7.6.1), and those for a proxy, which
    /// are not stored (RFC 9111 §3.1).
    private static let connectionFields: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "proxy-authenticate",
        "proxy-authentication-info", "proxy-authorization",
    ]

    /// The head as it is stored: without the fields that must not be, and those that may be used
    /// only when the server has confirmed them (§5.2.2.4), or are for one user (§5.2.2.7).
    static func stored(_ head: ResponseHead, _ directives: CacheDirectives, _ isShared: Bool) -> ResponseHead {
        let names = droppedNames(head, directives, isShared)
        return head.replacing { connectionFields.contains($0) || names.contains($0) }
    }

    /// The names of the fields that a head itself says are not to be stored.
    private static func droppedNames(
        _ head: ResponseHead,
        _ directives: CacheDirectives,
        _ isShared: Bool
    ) -> Set<String> {
        var names = Set(directives.noCacheFields + (isShared ? directives.privateFields : []))
        for value in head.values(for: .connection) {
            for name in value.split(separator: ",") { names.insert(name.trimmingBlanks.lowercased()) }
        }
        return names
    }

    /// The longest head that is kept, in bytes: each 304 may add fields to it.
    static let longestHead = 64 * 1024

    /// The fields of a stored response that no later response changes (§3.2): those that say how
    /// its body is to be read.
    private static let fixedFields: Set = ["content-length", "content-encoding", "content-type", "content-range"]

    /// The head of a stored response with the fields of a 304 or a HEAD (§3.2, §4.3.4, §4.3.5).
    static func updated(_ stored: ResponseHead, with newer: ResponseHead, _ isShared: Bool) -> ResponseHead {
        let newer = Self.stored(newer, CacheDirectives(newer.values(for: .cacheControl)), isShared)
        let fields = newer.headerFields.filter {
            // What it varies by was found in the request for the stored one. Its entity tag stays:
            // nginx confirms the weak one of a compressed response by a 304 with the strong one of
            // the file, which has other bytes (RFC 9110 §8.8.1).
            !fixedFields.contains($0.name.canonicalName) && $0.name != .vary
                && ($0.name != .eTag || !stored.contains(.eTag))
        }
        let names = Set(fields.map(\.name.canonicalName))
        var head = stored.replacing { names.contains($0) || $0 == "age" }
        var all = head.headerFields
        for field in fields { all.append(field) }
        head.headerFields = all
        return head
    }
}
