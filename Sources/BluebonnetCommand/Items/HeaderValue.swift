/// The value of a header as people write it.
enum HeaderValue {
    private static let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]

    /// The value without the white space around it, which is not a part of it (RFC 9110 §5.5).
    static func trimmed(_ value: String) -> String {
        trimmed(value, of: blanks)
    }

    /// The value of a file, also without the line ends around it.
    static func trimmedWithLineEnds(_ value: String) -> String {
        trimmed(value, of: blanks + [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
    }

    /// The fault of a trimmed value that cannot be sent, or nil.
    static func fault(of value: String) -> String? {
        for byte in value.utf8 where byte != 0x09 && (byte < 0x20 || byte == 0x7F) {
            if byte == 0x0A || byte == 0x0D { return "a line end" }
            let digits = String(byte, radix: 16, uppercase: true)
            return "the control character U+00\(digits.count < 2 ? "0" : "")\(digits)"
        }
        return nil
    }

    /// Compares bytes, since a blank and a combining character behind it are one `Character`.
    private static func trimmed(_ value: String, of bytes: [UInt8]) -> String {
        guard let first = value.utf8.first, let last = value.utf8.last, bytes.contains(first) || bytes.contains(last)
        else { return value }
        let start = value.utf8.drop(while: bytes.contains)
        guard let end = start.lastIndex(where: { !bytes.contains($0) }) else { return "" }
        return String(decoding: start[...end], as: UTF8.self)
    }
}
