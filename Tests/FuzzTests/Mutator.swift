/// Makes new inputs from old ones, the same in every run with the same seed.
struct Mutator: RandomNumberGenerator {
    private var random: SeededGenerator
    private let words: [[UInt8]]

    /// Longer inputs find little more and take long.
    private static let longestInput = 4_096

    /// - Parameters:
    ///   - seed: The seed.
    ///   - words: Pieces of input that have a meaning in the format of the parser.
    init(seed: UInt64, words: [[UInt8]]) {
        random = SeededGenerator(seed: seed)
        self.words = words
    }

    mutating func next() -> UInt64 { random.next() }

    /// A random number from 0 to below a bound; 0 when the bound is below 1.
    mutating func below(_ bound: Int) -> Int {
        bound < 1 ? 0 : Int(next() % UInt64(bound))
    }

    /// A changed copy of an input of the pool.
    mutating func input(from pool: [[UInt8]]) -> [UInt8] {
        var bytes = pool.isEmpty ? [] : pool[below(pool.count)]
        for _ in 0...below(4) { change(&bytes, pool) }
        if bytes.count > Self.longestInput { bytes.removeLast(bytes.count - Self.longestInput) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ pool: [[UInt8]]) {
        let place = below(bytes.count + 1)
        let length = min(1 + below(1 << below(8)), bytes.count - place)
        switch below(9) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
        case 1 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 2 where place < bytes.count: bytes[place] &+= UInt8(truncatingIfNeeded: below(5) - 2)
        case 3: bytes.removeSubrange(place..<(place + length))
        case 4: bytes.insert(contentsOf: Array(bytes[place..<(place + length)]), at: place)
        case 5 where !pool.isEmpty:
            let other = pool[below(pool.count)]
            bytes.replaceSubrange(place..., with: other.suffix(below(other.count + 1)))
        case 6:
            let byte = UInt8(truncatingIfNeeded: next())
            bytes.insert(contentsOf: Array(repeating: byte, count: 1 << below(9)), at: place)
        default:
            guard !words.isEmpty else { return bytes.insert(UInt8(truncatingIfNeeded: next()), at: place) }
            bytes.insert(contentsOf: words[below(words.count)], at: place)
        }
    }

    /// The bytes, cut at random places. Some pieces are empty.
    mutating func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let most = 1 << below(10)
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            pieces.append(rest.prefix(below(most + 1)))
            rest = rest.dropFirst(pieces.last?.count ?? 0)
        }
        return pieces
    }
}
