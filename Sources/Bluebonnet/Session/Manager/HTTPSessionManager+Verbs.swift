public import HTTPTypes

/// The verbs, asynchronous: they return the value.
extension HTTPSessionManager {
    // MARK: GET

    /// Sends a GET and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func get<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.get, path, parameters: parameters, headers: headers), as: serializer)
    }

    /// Sends a GET and returns the JSON response as a `Decodable` value, inferred from the context.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func get<Value: Decodable & Sendable>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await get(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    // MARK: POST

    /// Sends a POST and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.post, path, parameters: parameters, headers: headers), as: serializer)
    }

    /// Sends a POST and returns the JSON response as a `Decodable` value, inferred from the
    /// context.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await post(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    /// Sends a POST with an encodable body and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - body: The value to encode, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ path: String,
        body: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.post, path, body: body, headers: headers), as: serializer)
    }

    /// Sends a POST with an encodable body and returns the JSON response as a `Decodable` value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - body: The value to encode, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        body: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await post(path, body: body, headers: headers, as: .decodable(Value.self))
    }

    // MARK: PUT

    /// Sends a PUT and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.put, path, parameters: parameters, headers: headers), as: serializer)
    }

    /// Sends a PUT and returns the JSON response as a `Decodable` value, inferred from the context.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func put<Value: Decodable & Sendable>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await put(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    /// Sends a PUT with an encodable body and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - body: The value to encode, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ path: String,
        body: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.put, path, body: body, headers: headers), as: serializer)
    }

    /// Sends a PUT with an encodable body and returns the JSON response as a `Decodable` value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - body: The value to encode, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func put<Value: Decodable & Sendable>(
        _ path: String,
        body: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await put(path, body: body, headers: headers, as: .decodable(Value.self))
    }

    // MARK: PATCH

    /// Sends a PATCH and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.patch, path, parameters: parameters, headers: headers), as: serializer)
    }

    /// Sends a PATCH and returns the JSON response as a `Decodable` value, inferred from the
    /// context.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func patch<Value: Decodable & Sendable>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await patch(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    /// Sends a PATCH with an encodable body and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - body: The value to encode, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ path: String,
        body: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.patch, path, body: body, headers: headers), as: serializer)
    }

    /// Sends a PATCH with an encodable body and returns the JSON response as a `Decodable` value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - body: The value to encode, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func patch<Value: Decodable & Sendable>(
        _ path: String,
        body: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await patch(path, body: body, headers: headers, as: .decodable(Value.self))
    }

    // MARK: DELETE

    /// Sends a DELETE and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        try await value(of: request(.delete, path, parameters: parameters, headers: headers), as: serializer)
    }

    /// Sends a DELETE and returns the JSON response as a `Decodable` value, inferred from the
    /// context.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func delete<Value: Decodable & Sendable>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Value {
        try await delete(path, parameters: parameters, headers: headers, as: .decodable(Value.self))
    }

    // MARK: HEAD

    /// Sends a HEAD and returns the response head.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The response head.
    /// - Throws: ``NetworkingError``, also for a status that is not 2xx.
    public func head(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:]
    ) async throws -> ResponseHead {
        try await session.perform(request(.head, path, parameters: parameters, headers: headers), as: checked(.data))
            .head
    }
}
