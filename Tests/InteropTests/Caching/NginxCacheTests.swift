import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A shared cache beside the one of nginx, both in front of nginx and of Apache.
@Suite(.enabled(if: InteropServer.nginxCache.isExpected, "nginx is not running"), .timeLimit(.minutes(20)))
struct NginxCacheTests {
    /// The two caches, and one run of files behind them.
    private struct Pair {
        let origin: CacheOrigin
        let run = UUID().uuidString
        let shared: SessionManager
        let plain: SessionManager

        /// What our cache tells of a request: a hit, or why it was sent.
        func askOurs(_ probe: CacheProbe, _ file: ServedFile) async throws -> (told: String, essence: String) {
            let response = try await shared.data(for: probe.request(origin.server, file, client: "ours"))
            let status = try #require(response.cacheStatus)
            let told = status.isHit ? "hit" : status.forward.map { "\($0)" } ?? "refused"
            return (status.forwardStatus == 304 ? told + " 304" : told, response.essence)
        }

        /// The `X-Cache-Status` of nginx for a request.
        func askNginx(_ probe: CacheProbe, _ file: ServedFile) async throws -> (told: String, essence: String) {
            let response = try await plain.data(for: probe.request(origin.cache, file, client: "nginx"))
            let name = try #require(HTTPField.Name("X-Cache-Status"))
            return (response.headerFields[name] ?? "", response.essence)
        }

        /// Sends a request through both. Says also whether the responses are the same.
        func ask(_ probe: CacheProbe, _ file: ServedFile) async throws -> (ours: String, nginx: String, same: Bool) {
            let (ours, theirs) = (try await askOurs(probe, file), try await askNginx(probe, file))
            return (ours.told, theirs.told, ours.essence == theirs.essence)
        }

        func requests(of client: String) throws -> Int {
            try origin.log(of: run).count { $0.hasPrefix(client + " ") }
        }
    }

    private func withPair<Result>(
        _ origin: CacheOrigin,
        offset: CacheSequence.Offset = .init(),
        _ body: (Pair) async throws -> Result
    ) async throws -> Result {
        let cache = HTTPCache(store: MemoryCacheStore(), isShared: true, whenStoreFails: nil) {
            Date(timeIntervalSinceNow: Double(offset.seconds))
        }
        return try await withSession(SessionConfiguration { $0.cache = cache }) { shared in
            try await withSession { plain in
                try await body(Pair(origin: origin, shared: shared, plain: plain))
            }
        }
    }

    @Test(arguments: CacheOrigin.allCases)
    func `a shared cache decides as nginx where both go by the same rules`(origin: CacheOrigin) async throws {
        for number in 0..<UInt64(CacheDifferentialTests.count) {
            let seed = CacheDifferentialTests.seed &+ number
            try await withPair(origin) { pair in
                var random = SeededGenerator(seed: seed)
                var files = OriginPolicy.ofNginxToo.map { ServedFile($0, of: pair.run) }
                for index in files.indices { try files[index].change(length: Int.random(in: 1...999, using: &random)) }
                var steps: [String] = []
                var stored: Set<Int> = []
                for _ in 0..<80 {
                    let index = Int.random(in: 0..<files.count, using: &random)
                    if Int.random(in: 0..<8, using: &random) == 0 {
                        try files[index].change(length: Int.random(in: 1...999, using: &random))
                        steps.append("change \(files[index].policy.name)")
                        continue
                    }
                    var probe = CacheProbe(coding: "identity")
                    // Of what is not stored nginx asks for the whole, and we for what is wanted.
                    if stored.contains(index) {
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: probe.method = .head
                        case 1 where files[index].policy.isFile: probe.range = "bytes=0-0"
                        default: break
                        }
                    }
                    let result = try await pair.ask(probe, files[index])
                    steps.append("\(files[index].policy.name) \(probe): \(result)")
                    let isSame = (result.ours == "hit") == (result.nginx == "HIT") && result.same
                    #expect(isSame, "BLUEBONNET_SEED=\(seed), \(origin)\n\(steps.joined(separator: "\n"))")
                    guard isSame else { break }
                    if result.ours == "hit" || probe.isPlain && files[index].policy.sharedLifetime > 0 {
                        stored.insert(index)
                    }
                    if files[index].policy.sharedLifetime == 0 || !files[index].policy.isReusable {
                        stored.remove(index)
                    }
                }
            }
        }
    }

    // MARK: Known differences

    /// A decision in which the two caches differ, and why.
    struct Difference: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var policy: OriginPolicy
        /// The requests before, for the same URL.
        var before: [CacheProbe] = [CacheProbe()]
        var probe = CacheProbe()
        /// What ours tells of the last request: a hit, or why it was sent.
        var ours: String
        /// The `X-Cache-Status` of nginx for it.
        var nginx: String
    }

    /// nginx's documentation has the rules that it goes by: `ngx_http_proxy_module`,
    /// `proxy_cache_valid`.
    static let differences = [
        // nginx does not read the Cache-Control of requests (RFC 9111 §5.2.1).
        Difference(
            testDescription: "no-cache of a request",
            policy: .fresh,
            probe: CacheProbe(wish: .noCache),
            ours: "request 304",
            nginx: "HIT"
        ),
        Difference(
            testDescription: "no-store of a request",
            policy: .fresh,
            before: [CacheProbe(wish: .noStore)],
            ours: "uri-miss",
            nginx: "HIT"
        ),
        Difference(
            testDescription: "min-fresh of a request",
            policy: .aged,
            probe: CacheProbe(wish: .longFresh),
            ours: "request 304",
            nginx: "HIT"
        ),
        Difference(
            testDescription: "only-if-cached",
            policy: .fresh,
            before: [],
            probe: CacheProbe(wish: .onlyIfCached),
            ours: "refused",
            nginx: "MISS"
        ),
        // nginx has no heuristic lifetime (§4.2.2): it asks for proxy_cache_valid.
        Difference(testDescription: "a heuristic lifetime", policy: .heuristicOnly, ours: "hit", nginx: "MISS"),
        // nginx stores nothing that is not fresh when it comes, and so confirms nothing (§4.3).
        Difference(testDescription: "no-cache", policy: .noCache, ours: "stale 304", nginx: "MISS"),
        Difference(testDescription: "max-age=0", policy: .zero, ours: "stale 304", nginx: "MISS"),
        Difference(testDescription: "Expires in the past", policy: .expired, ours: "stale 304", nginx: "MISS"),
        Difference(testDescription: "Expires that is no date", policy: .noDate, ours: "stale 304", nginx: "MISS"),
        // nginx does not read Age (§4.2.3).
        Difference(testDescription: "Age", policy: .outdated, ours: "stale 304", nginx: "HIT"),
        // nginx asks for the whole, also for HEAD (`proxy_cache_convert_head`) and for a range.
        Difference(
            testDescription: "HEAD before GET",
            policy: .fresh,
            before: [CacheProbe(method: .head)],
            ours: "uri-miss",
            nginx: "HIT"
        ),
        Difference(
            testDescription: "a range before the whole",
            policy: .fresh,
            before: [CacheProbe(range: "bytes=0-9")],
            ours: "partial",
            nginx: "HIT"
        ),
        // nginx compares the fields that Vary names as they are (§4.1 allows more).
        Difference(
            testDescription: "Vary, and the same languages written otherwise",
            policy: .language,
            before: [CacheProbe(language: "de, en")],
            probe: CacheProbe(language: "DE,en"),
            ours: "hit",
            nginx: "MISS"
        ),
        // nginx removes nothing after POST (§4.4).
        Difference(
            testDescription: "POST",
            policy: .fresh,
            before: [CacheProbe(), CacheProbe(method: .post)],
            ours: "uri-miss",
            nginx: "HIT"
        ),
        // nginx stores responses to requests with credentials (§3.5).
        Difference(
            testDescription: "credentials",
            policy: .fresh,
            before: [CacheProbe(isAuthorized: true)],
            ours: "uri-miss",
            nginx: "HIT"
        ),
        // nginx takes directives with names of fields for those without (§5.2.2.4, §5.2.2.7).
        Difference(testDescription: "private=\"…\"", policy: .withoutUserField, ours: "hit", nginx: "MISS"),
        Difference(testDescription: "no-cache=\"…\"", policy: .withoutConfirmedField, ours: "hit", nginx: "MISS"),
        // nginx stores no response with Set-Cookie; §7.3 leaves that to the origin's directives.
        Difference(testDescription: "Set-Cookie", policy: .cookie, ours: "hit", nginx: "MISS"),
    ]

    @Test(arguments: differences, CacheOrigin.allCases)
    func `the known differences to nginx are as they are listed`(
        difference: Difference,
        origin: CacheOrigin
    ) async throws {
        try await withPair(origin) { pair in
            var file = ServedFile(difference.policy, of: pair.run)
            try file.change(length: 500)
            for probe in difference.before { _ = try await pair.ask(probe, file) }
            let last = try await pair.ask(difference.probe, file)
            #expect(last.ours == difference.ours)
            #expect(last.nginx == difference.nginx)
        }
    }

    @Test(arguments: CacheOrigin.allCases)
    func `what is stale is confirmed, and replaced when it was changed, as by nginx`(origin: CacheOrigin) async throws {
        let offset = CacheSequence.Offset()
        try await withPair(origin, offset: offset) { pair in
            var file = ServedFile(OriginPolicy("brief", "max-age=1", lifetime: 1), of: pair.run)
            var seen: [String] = []
            for expected in [("uri-miss", "MISS"), ("stale 304", "REVALIDATED"), ("stale", "EXPIRED")] {
                if expected.1 != "REVALIDATED" { try file.change(length: 100 + seen.count) }
                offset.seconds += 100
                let ours = try await pair.askOurs(CacheProbe(), file)
                #expect(ours.told == expected.0)
                var nginx = try await pair.askNginx(CacheProbe(), file)
                // nginx has no clock that could be moved: it is asked until the second is over.
                while nginx.told == "HIT" {
                    try await Task.sleep(for: .milliseconds(20))
                    nginx = try await pair.askNginx(CacheProbe(), file)
                }
                #expect(nginx.told == expected.1)
                #expect(nginx.essence == ours.essence)
                seen.append(nginx.told)
            }
            // A server may write its log after the response.
            for client in ["ours", "nginx"] {
                while try pair.requests(of: client) < 3 { try await Task.sleep(for: .milliseconds(5)) }
                #expect(try pair.requests(of: client) == 3)
            }
        }
    }
}
