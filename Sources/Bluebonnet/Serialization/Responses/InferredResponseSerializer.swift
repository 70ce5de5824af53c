import FoundationEssentials

/// Makes a value of a type that the caller's context names: `let text: String = try await …`.
///
/// `String` is the text and `Data` the bytes of a body of any content type, `EmptyBody` drops the
/// body, ``JSONValue`` is its JSON; all other types are decoded from JSON. An optional is nil for
/// an empty body.
struct InferredResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    /// The responses that are accepted; the content types are those of JSON.
    let validation: ResponseValidation

    init(validation: ResponseValidation) {
        self.validation = validation
    }

    func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Value {
        // Types are compared first: that costs less than a cast of every value, and nothing where
        // the compiler knows the type. A cast that fails leads to the decoder below.
        let hasContent = !body.isEmpty
        if Value.self == JSONValue.self {
            let json = JSONResponseSerializer(validation: validation)
            if let value = try json.serialize(body, head: head, request: request) as? Value { return value }
        } else if Value.self == String.self || (hasContent && Value.self == String?.self) {
            let text = StringResponseSerializer(validation: ofAnyType)
            if let value = try text.serialize(body, head: head, request: request) as? Value { return value }
        } else if Value.self == Data.self || (hasContent && Value.self == Data?.self) {
            let bytes = HTTPResponseSerializer(validation: ofAnyType)
            if let value = try bytes.serialize(body, head: head, request: request) as? Value { return value }
        } else if Value.self == EmptyBody.self {
            try DiscardingResponseSerializer(validation: ofAnyType).serialize(body, head: head, request: request)
            if let value = EmptyBody() as? Value { return value }
        }
        let isRaw = Value.self == String?.self || Value.self == Data?.self
        return try DecodableResponseSerializer<Value>(validation: isRaw ? ofAnyType : validation)
            .serialize(body, head: head, request: request)
    }

    private var ofAnyType: ResponseValidation {
        var validation = validation
        validation.acceptableContentTypes = ResponseValidation.anyContentType
        validation.followsAcceptHeader = false
        return validation
    }
}
