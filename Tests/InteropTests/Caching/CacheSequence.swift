import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Random requests to an origin whose files change, by a session with a private cache and one
/// without, with the rules that the first one has to keep.
///
/// The clock of the cache moves in steps of 100 seconds, that of the origin does not: what it has
/// just sent appears as old as the steps together (RFC 9111 §4.2.3). All lifetimes are 50 seconds
/// from such a step, so that the seconds that the test takes change nothing.
struct CacheSequence {
    /// What must be in the cache for a URL and a form of it.
    private struct Expected {
        var version: Int
        /// The offset of the clock when it was received or confirmed.
        var offset: Int
    }

    let origin: CacheOrigin
    let run: String
    let cached: SessionManager
    let plain: SessionManager
    let offset: Offset
    private var random: SeededGenerator
    private var files: [ServedFile]
    private var expected: [String: Expected] = [:]
    /// The fewest and the most requests that the origin may have had from the cache, by path.
    private var forwards: [String: ClosedRange<Int>] = [:]
    private(set) var hits = 0
    private var steps: [String] = []

    /// The time by which the clock of the cache is ahead, in seconds.
    final class Offset: Sendable {
        private let state = Mutex(0)
        var seconds: Int {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// A difference that no rule allows.
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    init(
        _ origin: CacheOrigin,
        run: String,
        seed: UInt64,
        cached: SessionManager,
        plain: SessionManager,
        offset: Offset
    ) {
        (self.origin, self.run, self.cached, self.plain, self.offset) = (origin, run, cached, plain, offset)
        random = SeededGenerator(seed: seed)
        files = []
        // Few of them, so that each is asked for often.
        let policies = origin.having(OriginPolicy.all).shuffled(using: &random).prefix(6)
        files = policies.map { ServedFile($0, of: run) }
    }

    /// Does the steps and compares the log of the origin.
    mutating func perform(steps count: Int) async throws {
        do {
            for index in files.indices { try await change(index) }
            for _ in 0..<count {
                let index = Int.random(in: 0..<files.count, using: &random)
                switch Int.random(in: 0..<20, using: &random) {
                case 0, 1: try await change(index)
                case 2: advance()
                case 3: try await post(index)
                default: try await ask(index)
                }
            }
            try await compareLog()
        } catch {
            throw Fault(description: "\(error)\nafter:\n" + steps.joined(separator: "\n"))
        }
    }

    // MARK: Steps

    private mutating func change(_ index: Int) async throws {
        // Of very different lengths, so that a mixed body would be noticed.
        try files[index].change(length: Int.random(in: 100...3000, using: &random))
        steps.append("change \(files[index].policy.name) to \(files[index].versions.count - 1)")
        let request = try CacheProbe(coding: "identity").request(origin.server, files[index], client: "plain")
        files[index].note(try await plain.data(for: request).head)
    }

    private mutating func advance() {
        offset.seconds += 100
        steps.append("advance to \(offset.seconds)")
    }

    private mutating func post(_ index: Int) async throws {
        steps.append("POST \(files[index].policy.name)")
        var request = try CacheProbe(method: .post).request(origin.server, files[index], client: "cache")
        request.body = .string("a=b")
        _ = try await cached.data(for: request)
        noteForwards(index, 1...1)
        // RFC 9111 §4.4: whatever is stored for the URL is outdated.
        expected = expected.filter { !$0.key.hasPrefix(files[index].path) }
    }

    private mutating func probe(_ file: ServedFile) -> CacheProbe {
        var probe = CacheProbe()
        let policy = file.policy
        if policy.vary != nil { probe.language = ["de", "en", "EN", "en, de"].randomElement(using: &random) }
        if policy.name == OriginPolicy.compressed.name {
            probe.coding = [nil, "identity", "gzip"].randomElement(using: &random) ?? nil
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            probe.wish = Wish.allCases.randomElement(using: &random) ?? .none
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: probe.method = .head
        case 1,
            2 where probe.coding == nil && policy.name != OriginPolicy.compressed.name:
            probe.range = ["bytes=0-9", "bytes=50-149", "bytes=90-", "bytes=-40", "bytes=5000-"]
                .randomElement(using: &random)
            if Bool.random(using: &random) {
                probe.rangeTag = file.versions.randomElement(using: &random)?.entityTag
            }
        case 3 where policy.isFile && policy.name != OriginPolicy.compressed.name:
            let version = file.versions.randomElement(using: &random)
            probe.condition =
                if Bool.random(using: &random), let date = version?.lastModified {
                    .modifiedSince(date)
                } else {
                    .noneMatch(version?.entityTag ?? "\"none\"")
                }
        default: break
        }
        return probe
    }

    private mutating func ask(_ index: Int) async throws {
        let file = files[index]
        let probe = probe(file)
        let name = "\(file.policy.name): \(probe)"
        let form = [file.path, probe.language?.lowercased() ?? "", probe.coding ?? ""].joined(separator: "|")
        let response = try await cached.data(for: probe.request(origin.server, file, client: "cache"))
        guard let status = response.cacheStatus else { throw Fault(description: "no status of the cache, \(name)") }
        steps.append("\(name) -> \(response.status.code), \(status)")
        // RFC 9111 §4.2.3: when it came, the larger one of the two counted.
        let age = max(file.policy.age, offset.seconds)
        let timeToLive = file.policy.lifetime - age
        if file.policy.vary == "Accept-Language", [200, 206].contains(response.status.code) {
            let language = response.headerFields[.init("X-Language") ?? .vary] ?? ""
            try check(language.lowercased() == probe.language?.lowercased(), "the form of another language: \(name)")
        }
        if status.isHit {
            hits += 1
            try check(probe.wish.allows(file.policy, age: age, timeToLive: timeToLive), "not allowed: \(name)")
            try checkVersion(response, of: file, probe, atLeast: expected[form]?.version ?? 0)
            return
        }
        if response.status == .gatewayTimeout {
            try check(probe.wish == .onlyIfCached && status.forward == nil, "an error: \(name)")
            try checkIsNotExpected(form, file, probe)
            return
        }
        try check(status.forward != nil, "neither stored nor sent: \(name)")
        try check(probe.wish != .onlyIfCached, "sent with only-if-cached: \(name)")
        try checkIsNotExpected(form, file, probe)
        // Parts of an older version are fetched again.
        noteForwards(index, 1...(status.forward == .partial || probe.range != nil ? 2 : 1))
        let direct = try await plain.data(for: probe.request(origin.server, file, client: "plain"))
        let (own, other) = (response.essence, direct.essence)
        if response.status == .ok, direct.status == .partialContent {
            // What was missing of stored parts was asked for with If-Range, and the file had
            // changed: the origin sends all of it, which answers a request for a range too
            // (RFC 9110 §14.2).
            try checkVersion(response, of: file, probe, atLeast: file.versions.count - 1)
            try check(response.headerFields[.eTag] == direct.headerFields[.eTag], "an older version: \(name)")
        } else {
            try check(own == other, "the origin's differs, \(name):\n  \(own)\n  \(other)")
        }
        if probe.isPlain, response.status == .ok, file.policy.isFile, file.policy.isReusable {
            expected[form] = Expected(version: file.versions.count - 1, offset: offset.seconds)
        } else {
            expected[form] = nil
        }
    }

    // MARK: Rules

    private func check(_ isKept: Bool, _ message: String) throws {
        if !isKept { throw Fault(description: message) }
    }

    /// A plain request is answered from the cache while what is stored is fresh.
    private func checkIsNotExpected(_ form: String, _ file: ServedFile, _ probe: CacheProbe) throws {
        guard probe.isPlain, let expected = expected[form] else { return }
        let age = max(file.policy.age, expected.offset) + offset.seconds - expected.offset
        try check(age >= file.policy.lifetime, "it is stored and fresh: \(file.policy.name): \(probe)")
    }

    /// A stored response is one version of the file, with its own validators.
    private func checkVersion(
        _ response: Response<Data>,
        of file: ServedFile,
        _ probe: CacheProbe,
        atLeast oldest: Int
    ) throws {
        guard file.policy.isFile else {
            try check(Set([301, 404, 410]).contains(response.status.code), "another status: \(file.policy.name)")
            return
        }
        let tag = response.headerFields[.eTag]
        let number = file.versions.lastIndex { version in
            guard tag?.strongForm == version.entityTag?.strongForm else {
                return response.status == .rangeNotSatisfiable
            }
            let body = version.body
            switch response.status {
            case .ok where probe.method == .head: return response.body.isEmpty
            case .ok: return response.body == body
            case .notModified: return response.body.isEmpty && probe.condition != .none
            case .rangeNotSatisfiable: return response.headerFields[.contentRange] == "bytes */\(body.count)"
            case .partialContent:
                guard let range = probe.range.flatMap({ Self.bounds($0, of: body.count) }) else { return false }
                return response.body == body[range]
                    && response.headerFields[.contentRange]
                        == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"
            default: return false
            }
        }
        guard let number else { throw Fault(description: "of no version: \(probe): \(response.essence)") }
        try check(!probe.isPlain || number >= oldest, "version \(number) after \(oldest): \(probe)")
    }

    private static func bounds(_ range: String, of count: Int) -> Range<Int>? {
        let parts = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard let first = Int(parts[0]) else { return max(0, count - (Int(parts[1]) ?? 0))..<count }
        return first < count ? first..<min((Int(parts[1]) ?? .max - 1) + 1, count) : nil
    }

    private mutating func noteForwards(_ index: Int, _ count: ClosedRange<Int>) {
        let known = forwards[files[index].path] ?? 0...0
        forwards[files[index].path] = known.lowerBound + count.lowerBound...known.upperBound + count.upperBound
    }

    /// The log of the origin has as many requests of the cache as it told of.
    private func compareLog() async throws {
        let marker = "/differential/\(run)/end"
        var lines: [Substring] = []
        // A server writes its log after the response.
        let end = try Request(to: origin.server.address + marker)
        while !lines.contains(where: { $0.contains(marker) }) {
            _ = try await cached.data(for: end)
            lines = try origin.log(of: run)
        }
        for file in files {
            let count = lines.count { $0.hasPrefix("cache ") && $0.contains(" \(file.path) ") }
            let told = forwards[file.path] ?? 0...0
            try check(told.contains(count), "\(file.policy.name): \(count) requests in the log, \(told) told")
        }
    }
}

extension String {
    /// An entity tag without its mark as a weak one: compression makes one of a strong one.
    fileprivate var strongForm: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
