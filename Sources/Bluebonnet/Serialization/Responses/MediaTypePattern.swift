/// Matches media types with patterns: `text/*`, `*/*`, `application/*+json`.
enum MediaTypePattern {
    /// Whether a type is one of the set or matches a pattern in it.
    ///
    /// - Parameters:
    ///   - type: The type in lower case and without parameters; nil for a response that names none.
    ///   - patterns: Types and patterns in lower case.
    /// - Returns: Whether it is accepted.
    static func accept(_ type: String?, _ patterns: Set<String>) -> Bool {
        guard let type else { return patterns.contains("*/*") }
        return patterns.contains(type) || patterns.contains { $0.utf8.contains(UInt8(ascii: "*")) && matches(type, $0) }
    }

    /// The types and patterns of an `Accept` field (RFC 9110 §12.5.1) without their parameters;
    /// those with a weight of zero are left out. Nil when there are none.
    static func patterns(ofAccept accept: String) -> Set<String>? {
        var patterns: Set<String> = []
        for range in accept.utf8.split(separator: UInt8(ascii: ",")) {
            var parts = range.split(separator: UInt8(ascii: ";")).map { part in
                String(decoding: part.filter { !ASCII.isBlank($0) }.map(ASCII.lowercased), as: UTF8.self)
            }
            guard let type = parts.first, type.utf8.contains(UInt8(ascii: "/")) else { continue }
            parts.removeFirst()
            let weight = parts.first { $0.hasPrefix("q=") }?.dropFirst(2)
            guard weight.map({ Double($0) != 0 }) ?? true else { continue }
            patterns.insert(type)
        }
        return patterns.isEmpty ? nil : patterns
    }

    /// Whether type and subtype each match, where a `*` stands for any bytes. Bytes are compared,
    /// since a server can put a combining character behind a slash, which makes one `Character` of
    /// both.
    private static func matches(_ type: String, _ pattern: String) -> Bool {
        let slash = UInt8(ascii: "/")
        let names = type.utf8.split(separator: slash, maxSplits: 1, omittingEmptySubsequences: false)
        let patterns = pattern.utf8.split(separator: slash, maxSplits: 1, omittingEmptySubsequences: false)
        guard names.count == patterns.count else { return pattern == "*" }
        return zip(names, patterns).allSatisfy { isMatch($0, $1) }
    }

    private static func isMatch(_ name: Substring.UTF8View, _ pattern: Substring.UTF8View) -> Bool {
        guard let star = pattern.firstIndex(of: UInt8(ascii: "*")) else { return name.elementsEqual(pattern) }
        let head = pattern[..<star]
        let tail = pattern[star...].dropFirst()
        return name.count >= head.count + tail.count && name.starts(with: head)
            && name.suffix(tail.count).elementsEqual(tail)
    }
}
