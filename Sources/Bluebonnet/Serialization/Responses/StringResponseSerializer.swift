public import FoundationEssentials

/// Validates a response and decodes its body as text.
///
/// Accepts 2xx of any content type by default. The text is in the charset of the `Content-Type`,
/// which may be any that ``Charset`` knows. Without one, it is that of a byte-order mark, else
/// ``defaultCharset``. A byte-order mark is not part of the text. An unknown charset is an error,
/// and so are bytes that are not valid in it, except where ``invalidBytes`` replaces them. For a
/// refused response the refusal is the error, whatever its text is.
///
/// Counterpart of `StringResponseSerializer` in Alamofire. AFNetworking has no such serializer;
/// users of its `AFHTTPResponseSerializer` decoded the text themselves, and before it
/// `AFURLConnectionOperation` had `responseString` and `responseStringEncoding`.
public struct StringResponseSerializer: ValidatingResponseSerializer {
    /// The responses that are accepted. Default: 2xx of any content type.
    public var validation: ResponseValidation

    /// The charset of every response, for servers that name a wrong one. Default: nil, which means
    /// the charset of the response.
    public var charset: Charset?

    /// The charset of a response that names none and has no byte-order mark. Default: UTF-8.
    public var defaultCharset = Charset.utf8

    /// The treatment of bytes that are not valid: fail, or read each as U+FFFD. Default: fail.
    public var invalidBytes = Charset.Fallback.fail

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - validation: The responses that are accepted. Default: 2xx of any content type.
    ///   - charset: The charset of every response. Default: nil, that of the response.
    ///   - invalidBytes: The treatment of bytes that are not valid. Default: fail.
    public init(
        validation: ResponseValidation = .default,
        charset: Charset? = nil,
        invalidBytes: Charset.Fallback = .fail
    ) {
        self.validation = validation
        self.charset = charset
        self.invalidBytes = invalidBytes
    }

    /// Validates, then decodes.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The text.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``,
    ///   ``NetworkingError/Code/unacceptableContentType`` or
    ///   ``NetworkingError/Code/responseSerializationFailed`` for a charset that is not known and
    ///   for bytes that are not valid in it, with a ``CharsetError`` below.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> String {
        let text = ResponseText(charset: charset, defaultCharset: defaultCharset, fallback: invalidBytes)
        if var failure = validation.failure(body, head: head, request: request) {
            // Pages of errors are often in a charset that they do not name, which says less than
            // the status: the chain of `validated`, with that as the outer error, is for formats.
            if !failure.contains(.unacceptableContentType) { failure.parsedBody = try? text.string(body, head: head) }
            throw failure
        }
        do {
            return try text.string(body, head: head)
        } catch {
            throw error.completed(request: request, response: head, body: body)
        }
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// The text of a 2xx response.
    public static var string: Self { Self() }

    /// The text of a 2xx response, always in the given charset.
    ///
    /// - Parameters:
    ///   - charset: The charset.
    ///   - invalidBytes: The treatment of bytes that are not valid. Default: fail.
    /// - Returns: The serializer.
    public static func string(charset: Charset, invalidBytes: Charset.Fallback = .fail) -> Self {
        Self(charset: charset, invalidBytes: invalidBytes)
    }
}
