import FoundationEssentials
import HTTPTypes

/// The response that a stored one makes for a request: all of it, a part, or that it was not
/// modified. A value, from head to head.
struct StoredAnswer: Sendable {
    /// The part of the stored body that is the body.
    enum Content: Sendable, Hashable {
        case whole
        case none
        case part(Range<Int>)
    }

    let head: ResponseHead
    let content: Content

    init(_ record: CacheRecord, to cached: CacheRequest, head: ResponseHead) {
        guard record.facts.status == 200 else {
            // RFC 9110 §13.2.1, §14.2: conditions and ranges are for what would be a 200.
            (self.head, content) = (head, cached.isHead ? .none : .whole)
            return
        }
        if Self.isUnmodified(record.facts, cached.condition) {
            (self.head, content) = (Self.notModified(head), .none)
            return
        }
        guard !cached.isHead else {
            (self.head, content) = (head, .none)
            return
        }
        switch Self.range(of: cached, record) {
        case nil: (self.head, content) = (head, .whole)
        case .some(nil):
            var fields: HTTPFields = [.contentRange: "bytes */\(record.completeByteCount)", .contentLength: "0"]
            fields[.date] = head[.date]
            (self.head, content) = (ResponseHead(status: .rangeNotSatisfiable, headerFields: fields), .none)
        case .some(let range?):
            (self.head, content) = (Self.partial(head, range, of: record.completeByteCount), .part(range))
        }
    }

    /// Whether the condition of the request says that it has the stored response already (RFC 9111
    /// §4.3.2).
    static func isUnmodified(_ facts: StoredFacts, _ condition: CacheRequest.Condition) -> Bool {
        switch condition {
        case .none, .ofServer: return false
        case .noneMatch(let tags):
            if tags.trimmingBlanks == "*" { return true }
            guard let tag = facts.entityTag else { return false }
            return Self.tags(in: tags).contains { StoredFacts.matchesWeakly($0, tag) }
        case .modifiedSince(let date):
            guard let date = HTTPDate(date), let modifiedAt = facts.modifiedAt else { return false }
            return modifiedAt <= date.secondsSince1970
        }
    }

    /// The entity tags of a list, in which a comma may stand inside of a tag (RFC 9110 §8.8.3).
    static func tags(in list: String) -> [String] {
        var tags: [String] = []
        var tag: [UInt8] = []
        var isQuoted = false
        for byte in list.utf8 {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ","), !isQuoted {
                tags.append(String(decoding: tag, as: UTF8.self).trimmingBlanks)
                tag = []
            } else {
                tag.append(byte)
            }
        }
        tags.append(String(decoding: tag, as: UTF8.self).trimmingBlanks)
        return tags.filter { !$0.isEmpty }
    }

    /// The fields that a 304 has (RFC 9110 §15.4.5).
    private static let notModifiedFields: Set = [
        "age", "cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary",
    ]

    private static func notModified(_ head: ResponseHead) -> ResponseHead {
        ResponseHead(
            status: .notModified,
            headerFields: HTTPFields(head.headerFields.filter { notModifiedFields.contains($0.name.canonicalName) }),
            httpVersion: head.httpVersion
        )
    }

    private static func partial(_ head: ResponseHead, _ range: Range<Int>, of count: Int) -> ResponseHead {
        let head = head.replacing { $0 == "content-length" || $0 == "content-range" }
        var fields = head.headerFields
        fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
        fields[.contentLength] = String(range.count)
        return ResponseHead(status: .partialContent, headerFields: fields, httpVersion: head.httpVersion)
    }

    // MARK: Ranges

    /// Whether a range of the request can be answered from a complete response: it is one range of
    /// bytes (RFC 9110 §14.1.2). The server is asked for others.
    static func isAnswerable(_ range: String) -> Bool { bounds(of: range) != nil }

    /// The first and the last position; without the first one the last one is a number of bytes at
    /// the end.
    private static func bounds(of range: String) -> (first: Int?, last: Int?)? {
        let parts = range.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmingBlanks.lowercased() == "bytes" else { return nil }
        let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false).map(\.trimmingBlanks)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(ASCII.isDigit) }) else { return nil }
        // A number that is too large is beyond the end of any body.
        let numbers = ends.map { $0.isEmpty ? nil : Int($0) ?? .max }
        switch (numbers[0], numbers[1]) {
        case (nil, nil): return nil
        case (let first?, let last?) where first > last: return nil
        default: return (numbers[0], numbers[1])
        }
    }

    /// The part that a request wants; nil for the whole, and nil inside for one that is not there.
    private static func range(of cached: CacheRequest, _ record: CacheRecord) -> Range<Int>?? {
        guard let bounds = cached.range.flatMap(bounds),
            cached.rangeCondition.map({ isSame($0, record.facts) }) ?? true
        else { return nil }
        let count = record.completeByteCount
        guard let first = bounds.first else {
            let length = min(bounds.last ?? 0, count)
            return length == 0 ? .some(nil) : .some(count - length..<count)
        }
        guard first < count else { return .some(nil) }
        return .some(first..<min(bounds.last ?? .max, count - 1) + 1)
    }

    /// Whether a stored response is the one of an `If-Range` (RFC 9110 §13.1.5): by a strong entity
    /// tag, or by the same date where that is a strong validator.
    private static func isSame(_ condition: String, _ facts: StoredFacts) -> Bool {
        let condition = condition.trimmingBlanks
        if condition.utf8.last == UInt8(ascii: "\"") {
            return StoredFacts.isStrong(condition) && facts.entityTag == condition
        }
        // §8.8.2.2: a date is a strong validator when the server could not have changed the file
        // within the same second; a second of difference between two clocks of it is enough.
        guard facts.lastModified == condition, let date = facts.date, let modified = HTTPDate(condition) else {
            return false
        }
        return date - modified.secondsSince1970 >= 1
    }
}
