public import HTTPTypes

/// Streams: responses that are read while they come.
extension HTTPSessionManager {
    /// Describes a GET whose response is read while it comes; it is sent when the result is
    /// iterated.
    ///
    /// ```swift
    /// for try await line in api.stream("log").lines { print(line) }
    /// for try await event in api.stream("events").serverSentEvents { print(event.data) }
    /// let users = api.stream("users", parameters: ["since": "monday"])
    /// for try await user in users.jsonLines(of: User.self) { … }
    /// ```
    ///
    /// The response is validated before the first element: by ``validation``, and its status by
    /// those that ``responseSerializer`` accepts.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange, the body included. Default: the
    ///     session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The stream. Nothing was sent yet.
    public func stream(
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) -> ResponseStream {
        stream(.get, path, parameters: parameters, headers: headers, timeout: timeout, options: options)
    }

    /// Describes a request whose response is read while it comes; it is sent when the result is
    /// iterated.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - body: The body, made for each iteration; one from a sequence can be sent once. Default:
    ///     none.
    ///   - query: Values for the query of the URL, whatever the method is. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange, the body included. Default: the
    ///     session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The stream. Nothing was sent yet.
    public func stream(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: Parameters = [:],
        body: RequestContent? = nil,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) -> ResponseStream {
        stream(options) { () throws(NetworkingError) in
            try request(
                method,
                path,
                parameters: parameters,
                body: body,
                query: query,
                headers: headers,
                timeout: timeout,
                options: options
            )
        }
    }

    /// Describes a request that was made before; it is sent when the result is iterated.
    ///
    /// - Parameters:
    ///   - request: The request, complete: the request serializer adds nothing.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The stream. Nothing was sent yet.
    public func stream(_ request: Request, options: [RequestOption] = []) -> ResponseStream {
        stream(options) { () throws(NetworkingError) in
            var request = request
            options.apply(to: &request)
            return request
        }
    }

    /// Makes a task that is not started, and whose response is read while it comes. It is validated
    /// as that of ``stream(_:parameters:headers:timeout:options:)``.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - body: The body, without parameters beside it. Default: none.
    ///   - query: Values for the query of the URL, whatever the method is. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange, the body included. Default: the
    ///     session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The task, not started.
    /// - Throws: As ``request(_:_:parameters:body:query:headers:timeout:options:)``.
    public func streamTask(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: Parameters = [:],
        body: RequestContent? = nil,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) throws(NetworkingError) -> StreamTask {
        let request = try request(
            method,
            path,
            parameters: parameters,
            body: body,
            query: query,
            headers: headers,
            timeout: timeout,
            options: options
        )
        return streamTask(request, options)
    }

    /// Makes a task of a request that was made before; see ``stream(_:options:)``.
    package func streamTask(_ request: Request, _ options: [RequestOption] = []) -> StreamTask {
        let rules = [options.validation ?? validation, bodyRules(options)]
        return StreamTask(request, session: session, validations: rules)
    }

    private func stream(
        _ options: [RequestOption],
        _ makeRequest: @escaping @Sendable () throws(NetworkingError) -> Request
    ) -> ResponseStream {
        ResponseStream(
            session: session,
            managerValidation: options.validation ?? validation,
            validation: bodyRules(options),
            makeRequest: makeRequest
        )
    }
}
