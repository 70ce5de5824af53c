public import HTTPTypes

/// Streams: responses that are read while they come.
extension HTTPSessionManager {
    /// Describes a GET whose response is read while it comes; it is sent when the result is
    /// iterated.
    ///
    /// ```swift
    /// for try await line in api.stream("log").lines { print(line) }
    /// for try await event in api.stream("events").serverSentEvents { print(event.data) }
    /// for try await user in api.stream("users", parameters: ["all": true]).jsonLines(of: User.self) { … }
    /// ```
    ///
    /// The response is validated before the first element: by ``validation``, and its status by
    /// those that ``responseSerializer`` accepts.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The stream. Nothing was sent yet.
    public func stream(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:]
    ) -> ResponseStream {
        stream(.get, path, parameters: parameters, headers: headers)
    }

    /// Describes a request whose response is read while it comes; it is sent when the result is
    /// iterated.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The stream. Nothing was sent yet.
    public func stream(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:]
    ) -> ResponseStream {
        stream { () throws(NetworkingError) in
            try request(method, path, parameters: parameters, headers: headers)
        }
    }

    /// Describes a request with an encodable body whose response is read while it comes; it is sent
    /// when the result is iterated.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - body: The value to encode, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The stream. Nothing was sent yet.
    public func stream(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) -> ResponseStream {
        stream { () throws(NetworkingError) in
            try request(method, path, body: body, headers: headers)
        }
    }

    private func stream(_ makeRequest: @escaping @Sendable () throws(NetworkingError) -> Request) -> ResponseStream {
        ResponseStream(
            session: session,
            managerValidation: validation,
            validation: streamValidation,
            makeRequest: makeRequest
        )
    }

    /// The statuses of the serializer. Its content types are those of one JSON text, which a stream
    /// is not.
    private var streamValidation: ResponseValidation {
        guard let serializer = responseSerializer as? any ValidatingResponseSerializer else { return .default }
        var validation = serializer.validation
        validation.acceptableContentTypes = ResponseValidation.anyContentType
        return validation
    }
}
