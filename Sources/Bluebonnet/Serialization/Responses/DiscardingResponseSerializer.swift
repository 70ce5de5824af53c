public import FoundationEssentials

/// Validates a response and drops its body: for requests of which only the success matters.
///
/// ```swift
/// try await api.delete("users/7")
/// ```
/// Accepts the status codes 200 to 299 and every content type by default. The error of a refused
/// response has its body, and in ``NetworkingError/parsedBody`` a ``JSONValue`` if it is JSON.
///
/// In calls of an ``HTTPSessionManager`` that return no task and no ``Response``, the body of an
/// accepted response is dropped as it comes. Everywhere it may be no longer than
/// ``Limits/bodyInMemory``.
///
/// AFNetworking had no counterpart: its callers ignored the response object of
/// `AFHTTPResponseSerializer`.
public struct DiscardingResponseSerializer: ValidatingResponseSerializer {
    /// The responses that are accepted. Default: 2xx of any content type; in a call of an
    /// ``HTTPSessionManager``, the statuses that its response serializer accepts.
    public var validation: ResponseValidation {
        get { ownValidation ?? .default }
        set { ownValidation = newValue }
    }

    private var ownValidation: ResponseValidation?

    /// Whether a validation was set, which a manager does not replace.
    var hasValidation: Bool { ownValidation != nil }

    /// Makes a serializer.
    ///
    /// - Parameter validation: The responses that are accepted. Default: as ``validation`` says.
    public init(validation: ResponseValidation? = nil) {
        ownValidation = validation
    }

    /// Validates.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``,
    ///   ``NetworkingError/Code/unacceptableContentType`` or the error of a rule.
    public func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) {
        guard var failure = validation.failure(body, head: head, request: request) else { return }
        if !failure.contains(.unacceptableContentType) {
            failure.parsedBody = ResponseText.errorBody(body, head: head)
        }
        throw failure
    }
}

extension ResponseSerializer where Self == DiscardingResponseSerializer {
    /// Nothing of a 2xx response: its body is dropped.
    public static var discarding: Self { Self() }
}
