#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import HTTPTypes

/// Validates a response and decodes its body as text.
///
/// Accepts 2xx of any content type by default. The text is in the charset of the `Content-Type`: UTF-8, US-ASCII,
/// ISO-8859-1, UTF-16 or UTF-32. Without one, a byte-order mark tells; without that, it is UTF-8.
/// A byte-order mark is not part of the text. Bytes that are not valid in the charset are an error.
///
/// AFNetworking has no such serializer; its `AFHTTPResponseSerializer` left the decoding to its users.
public struct StringResponseSerializer: ValidatingResponseSerializer {
    /// Which responses are accepted. Default: 2xx of any content type.
    public var validation: ResponseValidation

    /// Makes a serializer.
    ///
    /// - Parameter validation: Which responses are accepted. Default: 2xx of any content type.
    public init(validation: ResponseValidation = .default) {
        self.validation = validation
    }

    /// Validates, then decodes.
    ///
    /// - Parameters:
    ///   - body: The body bytes, content coding undone.
    ///   - head: Status and header fields.
    ///   - request: The request that was answered.
    /// - Returns: The text.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``, ``NetworkingError/Code/unacceptableContentType`` or
    ///   ``NetworkingError/Code/responseSerializationFailed`` for a charset that is not known and for bytes that are
    ///   not valid in it.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> String {
        try validated(body, head: head, request: request) { body throws(NetworkingError) in
            try Self.text(body, charset: head[.contentType].flatMap(Charset.name(ofContentType:)))
        }
    }

    private static func text(_ body: Data, charset name: String?) throws(NetworkingError) -> String {
        guard let charset = name.map(Charset.init(name:)) ?? Charset(byteOrderMarkOf: body) else {
            throw NetworkingError(
                .responseSerializationFailed,
                "The response is text in the charset “\(name ?? "")”, which is not known."
            )
        }
        guard let text = charset.decode(body) else {
            let source = name == nil ? ", and its Content-Type names no charset" : ""
            throw NetworkingError(
                .responseSerializationFailed,
                "The response is not valid \(charset.rawValue)\(source)."
            )
        }
        return text
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// The text of a 2xx response.
    public static var string: Self { Self() }
}
