extension JSONNumber: Codable {
    /// Decodes a number from any decoder, as a `JSONValue` does.
    ///
    /// - Parameter decoder: Where the value comes from.
    /// - Throws: `DecodingError`, when something else stands there.
    public init(from decoder: any Decoder) throws {
        guard case .number(let number) = try JSONValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                JSONNumber.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "Expected a number.")
            )
        }
        self = number
    }

    /// Encodes the number to any encoder, as a `JSONValue` does.
    ///
    /// - Parameter encoder: Where the value goes.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.number(self).encode(to: encoder)
    }
}
