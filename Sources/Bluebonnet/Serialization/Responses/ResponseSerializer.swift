public import FoundationEssentials

/// Validates a response and turns its body into a value.
///
/// Answers to `AFURLResponseSerialization`. Runs off the event loop. Choose one with a leading dot: `as: .json`.
public protocol ResponseSerializer<Output>: Sendable {
    /// What the body becomes.
    associatedtype Output: Sendable

    /// The value of the `Accept` header field for requests that have none; nil sends none. Default: nil.
    var accept: String? { get }

    /// Validates, then parses.
    ///
    /// - Parameters:
    ///   - body: The body bytes, content coding undone.
    ///   - head: Status and header fields.
    ///   - request: The request that was answered.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError/Code/unacceptableStatusCode``, ``NetworkingError/Code/unacceptableContentType`` or
    ///   ``NetworkingError/Code/responseSerializationFailed``, with the head and the body in it.
    func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Output
}

extension ResponseSerializer {
    /// No `Accept` header field.
    public var accept: String? { nil }
}
