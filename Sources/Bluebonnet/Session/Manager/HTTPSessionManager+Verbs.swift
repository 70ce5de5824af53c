import HTTPTypes

extension HTTPSessionManager {
    /// Sends a GET: `let user: User = try await api.get("users/42")`. Called as a function; see
    /// ``Verb``.
    public var get: Verb { Verb(manager: self, method: .get) }

    /// Sends a POST: `try await api.post("users", body: .json(user))`. Called as a function; see
    /// ``BodyVerb``.
    public var post: BodyVerb { BodyVerb(manager: self, method: .post) }

    /// Sends a PUT: `try await api.put("videos/7", body: .file(file))`. Called as a function; see
    /// ``BodyVerb``.
    public var put: BodyVerb { BodyVerb(manager: self, method: .put) }

    /// Sends a PATCH: `try await api.patch("users/7", body: changes)`. Called as a function; see
    /// ``BodyVerb``.
    public var patch: BodyVerb { BodyVerb(manager: self, method: .patch) }

    /// Sends a DELETE: `try await api.delete("users/7")`. Called as a function; see ``BodyVerb``.
    ///
    /// Its parameters are a query. A body has no meaning that servers agree on (RFC 9110 §9.3.5).
    public var delete: BodyVerb { BodyVerb(manager: self, method: .delete) }

    /// A verb that sends no body, to be called as a function: ``HTTPSessionManager/get``.
    ///
    /// What the call returns depends on how it is written:
    ///
    /// | call | result |
    /// |---|---|
    /// | `let user: User = try await api.get("users/42")` | a `Decodable` value, `String` or `Data` |
    /// | `try await api.get("users/42", as: .json)` | what the serializer makes |
    /// | `try await api.get("ping")` | none; the status is checked |
    /// | `api.get("users/42") { task, json in … } failure: { task, error in … }` | a started task |
    ///
    /// Cancelling the Swift task that awaits cancels the request. The closures run on
    /// ``HTTPSessionManager/completionQueue``; exactly one of `success` and `failure` is called,
    /// once. A request that cannot be made calls `failure` without a task, and nothing is sent.
    ///
    /// Counterpart of `GET:parameters:headers:progress:success:failure:` and its siblings in
    /// `AFHTTPSessionManager`.
    public struct Verb: Sendable {
        let manager: HTTPSessionManager
        let method: HTTPRequest.Method
    }

    /// A verb that may send a body, to be called as a function: ``HTTPSessionManager/post``,
    /// ``HTTPSessionManager/put``, ``HTTPSessionManager/patch`` and ``HTTPSessionManager/delete``.
    ///
    /// The calls are those of ``Verb``. `parameters:` become the body or the query, as the request
    /// serializer decides by the method; `body:` and `query:` say themselves where they go, and can
    /// stand together.
    ///
    /// Counterpart of `POST:parameters:headers:progress:success:failure:` and its siblings in
    /// `AFHTTPSessionManager`.
    public struct BodyVerb: Sendable {
        let manager: HTTPSessionManager
        let method: HTTPRequest.Method
    }
}

extension HTTPSessionManager.Verb {
    // MARK: Values

    /// Sends the request with parameters and returns what the serializer makes of the response.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides by the method. Default:
    ///     none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response. Default: none; the body is discarded.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer = DiscardingResponseSerializer()
    ) async throws(NetworkingError) -> Serializer.Output {
        let request = try manager.request(
            method,
            path,
            parameters: parameters,
            headers: headers,
            timeout: timeout,
            options: options
        )
        return try await manager.value(of: request, as: serializer, options)
    }

    /// Sends the request with parameters of any encodable type and returns what the serializer
    /// makes of the response.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides by the method.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response. Default: none; the body is discarded.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer = DiscardingResponseSerializer()
    ) async throws(NetworkingError) -> Serializer.Output {
        let request = try manager.request(
            method,
            path,
            parameters: Parameters(parameters),
            headers: headers,
            timeout: timeout,
            options: options
        )
        return try await manager.value(of: request, as: serializer, options)
    }

    /// Sends the request with parameters and returns the value that the context wants.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides by the method. Default:
    ///     none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The value: a `String` or `Data` as received, any other type decoded from JSON.
    /// - Throws: ``NetworkingError``.
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) async throws(NetworkingError) -> Value {
        let request = try manager.request(
            method,
            path,
            parameters: parameters,
            headers: headers,
            timeout: timeout,
            options: options
        )
        return try await manager.value(of: request, as: manager.inferred(options), options)
    }

    /// Sends the request with parameters of any encodable type and returns the value that the
    /// context wants.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides by the method.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The value: a `String` or `Data` as received, any other type decoded from JSON.
    /// - Throws: ``NetworkingError``.
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: String,
        parameters: some Encodable & Sendable,
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) async throws(NetworkingError) -> Value {
        let request = try manager.request(
            method,
            path,
            parameters: Parameters(parameters),
            headers: headers,
            timeout: timeout,
            options: options
        )
        return try await manager.value(of: request, as: manager.inferred(options), options)
    }

    // MARK: Closures

    /// Sends the request; what ``HTTPSessionManager/responseSerializer`` makes of the response goes
    /// to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides by the method. Default:
    ///     none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - progress: Called as bytes are transferred. Default: none.
    ///   - success: Called with the task and the value; nil for nobody.
    ///   - failure: Called with the error, and with the task when there was one. Default: nobody.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func callAsFunction(
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: (@Sendable (DataTask<JSONValue>, JSONValue) -> Void)?,
        failure: (@Sendable (DataTask<JSONValue>?, NetworkingError) -> Void)? = nil
    ) -> DataTask<JSONValue>? {
        manager.start(progress, success, failure) { () throws(NetworkingError) in
            let request = try manager.request(
                method,
                path,
                parameters: parameters,
                headers: headers,
                timeout: timeout,
                options: options
            )
            return manager.task(request, options)
        }
    }

    /// Sends the request; what the serializer makes of the response goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides by the method. Default:
    ///     none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response.
    ///   - progress: Called as bytes are transferred. Default: none.
    ///   - success: Called with the task and the value; nil for nobody.
    ///   - failure: Called with the error, and with the task when there was one. Default: nobody.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer,
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: (@Sendable (DataTask<Serializer.Output>, Serializer.Output) -> Void)?,
        failure: (@Sendable (DataTask<Serializer.Output>?, NetworkingError) -> Void)? = nil
    ) -> DataTask<Serializer.Output>? {
        manager.start(progress, success, failure) { () throws(NetworkingError) in
            let request = try manager.request(
                method,
                path,
                parameters: parameters,
                headers: headers,
                timeout: timeout,
                options: options
            )
            return manager.task(request, serializer, options)
        }
    }
}
