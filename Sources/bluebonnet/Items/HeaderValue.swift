/// The value of a header as people write it.
enum HeaderValue {
    /// Leaves out the white space around it, which is no part of a value (RFC 9110 §5.5).
    static func trimmed(_ value: some StringProtocol) -> String {
        trimmed(value) { $0 == " " || $0 == "\t" }
    }

    /// Also leaves out the line ends around a value that comes from a file.
    static func trimmedWithLineEnds(_ value: String) -> String {
        trimmed(value) { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
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

    private static func trimmed(_ value: some StringProtocol, _ isLeftOut: (Character) -> Bool) -> String {
        guard let first = value.first, let last = value.last, isLeftOut(first) || isLeftOut(last) else {
            return String(value)
        }
        let start = value.drop(while: isLeftOut)
        guard let end = start.lastIndex(where: { !isLeftOut($0) }) else { return "" }
        return String(start[...end])
    }
}
