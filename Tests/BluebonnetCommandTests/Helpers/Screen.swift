/// The rows of a terminal window. Understands text, CR, LF and "clear to the end of the line", and
/// ignores colours.
struct Screen {
    let columns: Int
    private var lines: [[Character]] = [[]]
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
                lines.append([])
                // In its usual mode a terminal also returns to the first column.
                column = 0
            case "\u{1B}":
                let sequence = rest.prefix { !("a"..."z").contains($0) && !("A"..."Z").contains($0) }
                rest = rest.dropFirst(sequence.count)
                if rest.popFirst() == "K" {
                    lines[lines.count - 1].removeLast(max(0, lines[lines.count - 1].count - column))
                }
            default: put(Character(scalar))
            }
        }
    }

    private mutating func put(_ character: Character) {
        if column == columns {
            lines.append([])
            column = 0
        }
        let row = lines.count - 1
        while lines[row].count <= column { lines[row].append(" ") }
        lines[row][column] = character
        column += 1
    }
}
