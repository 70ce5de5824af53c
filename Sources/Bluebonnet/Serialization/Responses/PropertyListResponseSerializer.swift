public import FoundationEssentials

/// Validates a response and parses its body to a ``PropertyListValue``.
///
/// Accepts 2xx and the content type `application/x-plist` by default, and reads both the XML and
/// the binary form. An empty body is not an error: its value is nil. If only the status is refused,
/// the body is parsed into ``NetworkingError/parsedBody``; if also the body is not a property list,
/// the parsing error is thrown, with that of the status below it.
///
/// For a `Decodable` type of your own choose `.decodablePropertyList(_:)`. Counterpart of
/// `AFPropertyListResponseSerializer`; its `format` was not used for reading, and there are no
/// mutable containers here.
public struct PropertyListResponseSerializer: ValidatingResponseSerializer {
    /// The responses that are accepted. Default: 2xx with the content type of property lists.
    public var validation: ResponseValidation

    /// The greatest depth of dictionaries and arrays. Default: 512; at most 2048.
    public var maximumDepth = PropertyListValue.defaultMaximumDepth

    /// Makes a serializer.
    ///
    /// - Parameter validation: The responses that are accepted. Default: 2xx with the content type
    ///   of property lists.
    public init(validation: ResponseValidation = .propertyList) {
        self.validation = validation
    }

    /// Validates, then parses.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The property list; nil for an empty body.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``,
    ///   ``NetworkingError/Code/unacceptableContentType`` or
    ///   ``NetworkingError/Code/responseSerializationFailed`` with a ``PropertyListParsingError``
    ///   below it.
    public func serialize(
        _ body: Data,
        head: ResponseHead,
        request: Request
    ) throws(NetworkingError) -> PropertyListValue? {
        try validated(body, head: head, request: request) { body throws(NetworkingError) in
            guard !body.isEmpty else { return nil }
            do throws(PropertyListParsingError) {
                return try PropertyListValue(parsing: body, maximumDepth: maximumDepth)
            } catch {
                throw NetworkingError(
                    .responseSerializationFailed,
                    "The response is not a valid property list: \(error.description)",
                    underlying: error
                )
            }
        }
    }
}

extension ResponseValidation {
    /// Every status 2xx, and the content type of `AFPropertyListResponseSerializer`:
    /// `application/x-plist`.
    public static let propertyList = ResponseValidation(contentTypes: ["application/x-plist"])
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// The property list of a 2xx response as a ``PropertyListValue``; nil for an empty body.
    public static var propertyList: Self { Self() }
}

extension ResponseSerializer {
    /// The property list of a 2xx response, decoded.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder. Default: the default one.
    /// - Returns: The serializer.
    public static func decodablePropertyList<Value>(
        _ type: Value.Type,
        decoder: PropertyListBodyDecoder = PropertyListBodyDecoder()
    ) -> Self where Self == DecodableResponseSerializer<Value> {
        Self(validation: .propertyList, decoder: decoder)
    }
}
