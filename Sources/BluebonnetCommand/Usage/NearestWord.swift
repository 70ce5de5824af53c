/// The word that a misspelt one was meant to be.
enum NearestWord {
    /// The word with the fewest differences, if they are few for its length: one in up to five
    /// letters, two in more. A missing, a wrong or an additional letter is a difference, and so are
    /// two letters in the wrong order.
    ///
    /// - Parameters:
    ///   - word: The misspelt word.
    ///   - words: The right ones.
    /// - Returns: The nearest of them, the first one where several are; nil where none is near.
    static func of(_ word: String, among words: some Sequence<String>) -> String? {
        let letters = Array(word.unicodeScalars)
        let most = letters.count <= 5 ? 1 : 2
        var nearest: (word: String, distance: Int)?
        for candidate in words {
            let other = Array(candidate.unicodeScalars)
            guard abs(other.count - letters.count) <= most else { continue }
            let distance = distance(letters, other)
            if distance <= most, distance < nearest?.distance ?? .max { nearest = (candidate, distance) }
        }
        return nearest?.word
    }

    /// The number of differences: the distance of Damerau and Levenshtein, with each letter changed
    /// once at most.
    private static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
        var rows = [Array(0...second.count)]
        for (row, letter) in first.enumerated() {
            var next = [row + 1]
            for (column, other) in second.enumerated() {
                let changed = rows[row][column] + (letter == other ? 0 : 1)
                var best = min(changed, rows[row][column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == second[column - 1], other == first[row - 1] {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                next.append(best)
            }
            rows.append(next)
        }
        return rows[first.count][second.count]
    }
}
