public import FoundationEssentials

/// Validates a response and returns its body as it is.
///
/// Accepts the status codes 200 to 299 and every content type by default. Counterpart of
/// `AFHTTPResponseSerializer`.
public struct HTTPResponseSerializer: ValidatingResponseSerializer {
    /// The responses that are accepted. Default: 2xx of any content type.
    public var validation: ResponseValidation

    /// Makes a serializer.
    ///
    /// - Parameter validation: The responses that are accepted. Default: 2xx of any content type.
    public init(validation: ResponseValidation = .default) {
        self.validation = validation
    }

    /// Validates, and returns the body.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The body.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode`` or
    ///   ``NetworkingError/Code/unacceptableContentType``.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Data {
        try validated(body, head: head, request: request) { $0 }
    }
}

extension ResponseSerializer where Self == HTTPResponseSerializer {
    /// The body bytes of a 2xx response.
    public static var data: Self { Self() }

    /// The body bytes of any response: a response of any status is returned.
    public static var unvalidatedData: Self { Self(validation: .none) }
}
