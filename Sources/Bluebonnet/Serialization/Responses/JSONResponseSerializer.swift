public import FoundationEssentials

/// Validates a response and parses its body to a ``JSONValue``.
///
/// Accepts 2xx and the content types `application/json`, `text/json` and `text/javascript` by
/// default. A body that is empty or one space is no JSON and no error: it gives `null`.
///
/// A bad status alone still has its body parsed, into ``NetworkingError/parsedBody``. When both the
/// status is bad and the body is no JSON, the parsing error is the outer one.
///
/// Counterpart of `AFJSONResponseSerializer`. Unlike there, a single string, number or word at the
/// top is accepted by default.
public struct JSONResponseSerializer: ValidatingResponseSerializer {
    /// Which responses are accepted. Default: 2xx with a content type of JSON.
    public var validation: ResponseValidation

    /// Whether null values are dropped, keys and array elements, at every depth. Default: false.
    public var removesKeysWithNullValues: Bool

    /// Whether the top may be a single string, number or word (RFC 8259 §2). Default: true.
    public var allowsFragments: Bool

    /// The charset whatever the response says.
    ///
    /// Default: nil, the `charset` of the `Content-Type`, where there is one, and else UTF-8,
    /// UTF-16 or UTF-32 as the bytes tell.
    public var charset: Charset?

    /// Changes the body before it is parsed, to take off a prefix against script inclusion for
    /// example (``ResponsePreprocessor/removingXSSIPrefix``). Default: nil.
    public var preprocessor: ResponsePreprocessor?

    /// How deep arrays and objects may be nested. Default: 512; at most 2048.
    public var maximumDepth = JSONValue.defaultMaximumDepth

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - validation: Which responses are accepted. Default: 2xx with a content type of JSON.
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
    ///   - body: The body bytes, content coding undone.
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
    /// Whether the body is what AFNetworking takes for no JSON: nothing, or the one space that
    /// Rails sends for it.
    var isBlankForJSON: Bool {
        isEmpty || (count == 1 && first == UInt8(ascii: " "))
    }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// The JSON of a 2xx response as a ``JSONValue``.
    public static var json: Self { Self() }
}
