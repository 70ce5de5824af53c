extension JSONObject: Codable {
    /// Decodes an object from any decoder, as a `JSONValue` does.
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
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(self).encode(to: encoder)
    }
}
