extension JSONObject: Codable {
    /// Decodes an object from any decoder, as a `JSONValue` does.
    ///
    /// - Parameter decoder: Where the value comes from.
    /// - Throws: `DecodingError`, when something else stands there.
    public init(from decoder: any Decoder) throws {
        guard case .object(let object) = try JSONValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                JSONObject.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "Expected an object.")
            )
        }
        self = object
    }

    /// Encodes the object to any encoder, as a `JSONValue` does.
    ///
    /// - Parameter encoder: Where the value goes.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(self).encode(to: encoder)
    }
}
