/// A type that reads an array deep inside of others, and passes over an error at each of its texts.
/// The target `FuzzTests` has this file through a link.
struct PassedOverErrors: Decodable {
    /// How many arrays are in each other.
    static let depth = 510

    /// How many errors there were.
    private(set) var count = 0
    /// How many keys their coding paths had together.
    private(set) var keys = 0

    init(from decoder: any Decoder) throws {
        var array = try decoder.unkeyedContainer()
        for _ in 1..<Self.depth {
            let inner = try array.nestedUnkeyedContainer()
            array = inner
        }
        while !array.isAtEnd {
            do {
                _ = try array.decode(Int.self)
            } catch DecodingError.typeMismatch(_, let context) {
                count += 1
                keys += context.codingPath.count
            }
            _ = try array.decode(String.self)
        }
    }
}
