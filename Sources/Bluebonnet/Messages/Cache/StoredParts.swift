/// The stored parts of one version of a response (RFC 9111 §3.4), in the order of their beginnings.
///
/// A version is told by its strong entity tag and its length: only parts of the same one are put
/// together (RFC 9110 §15.3.7.3).
struct StoredParts: Sendable {
    /// Bytes of the whole that are taken from one part.
    struct Segment: Sendable {
        let record: CacheRecord
        /// Within the whole.
        let range: Range<Int>

        /// Within the part.
        var rangeOfPart: Range<Int> {
            let start = record.part?.lowerBound ?? 0
            return range.lowerBound - start..<range.upperBound - start
        }
    }

    /// The most parts of one response; more are put together, or the smallest is dropped.
    static let most = 8

    let records: [CacheRecord]

    /// The parts of the version that a record is of, itself included.
    init(of record: CacheRecord, among records: [CacheRecord]) {
        self.records =
            records.filter { $0.part != nil && $0.key == record.key && $0.isSameVersion(as: record) }
            .sorted { ($0.part?.lowerBound ?? 0) < ($1.part?.lowerBound ?? 0) }
    }

    /// Where to take the bytes of a range from; nil where some are missing.
    func segments(of range: Range<Int>) -> [Segment]? {
        var segments: [Segment] = []
        var position = range.lowerBound
        while position < range.upperBound {
            guard let (record, end) = reach(from: position) else { return nil }
            let next = min(end, range.upperBound)
            segments.append(Segment(record: record, range: position..<next))
            position = next
        }
        return segments
    }

    /// The bytes from the first to the last one of a range that are missing; nil where none are.
    func gap(in range: Range<Int>) -> Range<Int>? {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, let next = reach(from: start)?.end { start = next }
        guard start < end else { return nil }
        while let next = begin(behind: end) { end = next }
        return start..<end
    }

    /// The longest run of parts that touch each other; nil where no two do.
    var longestRun: Range<Int>? {
        var (longest, run) = (Range<Int>?.none, Range<Int>?.none)
        var count = 0
        for part in records.compactMap(\.part) {
            if let known = run, part.lowerBound <= known.upperBound {
                run = known.lowerBound..<max(known.upperBound, part.upperBound)
                count += 1
            } else {
                (run, count) = (part, 1)
            }
            if count > 1, let run, run.count > longest?.count ?? 0 { longest = run }
        }
        return longest
    }

    /// The part with the byte at a position that goes the farthest, and its end.
    private func reach(from position: Int) -> (record: CacheRecord, end: Int)? {
        var best: (record: CacheRecord, end: Int)?
        for record in records {
            guard let part = record.part, part.contains(position), part.upperBound > best?.end ?? position
            else { continue }
            best = (record, part.upperBound)
        }
        return best
    }

    /// The earliest beginning of the parts with the byte in front of a position.
    private func begin(behind position: Int) -> Int? {
        records.compactMap(\.part).filter { $0.contains(position - 1) }.map(\.lowerBound).min()
    }
}

extension CacheRecord {
    /// Whether two records are of the same version of a response, so that their bytes may be put
    /// together: both have the same strong entity tag and the same length (RFC 9110 §15.3.7.3), and
    /// are for the same requests.
    func isSameVersion(as other: CacheRecord) -> Bool {
        guard let tag = facts.strongTag, tag == other.facts.strongTag, facts.status == other.facts.status else {
            return false
        }
        return completeByteCount == other.completeByteCount && varying == other.varying
    }
}
