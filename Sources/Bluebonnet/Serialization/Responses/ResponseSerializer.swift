public import FoundationEssentials

/// Validates a response and turns its body into a value.
///
/// Counterpart of `AFURLResponseSerialization`. Bodies above 32 KiB are never parsed on an event
/// loop. Choose one with a leading dot: `as: .json`.
public protocol ResponseSerializer<Output>: Sendable {
    /// The type of the value.
    associatedtype Output: Sendable

    /// Validates, then parses.
    ///
    /// - Parameters:
    ///   - body: The decoded body bytes.
    ///   - head: Status and header fields.
    ///   - request: The request of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``,
    ///   ``NetworkingError/Code/unacceptableContentType`` or
    ///   ``NetworkingError/Code/responseSerializationFailed``, with the head and the body in it.
    func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Output
}
