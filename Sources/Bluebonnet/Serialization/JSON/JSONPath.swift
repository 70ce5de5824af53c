/// The way to a value inside a document, as people write it: `users[3].name`.
enum JSONPath {
    /// Joins two parts, the second of which may start with an index.
    static func joined(_ head: String, _ tail: String) -> String {
        if head.isEmpty { return tail }
        if tail.isEmpty { return head }
        return tail.hasPrefix("[") ? head + tail : head + "." + tail
    }
}
