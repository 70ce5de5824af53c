/// The parts of a file that several requests fetch at once, as a value without I/O: what is
/// missing, and who fetches which part.
///
/// The missing bytes are handed out in pieces from the front, so that a fast connection takes more
/// of them than a slow one, and so that little is lost when one of them fails.
struct DownloadSegments {
    /// A piece that somebody fetches.
    struct Piece: Equatable {
        let number: Int
        /// What is still to come of it.
        var range: Range<Int>
    }

    /// The size of the first piece, before the size of the file is known.
    static let firstPiece = 1 << 22
    /// The most requests at once; more of them make no connection faster.
    static let mostRequests = 32
    /// The least and the most bytes of a piece.
    static let pieceSizes = firstPiece...(1 << 26)

    /// What nobody fetches, from the front, without empty ranges.
    private var free: [Range<Int>]
    private var taken: [Piece] = []
    private var lastNumber = 0
    private let pieceSize: Int

    /// - Parameters:
    ///   - missing: The missing ranges.
    ///   - length: The size of the file.
    ///   - count: The most requests at once.
    init(missing: [Range<Int>], length: Int, count: Int) {
        free = Self.merged(missing)
        // Sixteen pieces for each connection: the last ones end at about the same time.
        let size = length / (max(1, count) * 16)
        pieceSize = min(max(size, Self.pieceSizes.lowerBound), Self.pieceSizes.upperBound)
    }

    /// What is missing, whether somebody fetches it or not, from the front.
    var missing: [Range<Int>] { Self.merged(free + taken.map(\.range)) }

    var isComplete: Bool { free.isEmpty && taken.allSatisfy(\.range.isEmpty) }

    /// The number of missing bytes.
    static func count(_ ranges: [Range<Int>]) -> Int { ranges.reduce(0) { $0 + $1.count } }

    /// Takes the next piece; nil when all are taken.
    mutating func take() -> Piece? {
        guard let first = free.first else { return nil }
        return take(upTo: min(first.count, pieceSize))
    }

    /// Takes what is missing at the beginning of a part that a server sends: that has to begin at
    /// the first missing byte.
    mutating func takeFirst(_ part: Range<Int>) -> Piece? {
        guard let first = free.first, first.lowerBound == part.lowerBound, !part.isEmpty else { return nil }
        return take(upTo: min(first.count, part.count, Self.firstPiece))
    }

    private mutating func take(upTo count: Int) -> Piece {
        let start = free[0].lowerBound
        free[0] = start + count..<free[0].upperBound
        if free[0].isEmpty { free.removeFirst() }
        lastNumber += 1
        let piece = Piece(number: lastNumber, range: start..<start + count)
        taken.append(piece)
        return piece
    }

    /// Notes that bytes of a piece are in the file.
    mutating func received(_ count: Int, of number: Int) {
        guard let index = taken.firstIndex(where: { $0.number == number }) else { return }
        let range = taken[index].range
        taken[index].range = min(range.lowerBound + count, range.upperBound)..<range.upperBound
    }

    /// Ends the fetching of a piece. What is missing of it can be taken again.
    mutating func end(_ number: Int) {
        guard let index = taken.firstIndex(where: { $0.number == number }) else { return }
        free = Self.merged(free + [taken.remove(at: index).range])
    }

    /// Ranges from the front, without empty ones; those that touch are one.
    static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
