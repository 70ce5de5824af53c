public import FoundationEssentials

/// Validates a response and turns its body into a value.
///
/// Counterpart of `AFURLResponseSerialization`. Bodies above 32 KiB are never parsed on an event
/// loop or on the actor of the caller, and no body where ``isLengthy`` is true. Choose one with a
/// leading dot: `as: .json`.
public protocol ResponseSerializer<Output>: Sendable {
    /// The type of the value.
    associatedtype Output: Sendable

    /// Whether parsing takes long also for a short body, as for a compressed image: then it is
    /// done on threads for that, as many bodies at a time as there are cores, and never on an event
    /// loop, on the actor of the caller or on a thread of the Swift runtime. Default: false.
    var isLengthy: Bool { get }

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

extension ResponseSerializer {
    /// False: parsing takes as long as the body is.
    public var isLengthy: Bool { false }
}
