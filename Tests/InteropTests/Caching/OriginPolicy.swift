/// What an origin says of a response to its caches, and what follows from that by RFC 9111.
struct OriginPolicy: Sendable {
    /// The name, which is a folder of the origin.
    var name: String
    var cacheControl: String?
    var expires: String?
    var age = 0
    var vary: String?
    var setsCookie = false
    /// The seconds for which a private cache may use the response; 0 where it has to ask each time.
    var lifetime: Int
    /// The same for a shared one.
    var sharedLifetime: Int
    /// Whether it must not be used when it is stale, whatever the request allows (§4.2.4).
    var forbidsStale = false
    /// Whether a private cache may use it without asking at all.
    var isReusable = true
    /// Whether the URL is a file of the origin. The others have no body to compare by its version.
    var isFile = true

    init(
        _ name: String,
        _ cacheControl: String? = nil,
        lifetime: Int,
        shared: Int? = nil,
        _ change: (inout Self) -> Void = { _ in }
    ) {
        self.name = name
        self.cacheControl = cacheControl
        self.lifetime = lifetime
        sharedLifetime = shared ?? lifetime
        change(&self)
    }

    /// The longest heuristic lifetime (§4.2.2): the files have been old for longer than ten times
    /// that.
    private static let heuristic = 7 * 24 * 60 * 60

    static let fresh = Self("fresh", "max-age=250", lifetime: 250)
    static let long = Self("long", "max-age=1050, immutable", lifetime: 1050)
    static let split = Self("split", "max-age=150, s-maxage=1050", lifetime: 150, shared: 1050)
    static let lasting = Self("lasting", lifetime: 1 << 30) { $0.expires = "Thu, 31 Dec 2099 23:59:59 GMT" }
    static let expired = Self("expired", lifetime: 0) { $0.expires = "Thu, 01 Jan 1970 00:00:00 GMT" }
    static let noDate = Self("no-date", lifetime: 0) { $0.expires = "0" }
    static let zero = Self("zero", "max-age=0", lifetime: 0)
    static let noCache = Self("no-cache", "no-cache", lifetime: 0) { $0.isReusable = false }
    static let noStore = Self("no-store", "no-store", lifetime: 0) { $0.isReusable = false }
    static let ofUser = Self("private", "private, max-age=250", lifetime: 250, shared: 0)
    static let strict = Self("must-revalidate", "max-age=150, must-revalidate", lifetime: 150) {
        $0.forbidsStale = true
    }
    static let heuristicOnly = Self("heuristic", lifetime: heuristic)
    static let aged = Self("aged", "max-age=1050", lifetime: 1050) { $0.age = 900 }
    static let outdated = Self("outdated", "max-age=250", lifetime: 250) { $0.age = 900 }
    static let language = Self("language", "max-age=1050", lifetime: 1050) { $0.vary = "Accept-Language" }
    static let any = Self("any", "max-age=1050", lifetime: 1050) { ($0.vary, $0.isReusable) = ("*", false) }
    static let gone = Self("gone", "max-age=250", lifetime: 250) { $0.isFile = false }
    static let missing = Self("missing", "max-age=250", lifetime: 250) { $0.isFile = false }
    static let moved = Self("moved", "max-age=250", lifetime: 250) { $0.isFile = false }
    static let withoutUserField = Self("private-field", "max-age=250, private=\"x-a\"", lifetime: 250)
    static let withoutConfirmedField = Self("no-cache-field", "max-age=250, no-cache=\"x-a\"", lifetime: 250)
    static let cookie = Self("cookie", "max-age=250", lifetime: 250) { $0.setsCookie = true }
    /// Compressed by nginx for those who accept that.
    static let compressed = Self("compressed", "max-age=1050", lifetime: 1050)

    /// Those of the random sequences.
    static let all = [
        fresh, long, split, lasting, expired, noDate, zero, noCache, noStore, ofUser, strict, heuristicOnly, aged,
        outdated, language, any, gone, missing, moved, withoutUserField, withoutConfirmedField, cookie, compressed,
    ]

    /// Those by which nginx decides as a shared cache of ours does.
    static let ofNginxToo = [
        fresh, long, split, lasting, expired, noDate, zero, noCache, noStore, ofUser, strict, aged, any, gone, missing,
        moved,
    ]
}

/// The `Cache-Control` of a request (RFC 9111 §5.2.1).
enum Wish: String, CaseIterable, Sendable {
    case none = ""
    case noCache = "no-cache"
    case renewed = "max-age=0"
    case young = "max-age=100"
    case noStore = "no-store"
    case onlyIfCached = "only-if-cached"
    case anyStale = "max-stale"
    case somewhatStale = "max-stale=100"
    case longFresh = "min-fresh=200"

    /// Whether a response with this age, and so long to live, may be used without the server.
    func allows(_ policy: OriginPolicy, age: Int, timeToLive: Int) -> Bool {
        guard policy.isReusable else { return false }
        let staleness: Int
        switch self {
        case .noCache, .noStore: return false
        case .renewed where age > 0: return false
        case .young where age > 100: return false
        case .longFresh where timeToLive < 200: return false
        case .anyStale: staleness = .max
        case .somewhatStale: staleness = 100
        default: staleness = -1
        }
        return timeToLive > 0 || !policy.forbidsStale && -timeToLive <= staleness
    }
}
