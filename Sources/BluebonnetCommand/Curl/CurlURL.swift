/// The URL of a line for curl as text, in its parts.
struct CurlURL {
    private var beginning: String
    private var path: String
    private var query: String?

    /// - Parameter text: The URL; `http://` may be missing, and a fragment is not sent.
    init(_ text: String) {
        let whole = text.prefix { $0 != "#" }
        let bytes = whole.utf8
        let start = bytes.firstRange(of: "://".utf8)?.upperBound ?? whole.startIndex
        let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? whole.endIndex
        let mark = bytes[end...].firstIndex(of: UInt8(ascii: "?"))
        beginning = String(whole[..<end])
        path = String(whole[end..<(mark ?? whole.endIndex)])
        query = mark.map { String(whole[bytes.index(after: $0)...]) }
    }

    /// The whole URL.
    var text: String { beginning + path + (query.map { "?\($0)" } ?? "") }

    /// Whether it has signs that are a pattern for curl. The brackets of an address of IPv6 are
    /// none.
    var hasPattern: Bool {
        let host = beginning.split(separator: "@").last ?? ""
        let isAddress = host.contains("[") && host.contains(":")
        return (isAddress ? path + (query ?? "") : text).contains { "[]{}".contains($0) }
    }

    /// The name behind the last slash of the path; nil without one.
    var lastName: String? {
        guard !path.hasSuffix("/"), let name = path.split(separator: "/").last, name != ".." else { return nil }
        return String(name)
    }

    /// Resolves `.` and `..` in the path.
    mutating func removeDotSegments() {
        path = DotSegments.removed(fromPath: path)
    }

    /// Puts the name of a file behind a path that names none, as curl does for `-T`.
    mutating func appendName(of file: String) {
        guard path.isEmpty || path.hasSuffix("/") else { return }
        path = (path.isEmpty ? "/" : path) + (file.split(separator: "/").last ?? "")
    }

    mutating func append(query part: String) {
        query = query.map { $0.isEmpty ? part : "\($0)&\(part)" } ?? part
    }
}
