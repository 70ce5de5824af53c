/// The way to a value inside a document, as people write it: `users[3].name`.
///
/// Error messages contain it and end in logs: a document must not be able to make it long.
enum CodingPath {
    /// The most parts that are shown: half of them from the top, half of them from the value.
    static let mostParts = 20

    /// Joins parts from the top to the value; those that start with `[` are indices.
    static func text(of parts: [String]) -> String {
        guard parts.count > mostParts else { return joined(parts[...]) }
        return joined(parts.prefix(mostParts / 2)) + "…" + joined(parts.suffix(mostParts / 2))
    }

    private static func joined(_ parts: ArraySlice<String>) -> String {
        var text = ""
        for part in parts {
            if !text.isEmpty, !part.hasPrefix("[") { text += "." }
            text += part.shortened
        }
        return text
    }
}

/// A key or an index in a coding path.
///
/// Three words, which an existential holds without a box: paths have as many keys as a document has
/// levels.
struct CodingPathKey: CodingKey {
    static let `super` = CodingPathKey(stringValue: "super")

    /// The number of a key that is not an index.
    private static let none = Int.min

    let stringValue: String
    private let number: Int

    var intValue: Int? { number == Self.none ? nil : number }

    init(stringValue: String) {
        self.stringValue = stringValue
        number = Self.none
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        number = intValue
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        number = index
    }
}
