public import Dispatch
public import FoundationEssentials
public import HTTPTypes

/// The HTTP verbs over a base URL, with serializers in both directions: what most programs use.
///
/// A value: copy it and change the copy's serializer or base URL, and both still share one session
/// with its connections. Counterpart of `AFHTTPSessionManager`.
///
/// ```swift
/// let api = HTTPSessionManager(baseURL: "https://api.example.com/v1/")
/// let user: User = try await api.get("users/42")
/// let page = try await api.get("users", parameters: ["page": 2, "q": name], as: .json)
/// try await api.post("users", body: .json(user))
/// ```
public struct HTTPSessionManager: Sendable {
    private struct Contents: Sendable {
        var resolver: BaseURL
        var session: SessionManager
        var requestSerializer: any RequestSerializer = HTTPRequestSerializer()
        var responseSerializer: any ValidatingResponseSerializer<JSONValue> = JSONResponseSerializer()
        var validation = ResponseValidation.none
        var completionQueue: DispatchQueue = .main
        var completionGroup: DispatchGroup?
    }

    /// One reference, because every call makes a verb, which holds a copy of the manager.
    private var contents: CopyOnWrite<Contents>

    /// The URL that relative paths are resolved against. A path gets a trailing slash when it has
    /// none, so that `v1` and `users` make `v1/users`. Default: none; requests then need whole
    /// URLs.
    public var baseURL: URL? {
        get { contents.value.resolver.url }
        set { contents.unique.value.resolver = BaseURL(newValue, in: session.configuration) }
    }

    /// The session that sends the requests.
    public var session: SessionManager {
        get { contents.value.session }
        set {
            contents.unique.value.session = newValue
            contents.unique.value.resolver = contents.value.resolver.in(newValue.configuration)
        }
    }

    /// Makes requests of methods, URLs and parameters. Default: ``HTTPRequestSerializer``.
    ///
    /// ```swift
    /// api.requestSerializer = JSONRequestSerializer()
    /// api.requestSerializer.timeoutInterval = .seconds(20)
    /// ```
    public var requestSerializer: any RequestSerializer {
        get { contents.value.requestSerializer }
        _modify { yield &contents.unique.value.requestSerializer }
    }

    /// Makes values of responses in calls with closures that name no serializer. Default:
    /// ``JSONResponseSerializer``.
    ///
    /// Its validation holds for all calls that name none: for a `Decodable` value its status codes
    /// and content types, for a `String`, for `Data`, for no result and for streams its status
    /// codes.
    ///
    /// ```swift
    /// api.responseSerializer.acceptableContentTypes.insert("text/html")
    /// ```
    public var responseSerializer: any ValidatingResponseSerializer<JSONValue> {
        get { contents.value.responseSerializer }
        _modify { yield &contents.unique.value.responseSerializer }
    }

    /// The rules that every response of the manager must fulfil, before the validation of the
    /// serializer that a call names; see ``ResponseValidation/rules``. Default:
    /// ``ResponseValidation/none``. Holds for streams too, before their body is read.
    public var validation: ResponseValidation {
        get { contents.value.validation }
        _modify { yield &contents.unique.value.validation }
    }

    /// The queue on which success, failure and progress closures run. Default: the main queue.
    ///
    /// A program without an application's main loop must run that queue itself, with
    /// `dispatchMain()` for example, or set another one.
    public var completionQueue: DispatchQueue {
        get { contents.value.completionQueue }
        set { contents.unique.value.completionQueue = newValue }
    }

    /// A group that every call with closures enters when it begins, and leaves when its success or
    /// failure closure has returned: `group.wait()` waits for all of them. Default: none.
    public var completionGroup: DispatchGroup? {
        get { contents.value.completionGroup }
        set { contents.unique.value.completionGroup = newValue }
    }

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against. Default: none.
    ///   - session: The session to share. Default: ``SessionManager/shared``.
    public init(baseURL: URL? = nil, session: SessionManager = .shared) {
        contents = CopyOnWrite(Contents(resolver: BaseURL(baseURL, in: session.configuration), session: session))
    }

    /// Makes a manager with a base URL written as text.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against. Where this is not a URL,
    ///     every request with a relative path fails with ``NetworkingError/Code/invalidURL``; where
    ///     it is not `https` and the session has pins, with
    ///     ``NetworkingError/Code/invalidTrustConfiguration``.
    ///   - session: The session to share. Default: ``SessionManager/shared``.
    public init(baseURL: String, session: SessionManager = .shared) {
        contents = CopyOnWrite(Contents(resolver: BaseURL(baseURL, in: session.configuration), session: session))
    }

    /// Makes a manager with a session of its own.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against. Default: none.
    ///   - configuration: The configuration of the new session.
    public init(baseURL: URL? = nil, configuration: SessionConfiguration) {
        self.init(baseURL: baseURL, session: SessionManager(configuration: configuration))
    }

    /// Makes a manager with a base URL written as text and a session of its own.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against.
    ///   - configuration: The configuration of the new session.
    public init(baseURL: String, configuration: SessionConfiguration) {
        self.init(baseURL: baseURL, session: SessionManager(configuration: configuration))
    }

    /// Ends ``session``, and goes on with a new one of the same configuration: without the
    /// connections, tasks and events of the old one.
    ///
    /// Other managers that share the old session, copies of this one among them, keep it, and their
    /// requests fail with ``NetworkingError/Code/sessionInvalidated``. ``SessionManager/shared``
    /// does not end: the manager leaves it as it is, and gets a session of its own. The new session
    /// sends through the engine, whatever transport the old one was made with.
    ///
    /// A ``SessionConfiguration/transferJournal`` belongs to one session at a time. There, await
    /// ``SessionManager/shutdown()`` of the old session first: otherwise transfers of the new one
    /// fail with ``NetworkingError/Code/storeInUse``.
    ///
    /// Counterpart of `invalidateSessionCancelingTasks:resetSession:` with `YES` for the second.
    ///
    /// - Parameter cancellingTasks: Whether running tasks and streams of the old session fail now;
    ///   otherwise they are completed. Default: true.
    public mutating func resetSession(cancellingTasks: Bool = true) {
        session.invalidate(cancellingTasks: cancellingTasks)
        session = SessionManager(configuration: session.configuration)
    }

    // MARK: Requests

    /// Makes the request of a method, a path and what is to be sent, as the verbs send it.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - body: The body, without parameters beside it. Default: none.
    ///   - query: Values for the query of the URL, whatever the method is. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this request; ``RequestOption/validation(_:)`` belongs to
    ///     ``send(_:options:as:)``. Default: none.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError/Code/invalidURL``, ``NetworkingError/Code/invalidRequest`` or
    ///   ``NetworkingError/Code/requestSerializationFailed``, and what the body throws.
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: Parameters = [:],
        body: RequestContent? = nil,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) throws(NetworkingError) -> Request {
        var request = Request(
            method: method,
            resolved: try contents.value.resolver.resolved(path),
            headerFields: try headers.fields()
        )
        guard body == nil || parameters.isEmpty else {
            throw NetworkingError(
                .invalidRequest,
                "There are parameters and a body: write the parameters as query:, or as the body.",
                request: request
            )
        }
        if let timeout { request.properties.requestTimeout = timeout }
        options.apply(to: &request)
        let serializer = contents.value.requestSerializer
        // Consumed, because a second reference would make the serializer copy the request.
        request = try serializer.serialize(consume request, parameters: parameters, to: .methodDependent)
        if !query.isEmpty { request = try serializer.serialize(consume request, parameters: query, to: .queryString) }
        try body?.put(into: &request, serializer: serializer)
        return request
    }

    /// Writes a multipart form to a file and makes the request that uploads it from there.
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
    /// - Throws: As ``request(_:_:parameters:body:query:headers:timeout:options:)`` and
    ///   ``MultipartFormData/write(to:overwrites:)``.
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        writingTo file: URL,
        overwrites: Bool = true,
        constructingBodyWith build: (inout MultipartFormData) throws -> Void
    ) async throws(NetworkingError) -> Request {
        var request = try request(method, path, headers: headers)
        let form = try request.form(parameters: parameters, build: build)
        guard !form.isEmpty else { return request }
        request.body = try await form.write(to: file, overwrites: overwrites)
        request.headerFields[.contentType] = form.contentType
        return request
    }

    // MARK: Responses

    /// Sends a request under the manager's validation and returns the parsed value.
    ///
    /// - Parameters:
    ///   - request: The request, complete: the request serializer adds nothing.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response. Default: none; the body is discarded.
    /// - Returns: The value.
    /// - Throws: ``NetworkingError``.
    @discardableResult
    public func send<Serializer: ResponseSerializer>(
        _ request: Request,
        options: [RequestOption] = [],
        as serializer: Serializer = DiscardingResponseSerializer()
    ) async throws(NetworkingError) -> Serializer.Output {
        var request = request
        options.apply(to: &request)
        return try await value(of: request, as: serializer, options)
    }

    /// Sends a request under the manager's validation and returns the value that the context wants.
    ///
    /// - Parameters:
    ///   - request: The request, complete: the request serializer adds nothing.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The value: a `String` or `Data` as received, any other type decoded from JSON.
    /// - Throws: ``NetworkingError``.
    public func send<Value: Decodable & Sendable>(
        _ request: Request,
        options: [RequestOption] = []
    ) async throws(NetworkingError) -> Value {
        try await send(request, options: options, as: inferred(options))
    }

    /// Sends a request and returns the value with everything that was received.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - body: The body, without parameters beside it. Default: none.
    ///   - query: Values for the query of the URL, whatever the method is. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The response with its value.
    /// - Throws: ``NetworkingError``.
    public func response<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: Parameters = [:],
        body: RequestContent? = nil,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer
    ) async throws(NetworkingError) -> Response<Serializer.Output> {
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
        return try await session.perform(request, as: checked(serializer, options))
    }

    /// Makes a task that is not started.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - body: The body, without parameters beside it. Default: none.
    ///   - query: Values for the query of the URL, whatever the method is. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The task, not started.
    /// - Throws: As ``request(_:_:parameters:body:query:headers:timeout:options:)``.
    public func dataTask<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: Parameters = [:],
        body: RequestContent? = nil,
        query: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        as serializer: Serializer
    ) throws(NetworkingError) -> DataTask<Serializer.Output> {
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
        return session.dataTask(for: request, as: checked(serializer, options))
    }

    // MARK: Validation

    /// Sends a request and returns its value, without a response around it.
    func value<Serializer: ResponseSerializer>(
        of request: Request,
        as serializer: Serializer,
        _ options: [RequestOption]
    ) async throws(NetworkingError) -> Serializer.Output {
        if let discarding = discarding(serializer, options) {
            return try await value(of: request, as: discarding, options)
        }
        let call = Call(request, core: session.core, isStarted: true)
        if session.core.hasListeners { call.note(serializer: serializer) }
        let validation = options.validation ?? validation
        let received = try await session.core.receive(call, keepsBody: Self.needOfBody(serializer, validation))
        let isLengthy = serializer.isLengthy
        guard call.isFinishedElsewhere(received, isLengthy: isLengthy, caller: #isolation) else {
            return try call.finish(received) { received throws(NetworkingError) in
                try validation.admit(received) { () throws(NetworkingError) in try serializer.serialize(received) }
            }
        }
        return try await call.finishElsewhere(received, isLengthy: isLengthy) { received throws(NetworkingError) in
            try validation.admit(received) { () throws(NetworkingError) in try serializer.serialize(received) }
        }
    }

    /// Whether the body of a response is needed, for a serializer that does not always need it.
    private static func needOfBody<Serializer: ResponseSerializer>(
        _ serializer: Serializer,
        _ validation: ResponseValidation
    ) -> (@Sendable (TransportResponse) -> Bool)? {
        // Types are compared first, because a cast copies the serializer.
        guard Serializer.self == DiscardingResponseSerializer.self,
            let discarding = serializer as? DiscardingResponseSerializer
        else { return nil }
        return { validation.readsBody(of: $0) || discarding.validation.readsBody(of: $0) }
    }

    /// A serializer under the manager's own validation.
    func checked<Serializer: ResponseSerializer>(
        _ serializer: Serializer,
        _ options: [RequestOption]
    ) -> ManagerResponseSerializer<Serializer> {
        ManagerResponseSerializer(
            base: discarding(serializer, options) ?? serializer,
            validation: options.validation ?? validation
        )
    }

    /// The serializer of a call whose context says what it wants.
    func inferred<Value>(_ options: [RequestOption]) -> InferredResponseSerializer<Value> {
        InferredResponseSerializer(validation: options.validation ?? responseSerializer.validation)
    }

    /// The rules of the manager's response serializer for a body that it does not parse: a
    /// download, a stream, no value. Its content types are those of what it parses.
    func bodyRules(_ options: [RequestOption]) -> ResponseValidation {
        var rules = options.validation ?? responseSerializer.validation
        rules.acceptableContentTypes = ResponseValidation.anyContentType
        rules.followsAcceptHeader = false
        return rules
    }

    /// For a serializer that discards the body and has no rules of its own: one with the statuses
    /// that the manager's response serializer accepts. For any other: nil.
    private func discarding<Serializer: ResponseSerializer>(
        _ serializer: Serializer,
        _ options: [RequestOption]
    ) -> Serializer? {
        // Types are compared first, because a cast copies the serializer.
        guard Serializer.self == DiscardingResponseSerializer.self,
            var discarding = serializer as? DiscardingResponseSerializer, !discarding.hasValidation
        else { return nil }
        discarding.validation = bodyRules(options)
        return discarding as? Serializer
    }
}
