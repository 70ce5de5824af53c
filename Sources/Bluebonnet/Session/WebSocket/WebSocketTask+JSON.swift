public import FoundationEssentials

/// Typed messages.
extension WebSocketTask {
    /// Sends a value as JSON, as a text message; see ``send(_:)``.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: Makes the JSON. Default: Foundation's, with its defaults.
    /// - Throws: ``NetworkingError``: ``NetworkingError/Code/requestSerializationFailed`` for a
    ///   value that cannot be JSON; otherwise as ``send(_:)``.
    public func send(
        json value: some Encodable,
        with encoder: JSONEncoder = JSONEncoder()
    ) async throws(NetworkingError) {
        let text: String
        do {
            text = String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw NetworkingError(
                .requestSerializationFailed,
                "A \(type(of: value)) could not be made into JSON: \(error.causeText)",
                request: originalRequest,
                underlying: error
            )
        }
        try await send(.text(text))
    }

    /// The messages as values, of JSON in text and binary messages.
    ///
    /// The sequence throws ``NetworkingError/Code/responseSerializationFailed`` for a message that
    /// is not such a value; the WebSocket stays open, and another iterator goes on with the next
    /// message.
    ///
    /// - Parameters:
    ///   - type: The type of the values. Default: as the context says.
    ///   - decoder: The decoder with its strategies. Default: the default strategies.
    /// - Returns: The values.
    public func json<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        decoder: JSONBodyDecoder = JSONBodyDecoder()
    ) -> WebSocketValues<Value> {
        WebSocketValues(task: self, decoder: decoder)
    }
}

/// The messages of a WebSocket as values, of JSON: ``WebSocketTask/json(of:decoder:)``.
///
/// No counterpart in AFNetworking, Alamofire and URLSession.
public struct WebSocketValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    let task: WebSocketTask
    let decoder: JSONBodyDecoder

    /// Makes an iterator, which keeps the task.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(task: task, decoder: decoder)
    }

    /// The values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let task: WebSocketTask
        fileprivate let decoder: JSONBodyDecoder

        /// The next value; nil at an end that is no error.
        ///
        /// - Throws: ``NetworkingError``: ``NetworkingError/Code/responseSerializationFailed``;
        ///   otherwise as ``WebSocketTask/receive()``.
        public mutating func next() async throws(NetworkingError) -> Value? {
            guard let message = try await task.receive() else { return nil }
            let bytes = message.data
            do {
                return try decoder.decode(Value.self, from: bytes)
            } catch {
                throw NetworkingError(
                    .responseSerializationFailed,
                    """
                    A message of the WebSocket could not be decoded as \(Value.self): \
                    \(DecodableResponseSerializer<Value>.reason(error))
                    """,
                    request: task.currentRequest,
                    body: bytes,
                    underlying: error
                )
            }
        }

        /// Does the same as ``next()``, for `for try await`.
        ///
        /// - Throws: As ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkingError) -> Value? {
            try await next()
        }
    }
}

@available(*, unavailable)
extension WebSocketValues.AsyncIterator: Sendable {}
