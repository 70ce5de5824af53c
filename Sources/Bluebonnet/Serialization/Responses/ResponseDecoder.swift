public import FoundationEssentials

/// A decoder of `Decodable` types from the bytes of a body in any format.
///
/// ``JSONBodyDecoder``, ``PropertyListBodyDecoder`` and Foundation's `JSONDecoder` conform; conform
/// the decoder of any other format to use it with ``DecodableResponseSerializer``. Counterpart of
/// `DataDecoder` in Alamofire.
public protocol ResponseDecoder: Sendable {
    /// Decodes a value from a body.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - body: The bytes, never empty.
    /// - Returns: The value.
    /// - Throws: `DecodingError` for a body of another shape; any other error for one that is not
    ///   of the format.
    func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value

    /// The body as the decoder needs it. Default: as it is. JSON in another charset than UTF-8 is
    /// transcoded here.
    ///
    /// - Parameters:
    ///   - body: The bytes as they were received.
    ///   - head: Status and header fields.
    /// - Returns: The bytes to decode.
    /// - Throws: ``NetworkingError/Code/responseSerializationFailed`` for text that is not in its
    ///   charset.
    func prepared(_ body: Data, head: ResponseHead) throws -> Data
}

extension ResponseDecoder {
    /// The body as it is.
    ///
    /// - Parameters:
    ///   - body: The bytes as they were received.
    ///   - head: Status and header fields.
    /// - Returns: The same bytes.
    /// - Throws: Nothing here.
    public func prepared(_ body: Data, head: ResponseHead) throws -> Data { body }
}

extension JSONBodyDecoder: ResponseDecoder {
    /// The body in an encoding of JSON, by the charset of its `Content-Type`.
    ///
    /// - Parameters:
    ///   - body: The bytes as they were received.
    ///   - head: Status and header fields.
    /// - Returns: The bytes to decode.
    /// - Throws: ``NetworkingError/Code/responseSerializationFailed`` for text that is not in its
    ///   charset.
    public func prepared(_ body: Data, head: ResponseHead) throws -> Data {
        try ResponseText.json(body, head: head)
    }
}

extension JSONDecoder: ResponseDecoder {
    /// The body in an encoding of JSON, by the charset of its `Content-Type`.
    ///
    /// - Parameters:
    ///   - body: The bytes as they were received.
    ///   - head: Status and header fields.
    /// - Returns: The bytes to decode.
    /// - Throws: ``NetworkingError/Code/responseSerializationFailed`` for text that is not in its
    ///   charset.
    public func prepared(_ body: Data, head: ResponseHead) throws -> Data {
        try ResponseText.json(body, head: head)
    }
}

extension NetworkingError {
    /// Decodes the body of a refused response, which often has another shape than the expected
    /// value.
    ///
    /// - Parameters:
    ///   - type: The type of the value. Default: the type that the caller expects.
    ///   - decoder: The decoder. Default: that of JSON.
    /// - Returns: The value; nil when there is no body, or it is not of this shape.
    public func decodedBody<Value: Decodable>(
        as type: Value.Type = Value.self,
        decoder: some ResponseDecoder = JSONBodyDecoder()
    ) -> Value? {
        guard let body, !body.isEmpty else { return nil }
        return try? decoder.decode(type, from: response.map { try decoder.prepared(body, head: $0) } ?? body)
    }
}
