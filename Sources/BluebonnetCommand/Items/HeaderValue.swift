/// The value of a header as people write it.
enum HeaderValue {
    private static let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]

    /// Leaves out the white space around it, which is no part of a value (RFC 9110 §5.5).
    static func trimmed(_ value: String) -> String {
        trimmed(value, of: blanks)
    }

    /// Also leaves out the line ends around a value that comes from a file.
    static func trimmedWithLineEnds(_ value: String) -> String {
        trimmed(value, of: blanks + [UInt8(ascii: "\r"), UInt8(ascii: "\n")])
    }

    /// Why a trimmed value cannot be sent, or nil.
    static func fault(of value: String) -> String? {
        for byte in value.utf8 where byte != 0x09 && (byte < 0x20 || byte == 0x7F) {
            if byte == 0x0A || byte == 0x0D { return "a line end" }
            let digits = String(byte, radix: 16, uppercase: true)
            return "the control character U+00\(digits.count < 2 ? "0" : "")\(digits)"
        }
        return nil
    }

    /// By bytes: a blank and a combining character behind it are one `Character`.
    private static func trimmed(_ value: String, of bytes: [UInt8]) -> String {
        guard let first = value.utf8.first, let last = value.utf8.last, bytes.contains(first) || bytes.contains(last)
        else { return value }
        let start = value.utf8.drop(while: bytes.contains)
        guard let end = start.lastIndex(where: { !bytes.contains($0) }) else { return "" }
        return String(decoding: start[...end], as: UTF8.self)
    }
}
