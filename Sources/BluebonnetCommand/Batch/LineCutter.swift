/// Cuts blocks of bytes into lines that end with LF.
struct LineCutter: Equatable, Sendable {
    private var rest: [UInt8] = []

    /// The lines whose end is in the block, without their ends.
    mutating func cut(_ block: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        while let end = block[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if rest.isEmpty {
                lines.append(Array(block[start..<end]))
            } else {
                rest += block[start..<end]
                lines.append(rest)
                rest = []
            }
            start = end + 1
        }
        rest += block[start...]
        return lines
    }

    /// The last line, when it has no end.
    mutating func finish() -> [[UInt8]] {
        defer { rest = [] }
        return rest.isEmpty ? [] : [rest]
    }
}
