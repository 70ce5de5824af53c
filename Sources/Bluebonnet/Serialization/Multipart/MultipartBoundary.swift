import FoundationEssentials

/// The text that separates the parts of a multipart body (RFC 2046 §5.1.1).
struct MultipartBoundary: Sendable, Hashable {
    let text: String

    /// Whether the caller chose it, so that it may occur in the content.
    let isChosen: Bool

    private init(text: String, isChosen: Bool) {
        self.text = text
        self.isChosen = isChosen
    }

    /// A random boundary, which cannot be foreseen. With 128 random bits, the content does not
    /// contain it: one collision is expected in 2¹²⁷ bodies.
    static func random() -> MultipartBoundary {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    static func random(using generator: inout some RandomNumberGenerator) -> MultipartBoundary {
        let digits = (0..<2).map { _ in
            let text = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return MultipartBoundary(text: "bluebonnet-\(digits.joined())", isChosen: false)
    }

    init(chosen text: String) throws(NetworkingError) {
        guard (1...70).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed), !text.hasSuffix(" ") else {
            throw NetworkingError(
                .requestSerializationFailed,
                "A boundary must have 1 to 70 of the characters of RFC 2046 §5.1.1 and must not end with a space."
            )
        }
        self.init(text: text, isChosen: true)
    }

    /// The value of the parameter `boundary`, quoted where it is not a token (RFC 9110 §5.6.6).
    var parameter: String {
        text.utf8.allSatisfy(Self.isTokenCharacter) ? text : "\"\(text)\""
    }

    /// The line before a part. The first one has no line end before it, since it begins the body.
    func delimiter(isFirst: Bool) -> String {
        isFirst ? "--\(text)\r\n" : "\r\n--\(text)\r\n"
    }

    /// The line after the last part; of a form without parts it is the only one.
    func closingDelimiter(isFirst: Bool) -> String {
        isFirst ? "--\(text)--\r\n" : "\r\n--\(text)--\r\n"
    }

    /// Whether a delimiter line begins somewhere in the content of a part. The line end before the
    /// content counts.
    func occurs(in content: Data) -> Bool {
        let delimiter = Array("--\(text)".utf8)
        return content.starts(with: delimiter) || content.firstRange(of: Array("\r\n".utf8) + delimiter) != nil
    }

    /// Whether RFC 2046 §5.1.1 allows a byte in a boundary (`bchars`).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "'()+_,-./:=? ".utf8.contains(byte)
    }

    /// Whether a byte of a boundary is also allowed in a token (RFC 9110 §5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "'+_-.".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
