public import FoundationEssentials
import HTTPTypes

/// Validates a response and returns a reader at the beginning of its XML.
///
/// Accepts 2xx and the content types `application/xml` and `text/xml` by default. As in its
/// counterpart `AFXMLParserResponseSerializer`, the caller parses: ``XMLEventReader/next()`` throws
/// the errors of the document, and an empty body is a document without an element.
public struct XMLEventResponseSerializer: ValidatingResponseSerializer {
    /// The responses that are accepted. Default: 2xx with a content type of XML.
    public var validation: ResponseValidation

    /// The limits of the document. Default: the default limits.
    public var limits: XMLLimits

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - validation: The responses that are accepted. Default: 2xx with a content type of XML.
    ///   - limits: The limits of the document. Default: the default limits.
    public init(validation: ResponseValidation = .xml, limits: XMLLimits = XMLLimits()) {
        self.validation = validation
        self.limits = limits
    }

    /// Validates, and makes the reader.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The reader.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``,
    ///   ``NetworkingError/Code/unacceptableContentType`` or
    ///   ``NetworkingError/Code/responseSerializationFailed`` for a charset that is not known.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> XMLEventReader
    {
        try validated(body, head: head, request: request) { body throws(NetworkingError) in
            XMLEventReader(body, charset: try ResponseText.declaredCharset(head), limits: limits)
        }
    }
}

extension ResponseValidation {
    /// Every status 2xx, and the content types of `AFXMLParserResponseSerializer`:
    /// `application/xml` and `text/xml`.
    public static let xml = ResponseValidation(contentTypes: ["application/xml", "text/xml"])
}

extension ResponseSerializer where Self == XMLEventResponseSerializer {
    /// A reader at the beginning of the XML of a 2xx response.
    public static var xmlEvents: Self { Self() }
}
