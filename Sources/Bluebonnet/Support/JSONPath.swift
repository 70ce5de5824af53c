/// The way to a value inside a document, as people write it: `users[3].name`.
///
/// It stands in error texts, which end in logs; whoever made the document must not be able to make it long.
enum JSONPath {
    /// How many parts are shown: half of them from the top, half of them from the value.
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
