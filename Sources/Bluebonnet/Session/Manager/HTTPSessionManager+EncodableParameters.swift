public import HTTPTypes

/// The verbs with parameters of a type of your own. A literal as `parameters:` is a ``JSONValue``,
/// not one of these.
extension HTTPSessionManager {
    /// Makes the request of a method, a path and encodable parameters, as the verbs send it.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError/Code/invalidURL`` or
    ///   ``NetworkingError/Code/requestSerializationFailed``.
    @_disfavoredOverload
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) throws(NetworkingError) -> Request {
        try request(method, path, body: parameters, headers: headers)
    }

    /// Sends a request with encodable parameters and returns the value with everything that was
    /// received.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The response with its value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    public func response<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Response<Serializer.Output> {
        try await response(method, path, body: parameters, headers: headers, as: serializer)
    }

    // MARK: GET

    /// Sends a GET with encodable parameters and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    @discardableResult
    public func get<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.get, path, body: parameters, headers: headers), as: serializer)
    }

    /// Sends a GET with encodable parameters and returns the JSON response as a `Decodable` value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    public func get<Value: Decodable & Sendable>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await get(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    // MARK: POST

    /// Sends a POST with encodable parameters and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.post, path, body: parameters, headers: headers), as: serializer)
    }

    /// Sends a POST with encodable parameters and returns the JSON response as a `Decodable` value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await post(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    // MARK: PUT

    /// Sends a PUT with encodable parameters and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.put, path, body: parameters, headers: headers), as: serializer)
    }

    /// Sends a PUT with encodable parameters and returns the JSON response as a `Decodable` value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    public func put<Value: Decodable & Sendable>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await put(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    // MARK: PATCH

    /// Sends a PATCH with encodable parameters and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.patch, path, body: parameters, headers: headers), as: serializer)
    }

    /// Sends a PATCH with encodable parameters and returns the JSON response as a `Decodable`
    /// value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    public func patch<Value: Decodable & Sendable>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await patch(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    // MARK: DELETE

    /// Sends a DELETE with encodable parameters and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.delete, path, body: parameters, headers: headers), as: serializer)
    }

    /// Sends a DELETE with encodable parameters and returns the JSON response as a `Decodable`
    /// value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @_disfavoredOverload
    public func delete<Value: Decodable & Sendable>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await delete(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    // MARK: HEAD

    /// Sends a HEAD with encodable parameters and returns the response head.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The response head.
    /// - Throws: ``NetworkingError``, also for a status that is not 2xx.
    @_disfavoredOverload
    public func head(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) async throws -> ResponseHead {
        try await session.perform(request(.head, path, body: parameters, headers: headers), as: checked(.data)).head
    }
}
