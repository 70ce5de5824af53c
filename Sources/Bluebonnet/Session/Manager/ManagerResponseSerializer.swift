import FoundationEssentials

/// A serializer under the validation of a manager, whatever it makes.
protocol ManagedSerializer {
    associatedtype Base: ResponseSerializer

    /// The serializer that the user of the manager named.
    var base: Base { get }
}

/// A serializer under the validation of a manager, which comes first.
struct ManagerResponseSerializer<Base: ResponseSerializer>: ResponseSerializer, ManagedSerializer {
    let base: Base
    let validation: ResponseValidation

    var isLengthy: Bool { base.isLengthy }

    func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Base.Output {
        try validation.admit(body, head: head, request: request) { () throws(NetworkingError) in
            try base.serialize(body, head: head, request: request)
        }
    }
}

extension ResponseValidation {
    /// Whether the body of a response matters: for a rule, or for the error of a refused one.
    func readsBody(of response: TransportResponse) -> Bool {
        // A body that is not empty: an empty one is refused by no more than that.
        !rules.isEmpty || failure(Data([0x20]), head: response.head, request: response.request) != nil
    }

    /// Parses an acceptable response. For any other response, the parsed body becomes part of the
    /// error, if the content type is acceptable.
    func admit<Output: Sendable>(
        _ body: Data,
        head: ResponseHead,
        request: Request,
        _ parse: () throws(NetworkingError) -> Output
    ) throws(NetworkingError) -> Output {
        guard var failure = failure(body, head: head, request: request) else { return try parse() }
        guard !failure.contains(.unacceptableContentType) else { throw failure }
        guard Output.self != Void.self else {
            failure.parsedBody = ResponseText.errorBody(body, head: head)
            throw failure
        }
        do {
            failure.parsedBody = try parse()
        } catch {
            failure.parsedBody = error.parsedBody
        }
        throw failure
    }

    /// Parses a received response by the same rules.
    func admit<Output: Sendable>(
        _ received: ReceivedResponse,
        _ parse: () throws(NetworkingError) -> Output
    ) throws(NetworkingError) -> Output {
        let transport = received.transport
        return try admit(received.body, head: transport.head, request: transport.sent.base, parse)
    }
}
