public import FoundationEssentials

/// Validates a response and parses its body to a ``JSONValue``.
///
/// Accepts 2xx and the content types `application/json`, `text/json` and `text/javascript` by
/// default. A body that is empty or one space is not an error: its value is `null`.
///
/// If only the status is refused, the body is parsed into ``NetworkingError/parsedBody``. If also
/// the body is not JSON, the parsing error is thrown, with that of the status below it.
///
/// Counterpart of `AFJSONResponseSerializer`. Unlike there, a single string, number or word at the
/// top is accepted by default.
public struct JSONResponseSerializer: ValidatingResponseSerializer {
    /// The responses that are accepted. Default: 2xx with a content type of JSON.
    public var validation: ResponseValidation

    /// Whether null values are dropped, keys and array elements, at every depth. Default: false.
    public var removesKeysWithNullValues: Bool

    /// Whether the top may be a single string, number or word (RFC 8259 §2). Default: true.
    public var allowsFragments: Bool

    /// The charset of the body, for servers that name a wrong one.
    ///
    /// Default: nil, which means the `charset` of the `Content-Type`, else UTF-8, UTF-16 or UTF-32,
    /// which the first bytes decide.
    public var charset: Charset?

    /// Changes the body before it is parsed, to remove a prefix against script inclusion for
    /// example (``ResponsePreprocessor/removingXSSIPrefix``). Default: nil.
    public var preprocessor: ResponsePreprocessor?

    /// The greatest depth of arrays and objects. Default: 512; at most 2048.
    public var maximumDepth = JSONValue.defaultMaximumDepth

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - validation: The responses that are accepted. Default: 2xx with a content type of JSON.
    ///   - removesKeysWithNullValues: Whether null values are dropped. Default: false.
    ///   - allowsFragments: Whether the top may be a single string, number or word. Default: true.
    public init(
        validation: ResponseValidation = .json,
        removesKeysWithNullValues: Bool = false,
        allowsFragments: Bool = true
    ) {
        self.validation = validation
        self.removesKeysWithNullValues = removesKeysWithNullValues
        self.allowsFragments = allowsFragments
    }

    /// Validates, then parses.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The JSON; `null` for an empty body.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``,
    ///   ``NetworkingError/Code/unacceptableContentType`` or
    ///   ``NetworkingError/Code/responseSerializationFailed`` with a ``JSONParsingError`` below it.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> JSONValue {
        try validated(body, head: head, request: request) { body throws(NetworkingError) in
            try parse(ResponseText.json(preprocessor?(body) ?? body, head: head, charset: charset))
        }
    }

    private func parse(_ body: Data) throws(NetworkingError) -> JSONValue {
        guard !body.isBlankForJSON else { return .null }
        do {
            let value = try JSONValue(parsing: body, maximumDepth: maximumDepth, allowsFragments: allowsFragments)
            return removesKeysWithNullValues ? value.removingNulls() : value
        } catch {
            throw NetworkingError(
                .responseSerializationFailed,
                "The response is not valid JSON: \(error.description)",
                underlying: error
            )
        }
    }
}

extension Data {
    /// Whether the body is empty, or the single space that Rails sends in place of an empty body,
    /// as in AFNetworking.
    var isBlankForJSON: Bool {
        isEmpty || (count == 1 && first == UInt8(ascii: " "))
    }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// The JSON of a 2xx response as a ``JSONValue``.
    public static var json: Self { Self() }
}
