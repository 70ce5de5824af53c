/// The rows of a terminal window. Understands text, CR, LF, "up", "clear to the end of the line"
/// and "of the window", and ignores colours. Each character takes one column.
struct Screen {
    private(set) var columns: Int
    private var lines: [[Character]] = [[]]
    private var row = 0
    private var column = 0

    init(columns: Int) {
        self.columns = columns
    }

    /// The rows without the spaces at their ends.
    var rows: [String] {
        lines.map { row in String(row.reversed().drop { $0 == " " }.reversed()) }
    }

    /// Shows bytes, whose last character must be complete.
    mutating func receive(_ bytes: some Sequence<UInt8>) {
        var rest = Array(String(decoding: Array(bytes), as: UTF8.self).unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n":
                nextRow()
                // In its usual mode a terminal also returns to the first column.
                column = 0
            case "\u{1B}":
                let sequence = rest.prefix { !("a"..."z").contains($0) && !("A"..."Z").contains($0) }
                rest = rest.dropFirst(sequence.count)
                let number = Int(String(String.UnicodeScalarView(sequence.dropFirst()))) ?? 1
                switch rest.popFirst() {
                case "A": row = max(0, row - number)
                case "J":
                    clearLine()
                    lines.removeLast(lines.count - 1 - row)
                case "K": clearLine()
                default: break
                }
            default: put(Character(scalar))
            }
        }
    }

    /// Makes the window narrower: lines that do not fit any more are broken, as most terminals do
    /// it. The cursor stays behind its character.
    mutating func resize(columns: Int) {
        self.columns = columns
        let cursor = row
        let broken = lines.map { line -> [[Character]] in
            guard line.count > columns else { return [line] }
            return stride(from: 0, to: line.count, by: columns).map { Array(line[$0..<min($0 + columns, line.count)]) }
        }
        row = broken[..<cursor].reduce(0) { $0 + $1.count } + column / columns
        column %= columns
        lines = broken.flatMap(\.self)
    }

    private mutating func clearLine() {
        lines[row].removeLast(max(0, lines[row].count - column))
    }

    private mutating func nextRow() {
        row += 1
        if row == lines.count { lines.append([]) }
    }

    private mutating func put(_ character: Character) {
        if column == columns {
            nextRow()
            column = 0
        }
        while lines[row].count <= column { lines[row].append(" ") }
        lines[row][column] = character
        column += 1
    }
}
