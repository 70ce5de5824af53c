public import FoundationEssentials
public import HTTPTypes

/// Requests with a multipart form, which is read from files and streams while it is sent.
///
/// `parameters` come first, one part for each value with AFNetworking's names (`a[b]`, `a[]`); then
/// the parts of the form. Without parameters and parts, the plain request is sent, with no body. To
/// send a form that was made before, assign it: `{ $0 = form }`. Counterpart of
/// `multipartFormRequestWithMethod:URLString:parameters:constructingBodyWithBlock:error:`.
extension HTTPSessionManager {
    /// Makes the request of a method, a path and a form, as the verbs send it.
    ///
    /// - Parameters:
    ///   - method: The method; not GET or HEAD.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - build: Adds the parts.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError/Code/invalidURL``,
    ///   ``NetworkingError/Code/requestSerializationFailed``, or what `build` threw: a
    ///   ``NetworkingError`` as it is, another error below
    ///   ``NetworkingError/Code/requestSerializationFailed``.
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        multipart build: (inout MultipartFormData) throws -> Void
    ) throws(NetworkingError) -> Request {
        let (plain, form) = try plainRequest(method, path, parameters, headers, build)
        guard !form.isEmpty else { return plain }
        var request = plain
        try request.setBody(multipart: form)
        return request
    }

    /// Writes the form to a file and makes the request that uploads it from there.
    ///
    /// For streams without a length at servers that want one, for uploads that must outlive their
    /// sources, and to look at what would be sent. The caller removes the file. Counterpart of
    /// `requestWithMultipartFormRequest:writingStreamContentsToFile:completionHandler:`.
    ///
    /// - Parameters:
    ///   - method: The method; not GET or HEAD.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - file: A file URL; nothing half-written is ever found there.
    ///   - overwrites: Whether an existing file is replaced. Default: true.
    ///   - build: Adds the parts.
    /// - Returns: The request. Without parameters and parts it has no body, and no file is written.
    /// - Throws: As the function without a file, and as
    ///   ``MultipartFormData/write(to:overwrites:)``.
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        writingTo file: URL,
        overwrites: Bool = true,
        multipart build: (inout MultipartFormData) throws -> Void
    ) async throws -> Request {
        var (request, form) = try plainRequest(method, path, parameters, headers, build)
        guard !form.isEmpty else { return request }
        request.body = try await form.write(to: file, overwrites: overwrites)
        request.headerFields[.contentType] = form.contentType
        return request
    }

    /// Sends a form and returns the value with everything that was received.
    ///
    /// - Parameters:
    ///   - method: The method; not GET or HEAD.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - serializer: Makes the value of the response.
    ///   - build: Adds the parts.
    /// - Returns: The response with its value.
    /// - Throws: ``NetworkingError``.
    public func response<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer,
        multipart build: (inout MultipartFormData) throws -> Void
    ) async throws -> Response<Serializer.Output> {
        let request = try request(method, path, parameters: parameters, headers: headers, multipart: build)
        return try await session.perform(request, as: checked(serializer))
    }

    /// Makes a task that sends a form, not started.
    ///
    /// - Parameters:
    ///   - method: The method; not GET or HEAD.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Values that become the first parts. Default: none.
    ///   - headers: Header fields that win over the serializer's; `Content-Type` is the form's.
    ///     Default: none.
    ///   - serializer: Makes the value of the response.
    ///   - build: Adds the parts.
    /// - Returns: The task, not started.
    /// - Throws: As ``request(_:_:parameters:headers:multipart:)``.
    public func dataTask<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer,
        multipart build: (inout MultipartFormData) throws -> Void
    ) throws(NetworkingError) -> DataTask<Serializer.Output> {
        let request = try request(method, path, parameters: parameters, headers: headers, multipart: build)
        return session.dataTask(for: request, as: checked(serializer))
    }

    /// The request without its body, and the whole form.
    private func plainRequest(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ parameters: JSONValue?,
        _ headers: HTTPFields,
        _ build: (inout MultipartFormData) throws -> Void
    ) throws(NetworkingError) -> (Request, MultipartFormData) {
        let request = try request(method, path, headers: headers)
        try request.checkTakesForm()
        var form = MultipartFormData()
        do {
            try build(&form)
            if let parameters { try form.prepend(Parameters(parameters)) }
            try form.check()
        } catch let error as NetworkingError {
            throw error.completed(request: request)
        } catch is CancellationError {
            throw NetworkingError(.cancelled, "The request was cancelled while its form was made.", request: request)
        } catch {
            throw NetworkingError(
                .requestSerializationFailed,
                "The form could not be made: \(error)",
                request: request,
                underlying: error
            )
        }
        return (request, form)
    }
}
