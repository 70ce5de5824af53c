/// A type that reads an array deep inside of others, and ignores an error at each of its texts. The
/// target `FuzzTests` has this file through a link.
struct PassedOverErrors: Decodable {
    /// The number of nested arrays.
    static let depth = 510

    /// The number of errors.
    private(set) var count = 0
    /// The number of keys in all coding paths of the errors.
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
