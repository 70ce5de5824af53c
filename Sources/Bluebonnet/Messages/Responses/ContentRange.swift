/// The value of `Content-Range` for bytes (RFC 9110 §14.4).
enum ContentRange: Equatable {
    /// `bytes 500-999/1234`: the content is this part of the whole. `*` for a whole of unknown
    /// length.
    case part(Range<Int>, of: Int?)
    /// `bytes */1234`: no part of the range that was asked for exists.
    case unsatisfied(length: Int)

    /// Parses a value; nil for another unit and for what the RFC calls invalid: a last byte before
    /// the first, or not within the whole.
    init?(_ text: String) {
        let fields = text.split(separator: " ", maxSplits: 1)
        guard fields.count == 2, fields[0].lowercased() == "bytes" else { return nil }
        let halves = fields[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let length = Self.number(halves[1])
        guard length != nil || halves[1] == "*" else { return nil }
        guard halves[0] != "*" else {
            guard let length else { return nil }
            self = .unsatisfied(length: length)
            return
        }
        let bounds = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]),
            first <= last, last < length ?? .max
        else { return nil }
        self = .part(first..<last + 1, of: length)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(ASCII.isDigit) ? Int(text) : nil
    }
}
