public import Bluebonnet
public import Foundation

/// Validates a response and parses its XML to an ``XMLTree``.
///
/// Accepts 2xx and the content types `application/xml` and `text/xml` by default. A body that is
/// not well-formed is an error with line and column, and so is an empty one. If only the status is
/// refused, the body is parsed into the error's `parsedBody`; if also the body is not XML, the
/// parsing error is thrown, with that of the status below it.
///
/// Counterpart of `AFXMLDocumentResponseSerializer`; its `options` are ``limits`` here.
public struct XMLDocumentResponseSerializer: ValidatingResponseSerializer {
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

    /// Validates, then parses.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The tree.
    /// - Throws: `NetworkingError` with the code `unacceptableStatusCode`,
    ///   `unacceptableContentType` or `responseSerializationFailed`, with an `XMLParsingError`
    ///   below the last.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> XMLTree {
        let events = XMLEventResponseSerializer(validation: .none, limits: limits)
        return try validated(body, head: head, request: request) { body throws(NetworkingError) in
            let reader = try events.serialize(body, head: head, request: request)
            do throws(XMLParsingError) {
                return try XMLTree(reader)
            } catch {
                throw NetworkingError(
                    .responseSerializationFailed,
                    "The response is not valid XML: \(error.description)",
                    underlying: error
                )
            }
        }
    }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {
    /// The XML of a 2xx response as a tree.
    public static var xmlDocument: Self { Self() }
}
