/// Bytes that are not text in their charset, or a character that a charset has no bytes for.
///
/// Counterpart of `stringSerializationFailed` in Alamofire's `AFError`; AFNetworking has none.
public struct CharsetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code: `invalidBytes`.
        public let description: String

        /// Neither the library nor the system has a charset with this name.
        public static let unknownCharset = Code(description: "unknownCharset")
        /// The bytes are not valid.
        public static let invalidBytes = Code(description: "invalidBytes")
        /// The charset has no bytes for a character.
        public static let inexpressibleCharacter = Code(description: "inexpressibleCharacter")
    }

    /// The kind of fault.
    public let code: Code
    /// The name of the charset; of one that is not known the first 60 characters.
    public let charset: String
    /// The number of bytes before the fault: of the input, or of the text in UTF-8. Nil where it is
    /// not known.
    public let offset: Int?
    /// The sentence: `The text is not valid GBK (at byte 12).`
    public let description: String

    static func unknown(_ label: String) -> CharsetError {
        CharsetError(
            code: .unknownCharset,
            charset: label.shortened,
            offset: nil,
            description: "The charset “\(label.shortened)” is not known."
        )
    }

    static func invalid(_ charset: Charset, at offset: Int?) -> CharsetError {
        CharsetError(
            code: .invalidBytes,
            charset: charset.name,
            offset: offset,
            description: "The text is not valid \(charset.name)" + (offset.map { " (at byte \($0))." } ?? ".")
        )
    }

    static func inexpressible(_ charset: Charset, _ scalar: Unicode.Scalar, at offset: Int) -> CharsetError {
        let number = String(scalar.value, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: max(0, 4 - number.count)) + number
        return CharsetError(
            code: .inexpressibleCharacter,
            charset: charset.name,
            offset: offset,
            description: "\(charset.name) has no bytes for “\(scalar)” (U+\(padded))."
        )
    }
}
