extension JSONValue {
    /// The depth to which arrays and objects may be nested by default.
    public static var defaultMaximumDepth: Int { 512 }

    /// Parses JSON exactly as RFC 8259 defines it.
    ///
    /// UTF-8, with or without a byte-order mark; UTF-16 and UTF-32 are recognised and transcoded.
    /// Invalid Unicode, also in escapes, is refused. Where an object repeats a key, the last value
    /// wins, as with `JSONSerialization`.
    /// - Parameters:
    ///   - bytes: The text: `Data`, `[UInt8]`, a string's `utf8`, a raw buffer.
    ///   - maximumDepth: The greatest depth of arrays and objects. Default: 512; at most 2048.
    ///   - allowsFragments: Whether the text may be a single string, number or word. Default: true.
    /// - Throws: `JSONParsingError` with the line and column of the first error.
    public init(
        parsing bytes: some Collection<UInt8>,
        maximumDepth: Int = Self.defaultMaximumDepth,
        allowsFragments: Bool = true
    ) throws(JSONParsingError) {
        self = try JSONTape(parsing: bytes, maximumDepth: maximumDepth, allowsFragments: allowsFragments).value()
    }

    /// Parses JSON from a string, exactly as from its UTF-8 bytes.
    /// - Parameters:
    ///   - text: The text.
    ///   - maximumDepth: The greatest depth of arrays and objects. Default: 512; at most 2048.
    ///   - allowsFragments: Whether the text may be a single string, number or word. Default: true.
    /// - Throws: `JSONParsingError` with the line and column of the first error.
    public init(
        parsing text: some StringProtocol,
        maximumDepth: Int = Self.defaultMaximumDepth,
        allowsFragments: Bool = true
    ) throws(JSONParsingError) {
        try self.init(parsing: text.utf8, maximumDepth: maximumDepth, allowsFragments: allowsFragments)
    }
}
