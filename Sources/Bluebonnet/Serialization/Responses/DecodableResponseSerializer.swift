public import FoundationEssentials

/// Validates a response and decodes its body.
///
/// Accepts 2xx and the content types of JSON by default. A body that is empty or one space is nil
/// for an optional type and the only value of ``EmptyBody``; for other types it is an error (see
/// ``EmptyBodyRepresentable``).
///
/// For a refused status the error is always that of the status, since an error's body rarely has
/// the shape of `Value`. ``NetworkingError/parsedBody`` has a `Value` if the body can be decoded,
/// else a ``JSONValue`` if it is JSON.
///
/// Counterpart in AFNetworking: `AFJSONResponseSerializer`, and a model mapped by hand.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ValidatingResponseSerializer {
    /// The responses that are accepted. Default: 2xx with a content type of JSON.
    public var validation: ResponseValidation

    /// Changes the body before it is decoded, to remove a prefix against script inclusion for
    /// example (``ResponsePreprocessor/removingXSSIPrefix``). Default: nil.
    public var preprocessor: ResponsePreprocessor?

    private let decode: @Sendable (Data, ResponseHead) throws -> Value

    /// Makes a serializer with the JSON decoder of this library.
    ///
    /// - Parameters:
    ///   - decoder: The decoder with its strategies for dates, data and keys. Default: the default
    ///     strategies.
    ///   - validation: The responses that are accepted. Default: 2xx with a content type of JSON.
    public init(decoder: JSONBodyDecoder = JSONBodyDecoder(), validation: ResponseValidation = .json) {
        self.init(validation: validation, decoder: decoder)
    }

    /// Makes a serializer with a decoder of another kind: Foundation's `JSONDecoder`,
    /// ``PropertyListBodyDecoder``, one of your own.
    ///
    /// - Parameters:
    ///   - validation: The responses that are accepted.
    ///   - decoder: The decoder. Its errors are below
    ///     ``NetworkingError/Code/responseSerializationFailed``.
    public init(validation: ResponseValidation, decoder: some ResponseDecoder) {
        self.validation = validation
        decode = { body, head in try decoder.decode(Value.self, from: decoder.prepared(body, head: head)) }
    }

    /// Makes a serializer with a closure that decodes:
    /// `DecodableResponseSerializer { try JSONDecoder().decode(User.self, from: $0) }`.
    ///
    /// - Parameters:
    ///   - validation: The responses that are accepted. Default: 2xx with a content type of JSON.
    ///   - decode: Decodes a body that is not empty.
    public init(validation: ResponseValidation = .json, decode: @escaping @Sendable (Data) throws -> Value) {
        self.validation = validation
        self.decode = { body, _ in try decode(body) }
    }

    /// Validates, then decodes.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The decoded value.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``,
    ///   ``NetworkingError/Code/unacceptableContentType`` or
    ///   ``NetworkingError/Code/responseSerializationFailed`` with the `DecodingError` below it.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Value {
        let text = preprocessor?(body) ?? body
        if var failure = validation.failure(body, head: head, request: request) {
            if !failure.contains(.unacceptableContentType), !text.isBlankForJSON {
                failure.parsedBody = (try? decode(text, head)) ?? ResponseText.errorBody(text, head: head)
            }
            throw failure
        }
        do {
            guard !text.isBlankForJSON else { return try Self.emptyBody() }
            return try decode(text, head)
        } catch let error as NetworkingError where error.code == .responseSerializationFailed {
            // This is the error about the charset, whose message needs nothing more.
            throw error.completed(request: request, response: head, body: body)
        } catch {
            throw NetworkingError(
                .responseSerializationFailed,
                "The response could not be decoded as \(Value.self): \(Self.reason(error))",
                request: request,
                response: head,
                body: body,
                underlying: error
            )
        }
    }

    private static func emptyBody() throws(DecodingError) -> Value {
        guard let type = Value.self as? any EmptyBodyRepresentable.Type, let value = type.emptyBody as? Value else {
            throw .valueNotFound(
                Value.self,
                DecodingError.Context(codingPath: [], debugDescription: "The body is empty.")
            )
        }
        return value
    }

    /// The message of a decoding error with its coding path.
    static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        let context: DecodingError.Context
        switch error {
        case .typeMismatch(_, let it), .valueNotFound(_, let it), .keyNotFound(_, let it), .dataCorrupted(let it):
            context = it
        @unknown default: return "\(error)"
        }
        let path = CodingPath.text(
            of: context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }
        )
        return path.isEmpty ? context.debugDescription : "\(context.debugDescription) (at \(path))"
    }
}

extension ResponseSerializer {
    /// The JSON of a 2xx response, decoded.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder with its strategies. Default: the default strategies.
    /// - Returns: The serializer.
    public static func decodable<Value>(
        _ type: Value.Type,
        decoder: JSONBodyDecoder = JSONBodyDecoder()
    ) -> Self where Self == DecodableResponseSerializer<Value> {
        Self(decoder: decoder)
    }

    /// The body of a 2xx response, decoded by a decoder of another kind.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder: Foundation's `JSONDecoder`, one of your own.
    ///   - validation: The responses that are accepted. Default: 2xx with a content type of JSON.
    /// - Returns: The serializer.
    public static func decodable<Value>(
        _ type: Value.Type,
        decoder: some ResponseDecoder,
        validation: ResponseValidation = .json
    ) -> Self where Self == DecodableResponseSerializer<Value> {
        Self(validation: validation, decoder: decoder)
    }
}
