public import HTTPTypes

/// Turns a method, a URL and parameters into a request: default header fields, and parameters as
/// query or body.
///
/// Counterpart of `AFURLRequestSerialization`. Serializers are values: changing one never changes a
/// request under way.
public protocol RequestSerializer: Sendable {
    /// The default header fields. A request's own field of the same name wins.
    var headerFields: HTTPFields { get set }

    /// The properties that are set on every request without a value for them. Default: none.
    var properties: RequestProperties { get }

    /// Adds the default header fields, and the parameters as query or body.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - parameters: The parameters, or nil for none.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed``; nothing is sent then.
    func serialize(_ request: consuming Request, parameters: JSONValue?) throws(NetworkingError) -> Request

    /// Adds the default header fields, and an encodable value as query or body.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - value: The value to encode.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed``; nothing is sent then.
    func serialize(_ request: Request, encoding value: some Encodable & Sendable) throws(NetworkingError) -> Request
}
