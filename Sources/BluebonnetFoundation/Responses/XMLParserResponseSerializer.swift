public import Bluebonnet
public import Foundation

/// Validates a response and returns Foundation's `XMLParser` for its body, not started.
///
/// Accepts 2xx and the content types `application/xml` and `text/xml` by default. The parser calls
/// the delegate you give it, on the thread that runs it. Prefer `.xmlEvents`, which is a value,
/// stops where you stop and has errors for documents that end too early; on Linux `XMLParser`
/// accepts them.
///
/// Counterpart of `AFXMLParserResponseSerializer`.
public struct XMLParserResponseSerializer: ValidatingResponseSerializer {
    /// The responses that are accepted. Default: 2xx with a content type of XML.
    public var validation: ResponseValidation

    /// Makes a serializer.
    ///
    /// - Parameter validation: The responses that are accepted. Default: 2xx with a content type of
    ///   XML.
    public init(validation: ResponseValidation = .xml) {
        self.validation = validation
    }

    /// Validates, and prepares the parser.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The document, ready for a parser.
    /// - Throws: `NetworkingError` with the code `unacceptableStatusCode` or
    ///   `unacceptableContentType`.
    public func serialize(
        _ body: Data,
        head: ResponseHead,
        request: Request
    ) throws(NetworkingError) -> PreparedXMLParser {
        try validated(body, head: head, request: request) { PreparedXMLParser(document: $0) }
    }
}

extension ResponseSerializer where Self == XMLParserResponseSerializer {
    /// Foundation's `XMLParser` for the XML of a 2xx response, not started.
    public static var xmlParser: Self { Self() }
}
