public import HTTPTypes

/// The verbs that send a multipart form: asynchronous, and in AFNetworking's own shape.
extension HTTPSessionManager {
    // MARK: POST

    /// Sends a POST with a multipart form and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - serializer: Makes the value of the response.
    ///   - build: Adds the parts.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer,
        multipart build: (inout MultipartFormData) throws -> Void
    ) async throws -> Serializer.Output {
        try await response(
            .post,
            path,
            parameters: parameters,
            headers: headers,
            as: serializer,
            multipart: build
        ).value
    }

    /// Sends a POST with a multipart form and returns the JSON response as a `Decodable` value,
    /// inferred from the context.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - build: Adds the parts.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        multipart build: (inout MultipartFormData) throws -> Void
    ) async throws -> Value {
        try await post(
            path,
            parameters: parameters,
            headers: headers,
            as: .decodable(Value.self),
            multipart: build
        )
    }

    /// Sends a POST with a multipart form; the result goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - build: Adds the parts, before this function returns.
    ///   - progress: Called as the body is transferred. Default: none.
    ///   - success: Called with the task and what ``responseSerializer`` made of the body.
    ///   - failure: Called with the error, and with the task when there was one.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func post(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        multipart build: (inout MultipartFormData) throws -> Void,
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(progress, success, failure) { () throws(NetworkingError) in
            try request(.post, path, parameters: parameters, headers: headers, multipart: build)
        }
    }

    // MARK: PUT

    /// Sends a PUT with a multipart form and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - serializer: Makes the value of the response.
    ///   - build: Adds the parts.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer,
        multipart build: (inout MultipartFormData) throws -> Void
    ) async throws -> Serializer.Output {
        try await response(
            .put,
            path,
            parameters: parameters,
            headers: headers,
            as: serializer,
            multipart: build
        ).value
    }

    /// Sends a PUT with a multipart form and returns the JSON response as a `Decodable` value,
    /// inferred from the context.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - build: Adds the parts.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func put<Value: Decodable & Sendable>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        multipart build: (inout MultipartFormData) throws -> Void
    ) async throws -> Value {
        try await put(
            path,
            parameters: parameters,
            headers: headers,
            as: .decodable(Value.self),
            multipart: build
        )
    }

    /// Sends a PUT with a multipart form; the result goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - build: Adds the parts, before this function returns.
    ///   - progress: Called as the body is transferred. Default: none.
    ///   - success: Called with the task and what ``responseSerializer`` made of the body.
    ///   - failure: Called with the error, and with the task when there was one.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func put(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        multipart build: (inout MultipartFormData) throws -> Void,
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(progress, success, failure) { () throws(NetworkingError) in
            try request(.put, path, parameters: parameters, headers: headers, multipart: build)
        }
    }

    // MARK: PATCH

    /// Sends a PATCH with a multipart form and returns the parsed value.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - serializer: Makes the value of the response.
    ///   - build: Adds the parts.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer,
        multipart build: (inout MultipartFormData) throws -> Void
    ) async throws -> Serializer.Output {
        try await response(
            .patch,
            path,
            parameters: parameters,
            headers: headers,
            as: serializer,
            multipart: build
        ).value
    }

    /// Sends a PATCH with a multipart form and returns the JSON response as a `Decodable` value,
    /// inferred from the context.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - build: Adds the parts.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    public func patch<Value: Decodable & Sendable>(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        multipart build: (inout MultipartFormData) throws -> Void
    ) async throws -> Value {
        try await patch(
            path,
            parameters: parameters,
            headers: headers,
            as: .decodable(Value.self),
            multipart: build
        )
    }

    /// Sends a PATCH with a multipart form; the result goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - build: Adds the parts, before this function returns.
    ///   - progress: Called as the body is transferred. Default: none.
    ///   - success: Called with the task and what ``responseSerializer`` made of the body.
    ///   - failure: Called with the error, and with the task when there was one.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func patch(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        multipart build: (inout MultipartFormData) throws -> Void,
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(progress, success, failure) { () throws(NetworkingError) in
            try request(.patch, path, parameters: parameters, headers: headers, multipart: build)
        }
    }
}
