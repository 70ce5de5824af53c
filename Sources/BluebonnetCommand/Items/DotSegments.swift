/// The segments `.` and `..` of a path, which say where it leads (RFC 3986 §3.3).
enum DotSegments {
    /// A path without them (RFC 3986 §5.2.4).
    ///
    /// - Parameter path: The path, which is empty or begins with a slash.
    /// - Returns: The path, which is the same where it has none.
    static func removed(fromPath path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/"), path.split(separator: "/").contains(where: isDots) else {
            return path
        }
        var segments: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (number, part) in parts.enumerated() {
            let isLast = number == parts.count - 1
            if part == ".." { _ = segments.popLast() }
            if !isDots(part) {
                segments.append(part)
            } else if isLast {
                segments.append("")
            }
        }
        return "/" + segments.joined(separator: "/")
    }

    /// A URL without them in its path.
    ///
    /// - Parameter url: The text of a URL with a scheme.
    /// - Returns: The text, which is the same where the path has none.
    static func removed(from url: String) -> String {
        let bytes = url.utf8
        guard let authority = bytes.firstRange(of: "://".utf8)?.upperBound else { return url }
        let ends = [UInt8(ascii: "?"), UInt8(ascii: "#")]
        guard let start = bytes[authority...].firstIndex(where: { $0 == UInt8(ascii: "/") || ends.contains($0) }),
            bytes[start] == UInt8(ascii: "/")
        else { return url }
        let end = bytes[start...].firstIndex(where: ends.contains) ?? url.endIndex
        return url[..<start] + removed(fromPath: String(url[start..<end])) + url[end...]
    }

    private static func isDots(_ segment: Substring) -> Bool { segment == "." || segment == ".." }
}
