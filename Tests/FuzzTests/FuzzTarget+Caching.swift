import Foundation
import HTTPTypes

@testable import Bluebonnet

/// What servers say to caches.
extension FuzzTarget {
    /// Directives count the same in each order, and their numbers are seconds that can be added.
    static func cacheControl(_ input: [UInt8]) throws(Violation) -> String {
        let text = String(decoding: input, as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        let directives = CacheDirectives(lines)
        let reversed = CacheDirectives(lines.reversed())
        let numbers = numbers(of: directives)
        guard directives.flags == reversed.flags, numbers == Self.numbers(of: reversed),
            Set(directives.noCacheFields) == Set(reversed.noCacheFields),
            Set(directives.privateFields) == Set(reversed.privateFields)
        else { throw Violation(description: "\(directives) is \(reversed) in the other order") }
        for number in numbers.compactMap(\.self) where number < 0 || number > CacheDirectives.largestSeconds {
            // Any staleness is allowed.
            guard directives.maxStale == .max, number == .max else { throw Violation(description: "\(directives)") }
        }
        // A directive that forbids is found by a reading that knows no arguments.
        if lines.contains("no-store"), !directives.flags.contains(.noStore) {
            throw Violation(description: "no-store was not found: \(lines)")
        }
        let kinds = numbers.map { $0.map { String(bucket($0)) } ?? "-" }.joined(separator: ",")
        return "\(directives.flags.rawValue) \(kinds) \(min(directives.noCacheFields.count, 3))"
    }

    private static func numbers(of directives: CacheDirectives) -> [Int?] {
        [
            directives.maxAge, directives.sharedMaxAge, directives.maxStale, directives.minFresh,
            directives.staleWhileRevalidate, directives.staleIfError,
        ]
    }

    /// A part is within its whole, and is read as the same one when it is written.
    static func contentRange(_ input: [UInt8]) throws(Violation) -> String {
        let text = String(decoding: input, as: UTF8.self)
        let written: String
        let range = ContentRange(text)
        switch range {
        case nil: return "none"
        case .unsatisfied(let length): written = "bytes */\(length)"
        case .part(let part, let length):
            guard !part.isEmpty, part.lowerBound >= 0, part.upperBound <= length ?? .max else {
                throw Violation(description: "“\(text)” is \(part) of \(String(describing: length))")
            }
            written = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length.map(String.init) ?? "*")"
        }
        guard ContentRange(written) == range else { throw Violation(description: "“\(text)” differs from \(written)") }
        return "\(written.utf8.count)"
    }

    /// The fields of a response that is stored: it is found for its own request, ages with the
    /// clock, and has nothing that may not be stored.
    static func storedHead(_ input: [UInt8]) throws(Violation) -> String {
        var fields = HTTPFields()
        var wanted = HTTPFields()
        for line in String(decoding: input, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            // Lines with ">" are the fields of the request.
            let isOfRequest = parts.first?.hasPrefix(">") ?? false
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0].drop { $0 == ">" })) else { continue }
            let field = HTTPField(name: name, value: String(parts[1]))
            if isOfRequest { wanted.append(field) } else { fields.append(field) }
        }
        guard let url = URL(string: "https://www.example.com/") else { return "no URL" }
        let request = Request(method: .get, url: url, headerFields: wanted)
        guard let cached = CacheRequest(request, policy: .default) else { return "not for a cache" }
        var kind = ""
        for isShared in [false, true] {
            let now = 1_800_000_000
            let decision = StorageDecision(
                ResponseHead(status: .ok, headerFields: fields),
                to: request,
                cached,
                requestedAt: now - 1,
                receivedAt: now,
                isShared: isShared
            )
            switch decision {
            case .refuse(let reason): kind += reason
            case .store(let record): kind += try check(record, request, cached, now: now, isShared)
            }
        }
        return kind
    }

    private static func check(
        _ record: CacheRecord,
        _ request: Request,
        _ cached: CacheRequest,
        now: Int,
        _ isShared: Bool
    ) throws(Violation) -> String {
        let facts = record.facts
        let ages = [now - 1000, now, now + 1000, 1 << 40].map { facts.age(at: $0) }
        guard ages == ages.sorted(), ages[0] >= 0, facts.lifetime(isShared: isShared) >= 0 else {
            throw Violation(description: "the ages are \(ages): \(record.head)")
        }
        guard Vary.matches(record, request) else { throw Violation(description: "it is not for its own request") }
        for name in ["connection", "keep-alive", "proxy-authenticate", "transfer-encoding"] {
            guard let name = HTTPField.Name(name), !record.head.contains(name) else {
                throw Violation(description: "\(name) is stored")
            }
        }
        let updated = StorageDecision.updated(record.head, with: record.head, isShared)
        guard updated.headerFields[.eTag] == record.head.headerFields[.eTag] else {
            throw Violation(description: "confirmed by itself, it is another one: \(updated)")
        }
        switch CacheDecision(cached, request, [record], now: now, isShared: isShared) {
        case .use(let stored), .useAndRenew(let stored):
            if facts.directives.flags.contains(.noCache) || cached.directives.flags.contains(.noCache) {
                throw Violation(description: "used without asking: \(record.head)")
            }
            let answer = StoredAnswer(record, to: cached, head: record.head)
            return "use \(bucket(max(0, stored.timeToLive))) \(answer.head.statusCode)"
        case .forward(let reason, _): return "\(reason)"
        case .refuse: return "refuse"
        }
    }
}
