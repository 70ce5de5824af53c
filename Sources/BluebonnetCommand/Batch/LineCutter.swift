/// Cuts blocks of bytes into lines that end in LF or CRLF. The last line may have no end.
///
/// A line that is too long is not kept: it takes its place among the others, so that all lines
/// after it have the right numbers.
struct LineCutter: Sendable {
    /// A line without its end.
    enum Line: Equatable, Sendable {
        case bytes([UInt8])
        /// It has more bytes than the limit, which is given here.
        case tooLong(limit: Int)
    }

    /// The most bytes of a line without its end.
    let limit: Int

    /// The beginning of a line, from earlier blocks.
    private var pending: [UInt8] = []
    /// The rest of a line that is too long is skipped.
    private var isSkipping = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next block and returns the lines that end in it. A line that becomes too long is
    /// returned at once, before its end is there.
    mutating func push(_ block: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var rest = block[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if let line = take(rest[..<end]) { lines.append(line) }
            rest = rest[(end + 1)...]
        }
        guard !isSkipping else { return lines }
        pending += rest
        // A CR at the end may be the first half of a line end.
        if pending.count - (pending.last == UInt8(ascii: "\r") ? 1 : 0) > limit {
            lines.append(.tooLong(limit: limit))
            pending = []
            isSkipping = true
        }
        return lines
    }

    /// The last line, when it had no end and is not empty.
    mutating func finish() -> Line? {
        pending.isEmpty ? nil : take([])
    }

    /// Ends a line; nil where it was returned before, since it is too long.
    private mutating func take(_ end: ArraySlice<UInt8>) -> Line? {
        defer {
            pending = []
            isSkipping = false
        }
        guard !isSkipping else { return nil }
        var line = pending.isEmpty ? Array(end) : pending + end
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line.count > limit ? .tooLong(limit: limit) : .bytes(line)
    }
}

extension LineCutter.Line {
    /// The bytes that are kept in memory.
    var size: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .tooLong: 0
        }
    }
}
