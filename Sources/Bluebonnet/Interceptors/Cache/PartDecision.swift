import FoundationEssentials
import HTTPTypes

/// What becomes of a part that the server has sent (206): a value, made of its head and of what is
/// stored beside it (RFC 9111 §3.3, §3.4, RFC 9110 §14.4, §15.3.7).
enum PartDecision: Sendable {
    /// It may be stored, with the head of the whole response.
    case store(ResponseHead, CacheRecord.Part)
    /// The whole of the same version is stored, and gets this head.
    case confirm(CacheRecord, ResponseHead)
    /// It contradicts what is stored of the same version, which is not to be trusted then.
    case contradiction([CacheRecord])
    /// It is not stored, with the reason in a few words.
    case refuse(String)

    /// - Parameters:
    ///   - head: The head of the part.
    ///   - cached: What the cache knows of the request.
    ///   - records: What is stored for the same requests.
    ///   - isShared: Whether the cache serves several users.
    init(_ head: ResponseHead, to cached: CacheRequest, beside records: [CacheRecord], isShared: Bool) {
        // Several parts in one body have no Content-Range.
        let ranges = head.values(for: .contentRange)
        guard ranges.count == 1, let text = ranges.first, case .part(let range, let length?) = ContentRange(text),
            let part = CacheRecord.Part(range, of: length),
            head.values(for: .contentLength).allSatisfy({ Int($0) == range.count })
        else {
            self = .refuse("not one part of a known length")
            return
        }
        guard !head.contains(.contentEncoding) else {
            self = .refuse("part of encoded bytes")
            return
        }
        guard let tag = Self.strongTag(of: head) else {
            self = .refuse("part without a strong entity tag")
            return
        }
        let others = records.filter {
            $0.facts.status == 200 && $0.facts.strongTag == tag && !$0.head.contains(.contentEncoding)
        }
        let wrong = others.filter { $0.completeByteCount != length }
        if !wrong.isEmpty {
            self = .contradiction(wrong)
        } else if let whole = others.first(where: { $0.part == nil }) {
            self = .confirm(whole, StorageDecision.updated(whole.head, with: head, isShared))
        } else if let other = others.max(by: { $0.receivedAt < $1.receivedAt }) {
            // §15.3.7: the response to If-Range may leave out what the other parts have told.
            self = .store(StorageDecision.updated(other.head, with: head, isShared), part)
        } else if cached.rangeCondition != nil {
            self = .refuse("part without the fields of the whole")
        } else {
            self = .store(Self.whole(head, length), part)
        }
    }

    private static func strongTag(of head: ResponseHead) -> String? {
        guard head.values(for: .eTag).count == 1 else { return nil }
        return StoredFacts(head, requestedAt: 0, receivedAt: 0).strongTag
    }

    /// The head of the response that a part is of.
    private static func whole(_ head: ResponseHead, _ length: Int) -> ResponseHead {
        let head = head.replacing { $0 == "content-length" || $0 == "content-range" }
        var fields = head.headerFields
        fields[.contentLength] = String(length)
        return ResponseHead(status: .ok, headerFields: fields, httpVersion: head.httpVersion)
    }

    /// Whether a part is the one that was missing of a stored version: the bytes that were asked
    /// for, by a server that has understood `If-Range`.
    static func isMissing(_ gap: Range<Int>, of record: CacheRecord, _ head: ResponseHead) -> Bool {
        let ranges = head.values(for: .contentRange)
        guard ranges.count == 1, ranges.first.flatMap({ ContentRange($0) }) == .part(gap, of: record.completeByteCount)
        else { return false }
        return head.values(for: .contentLength).allSatisfy { Int($0) == gap.count }
            && !head.contains(.contentEncoding) && strongTag(of: head) == record.facts.strongTag
    }
}
