import HTTPTypes

/// The field in which a server says how long it keeps an idle connection.
///
/// RFC 2068 §19.7.1.1 had it, RFC 9112 Appendix C.2.2 mentions it, and servers send it:
/// `Keep-Alive: timeout=5, max=100`.
enum KeepAliveField {
    private static let name = HTTPField.Name("Keep-Alive")

    /// The time before the server's end at which we close the connection, so that no request is on
    /// its way then.
    private static let margin = Duration.seconds(1)

    /// The time for which the connection may be idle and still be used again; none without a valid
    /// value.
    static func time(in fields: RawHeaderFields) -> CompactTime {
        guard fields.framingNames.contains(.keepAlive), let name else { return .none }
        return fields.values(for: name).reduce(.none) { $0.shorter(time(in: $1)) }
    }

    /// Reads one value. Parameters that are not known, or say nothing readable, do not count.
    static func time(in value: String) -> CompactTime {
        var time = CompactTime.none
        for parameter in value.utf8.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) {
            let sides = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard sides.count == 2, trimmed(sides[0]).map(ASCII.lowercased) == Array("timeout".utf8),
                let seconds = Int32(String(decoding: trimmed(sides[1]), as: UTF8.self)), seconds >= 0
            else { continue }
            // A second less, but at least half of it.
            let whole = Duration.seconds(seconds)
            time = time.shorter(CompactTime(max(whole - margin, whole / 2)))
        }
        return time
    }

    /// The text without blanks and quotes around it.
    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        func isPadding(_ byte: UInt8) -> Bool { ASCII.isBlank(byte) || byte == UInt8(ascii: "\"") }
        var text = text.drop(while: isPadding)
        while let last = text.last, isPadding(last) { text.removeLast() }
        return text
    }
}
