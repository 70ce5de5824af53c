extension HTTPSessionManager.BodyVerb {
    // MARK: Values

    /// Sends the request with parameters and returns what the serializer makes of the response.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides by the method. Default:
    ///     none.
    ///   - query: Values for the query of the URL. Default: none.
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
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer = DiscardingResponseSerializer()
    ) async throws(NetworkingError) -> Serializer.Output {
        let request = try manager.request(
            method,
            path,
            parameters: parameters,
            query: query,
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
    ///   - query: Values for the query of the URL. Default: none.
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
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer = DiscardingResponseSerializer()
    ) async throws(NetworkingError) -> Serializer.Output {
        let request = try manager.request(
            method,
            path,
            parameters: Parameters(parameters),
            query: query,
            headers: headers,
            timeout: timeout,
            options: options
        )
        return try await manager.value(of: request, as: serializer, options)
    }

    /// Sends the request with a body and returns what the serializer makes of the response.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - body: The body, with its content type.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response. Default: none; the body is discarded.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: String,
        body: RequestContent,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer = DiscardingResponseSerializer()
    ) async throws(NetworkingError) -> Serializer.Output {
        let request = try manager.request(
            method,
            path,
            body: body,
            query: query,
            headers: headers,
            timeout: timeout,
            options: options
        )
        return try await manager.value(of: request, as: serializer, options)
    }

    /// Sends the request with an encodable value as the body and returns what the serializer makes
    /// of the response.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - body: A value that the request serializer writes as the body; see
    ///     ``RequestContent/encoded(_:)``.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response. Default: none; the body is discarded.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: String,
        body: some Encodable & Sendable,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer = DiscardingResponseSerializer()
    ) async throws(NetworkingError) -> Serializer.Output {
        let request = try manager.request(
            method,
            path,
            body: .encoded(body),
            query: query,
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
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The value: a `String` or `Data` as received, any other type decoded from JSON.
    /// - Throws: ``NetworkingError``.
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: String,
        parameters: Parameters = [:],
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) async throws(NetworkingError) -> Value {
        let request = try manager.request(
            method,
            path,
            parameters: parameters,
            query: query,
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
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The value: a `String` or `Data` as received, any other type decoded from JSON.
    /// - Throws: ``NetworkingError``.
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: String,
        parameters: some Encodable & Sendable,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) async throws(NetworkingError) -> Value {
        let request = try manager.request(
            method,
            path,
            parameters: Parameters(parameters),
            query: query,
            headers: headers,
            timeout: timeout,
            options: options
        )
        return try await manager.value(of: request, as: manager.inferred(options), options)
    }

    /// Sends the request with a body and returns the value that the context wants.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - body: The body, with its content type.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The value: a `String` or `Data` as received, any other type decoded from JSON.
    /// - Throws: ``NetworkingError``.
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: String,
        body: RequestContent,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) async throws(NetworkingError) -> Value {
        let request = try manager.request(
            method,
            path,
            body: body,
            query: query,
            headers: headers,
            timeout: timeout,
            options: options
        )
        return try await manager.value(of: request, as: manager.inferred(options), options)
    }

    /// Sends the request with an encodable value as the body and returns the value that the context
    /// wants.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - body: A value that the request serializer writes as the body; see
    ///     ``RequestContent/encoded(_:)``.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The value: a `String` or `Data` as received, any other type decoded from JSON.
    /// - Throws: ``NetworkingError``.
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: String,
        body: some Encodable & Sendable,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) async throws(NetworkingError) -> Value {
        let request = try manager.request(
            method,
            path,
            body: .encoded(body),
            query: query,
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
    ///   - body: The body, with its content type, without parameters beside it. Default: none.
    ///   - query: Values for the query of the URL. Default: none.
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
        body: RequestContent? = nil,
        query: Parameters = [:],
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
                body: body,
                query: query,
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
    ///   - body: The body, with its content type, without parameters beside it. Default: none.
    ///   - query: Values for the query of the URL. Default: none.
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
        body: RequestContent? = nil,
        query: Parameters = [:],
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
                body: body,
                query: query,
                headers: headers,
                timeout: timeout,
                options: options
            )
            return manager.task(request, serializer, options)
        }
    }

    /// Sends a multipart form; the result goes to one of the closures. Counterpart of
    /// `POST:parameters:headers:constructingBodyWithBlock:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - build: Adds the parts; called once, before this function returns.
    ///   - progress: Called as bytes are transferred. Default: none.
    ///   - success: Called with the task and the value; nil for nobody.
    ///   - failure: Called with the error, and with the task when there was one. Default: nobody.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func callAsFunction(
        _ path: String,
        parameters: Parameters = [:],
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        constructingBodyWith build: (inout MultipartFormData) throws -> Void,
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: (@Sendable (DataTask<JSONValue>, JSONValue) -> Void)?,
        failure: (@Sendable (DataTask<JSONValue>?, NetworkingError) -> Void)? = nil
    ) -> DataTask<JSONValue>? {
        manager.start(progress, success, failure) { () throws(NetworkingError) in
            var request = try manager.request(
                method,
                path,
                query: query,
                headers: headers,
                timeout: timeout,
                options: options
            )
            try request.setBody(parameters: parameters, build: build)
            return manager.task(request, options)
        }
    }

    /// Sends a multipart form; the result goes to one of the closures. Counterpart of
    /// `POST:parameters:headers:constructingBodyWithBlock:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``HTTPSessionManager/baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - query: Values for the query of the URL. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response.
    ///   - build: Adds the parts; called once, before this function returns.
    ///   - progress: Called as bytes are transferred. Default: none.
    ///   - success: Called with the task and the value; nil for nobody.
    ///   - failure: Called with the error, and with the task when there was one. Default: nobody.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: Parameters = [:],
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer,
        constructingBodyWith build: (inout MultipartFormData) throws -> Void,
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: (@Sendable (DataTask<Serializer.Output>, Serializer.Output) -> Void)?,
        failure: (@Sendable (DataTask<Serializer.Output>?, NetworkingError) -> Void)? = nil
    ) -> DataTask<Serializer.Output>? {
        manager.start(progress, success, failure) { () throws(NetworkingError) in
            var request = try manager.request(
                method,
                path,
                query: query,
                headers: headers,
                timeout: timeout,
                options: options
            )
            try request.setBody(parameters: parameters, build: build)
            return manager.task(request, serializer, options)
        }
    }
}
