import HTTPTypes
import Testing

@testable import Bluebonnet

/// The use of stored responses as a value (RFC 9111 §4).
struct CacheDecisionTests {
    private static let now = CacheBench.start

    /// The decision about one response that is stored for `http://x.test/a`, in a word.
    private func decision(
        _ stored: HTTPFields,
        request fields: HTTPFields = [:],
        policy: CachePolicy = .default,
        age: Int = 0,
        isShared: Bool = false
    ) throws -> String {
        let request = try Request(to: "http://x.test/a", headerFields: fields)
        let cached = try #require(CacheRequest(request, policy: policy))
        let storedAt = Self.now - age
        let record = CacheRecord(
            key: cached.key,
            url: request.url,
            head: ResponseHead(status: .ok, headerFields: stored),
            varying: [],
            requestedAt: storedAt,
            receivedAt: storedAt
        )
        switch CacheDecision(cached, request, [record], now: Self.now, isShared: isShared) {
        case .use: return "use"
        case .useAndRenew: return "renew"
        case .forward(let reason, _): return reason.description
        case .refuse: return "refuse"
        }
    }

    private static let rows: [(String, Int, String, String)] = [
        // Stored, its age, request, decision.
        ("max-age=60", 0, "", "use"), ("max-age=60", 59, "", "use"), ("max-age=60", 60, "", "stale"),
        ("no-cache, max-age=60", 0, "", "stale"), ("max-age=60", 0, "no-cache", "request"),
        ("max-age=60", 0, "no-store", "request"), ("max-age=60", 10, "max-age=10", "use"),
        ("max-age=60", 11, "max-age=10", "request"), ("max-age=60", 0, "max-age=0", "use"),
        ("max-age=60", 1, "max-age=0", "request"), ("max-age=60", 30, "min-fresh=30", "use"),
        ("max-age=60", 31, "min-fresh=30", "request"), ("max-age=60", 90, "max-stale=30", "use"),
        ("max-age=60", 91, "max-stale=30", "stale"), ("max-age=60", 9_999, "max-stale", "use"),
        ("max-age=60, must-revalidate", 90, "max-stale=30", "stale"), ("max-age=60", 90, "only-if-cached", "refuse"),
        ("max-age=60", 30, "only-if-cached", "use"), ("max-age=60", 90, "only-if-cached, max-stale", "use"),
        ("max-age=60, stale-while-revalidate=30", 90, "", "renew"),
        ("max-age=60, stale-while-revalidate=30", 91, "", "stale"),
        ("max-age=60, stale-while-revalidate=30, must-revalidate", 70, "", "stale"),
        ("max-age=60, stale-while-revalidate=30", 70, "max-age=100", "stale"),
        ("max-age=60, immutable", 30, "", "use"), ("max-age=60, immutable", 60, "", "stale"),
        ("max-age=60, max-age=10", 20, "", "stale"), ("s-maxage=60", 0, "", "stale"),
    ]

    @Test(arguments: rows)
    func `the directives of response and request decide`(
        _ stored: String,
        _ age: Int,
        _ request: String,
        _ expected: String
    ) throws {
        let fields: HTTPFields = request.isEmpty ? [:] : [.cacheControl: request]
        #expect(try decision([.cacheControl: stored], request: fields, age: age) == expected)
    }

    @Test func `Pragma counts where the request has no Cache-Control`() throws {
        let stored: HTTPFields = [.cacheControl: "max-age=60"]
        let pragma = try #require(HTTPField.Name("Pragma"))
        #expect(try decision(stored, request: [pragma: "no-cache"]) == "request")
        #expect(try decision(stored, request: [pragma: "no-cache", .cacheControl: "max-age=5"]) == "use")
    }

    @Test(arguments: [
        (CachePolicy.default, "use", "stale"), (.noCache, "request", "request"), (.reload, "request", "request"),
        (.forceCache, "use", "use"), (.onlyIfCached, "use", "use"),
    ])
    func `each policy does what it says`(_ policy: CachePolicy, _ fresh: String, _ stale: String) throws {
        #expect(try decision([.cacheControl: "max-age=60"], policy: policy) == fresh)
        #expect(try decision([.cacheControl: "max-age=60"], policy: policy, age: 90) == stale)
    }

    @Test func `forceCache and onlyIfCached also use what must be validated`() throws {
        for policy in [CachePolicy.forceCache, .onlyIfCached] {
            #expect(try decision([.cacheControl: "no-cache, must-revalidate"], policy: policy, age: 90) == "use")
        }
    }

    @Test func `a condition for the server is not checked here`() throws {
        for name in [HTTPField.Name.ifMatch, .ifUnmodifiedSince] {
            #expect(try decision([.cacheControl: "max-age=60"], request: [name: "\"x\""]) == "request")
        }
    }

    @Test func `in a shared cache s-maxage and proxy-revalidate forbid stale responses`() throws {
        for stored in ["s-maxage=60", "max-age=60, proxy-revalidate"] {
            let fields: HTTPFields = [.cacheControl: stored]
            let request: HTTPFields = [.cacheControl: "max-stale"]
            #expect(try decision(fields, request: request, age: 70, isShared: true) == "stale")
        }
        #expect(
            try decision(
                [.cacheControl: "max-age=60, proxy-revalidate"],
                request: [.cacheControl: "max-stale"],
                age: 70
            ) == "use"
        )
    }

    @Test func `nothing stored is a miss, and refused where nothing may be sent`() throws {
        let request = try Request(to: "http://x.test/a")
        for (policy, isRefused) in [(CachePolicy.default, false), (.forceCache, false), (.onlyIfCached, true)] {
            let cached = try #require(CacheRequest(request, policy: policy))
            switch CacheDecision(cached, request, [], now: Self.now, isShared: false) {
            case .forward(let reason, nil): #expect(reason == .uriMiss && !isRefused)
            case .refuse: #expect(isRefused)
            default: Issue.record("Something was used.")
            }
        }
    }

    @Test func `of several responses the most recent by Date is chosen`() throws {
        let request = try Request(to: "http://x.test/a")
        let cached = try #require(CacheRequest(request, policy: .default))
        let records = [10, 30, 20].map { second in
            CacheRecord(
                identifier: UInt64(second),
                key: cached.key,
                url: request.url,
                head: ResponseHead(
                    status: .ok,
                    headerFields: [.cacheControl: "max-age=99", .date: httpDate(Self.now - 40 + second)]
                ),
                varying: [],
                requestedAt: Self.now,
                receivedAt: Self.now
            )
        }
        guard case .use(let stored) = CacheDecision(cached, request, records, now: Self.now, isShared: false) else {
            throw Unmet(description: "a use")
        }
        #expect(stored.record.identifier == 30)
    }

    @Test func `only GET and HEAD without a body have a key`() throws {
        for method in [HTTPRequest.Method.post, .put, .delete, .patch, .options, .trace] {
            #expect(CacheRequest(try Request(method, to: "http://x.test/"), policy: .default) == nil)
        }
        #expect(CacheRequest(try Request(.head, to: "http://x.test/"), policy: .default)?.isHead == true)
        let body = try Request(to: "http://x.test/", body: .string("x"))
        #expect(CacheRequest(body, policy: .default) == nil)
    }

    @Test func `the key has scheme, host, port, path and query, and a Host of the request's own`() throws {
        func key(_ url: String, _ fields: HTTPFields = [:]) throws -> String {
            try Request(to: url, headerFields: fields).cacheKey
        }
        #expect(try key("http://X.test/a?b#c") == "http://x.test:80/a?b")
        #expect(try key("http://x.test/a") == key("http://x.test:80/a"))
        #expect(try key("http://x.test/a") != key("https://x.test/a"))
        #expect(try key("http://x.test/a") != key("http://x.test/A"))
        #expect(try key("http://u:p@x.test/") == key("http://x.test/"))
        #expect(try key("http://[::1]:8080") == "http://[::1]:8080/")
        let host = try #require(HTTPField.Name("Host"))
        #expect(try key("http://x.test/a", [host: "X.TEST"]) == key("http://x.test/a"))
        #expect(try key("http://x.test/a", [host: "y.test"]) != key("http://x.test/a"))
    }
}
