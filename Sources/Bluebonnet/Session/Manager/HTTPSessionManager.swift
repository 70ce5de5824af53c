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
/// let page = try await api.get("users", parameters: ["page": 2], as: .json)
/// ```
public struct HTTPSessionManager: Sendable {
    /// The URL that relative paths are resolved against. A path gets a trailing slash when it has
    /// none, so that `v1` and `users` make `v1/users`. Default: none; requests then need whole
    /// URLs.
    public let baseURL: URL?

    /// The session that sends the requests.
    public let session: SessionManager

    /// Makes requests of methods, URLs and parameters. Default: ``HTTPRequestSerializer``.
    public var requestSerializer: any RequestSerializer = HTTPRequestSerializer()

    /// Makes values of responses where a call names no serializer: the success/failure form.
    /// Default: ``JSONResponseSerializer``.
    public var responseSerializer: any ResponseSerializer<JSONValue> = JSONResponseSerializer()

    /// The rules that every response of the manager must fulfil, before the validation of the
    /// serializer that a call names; see ``ResponseValidation/rules``. Default:
    /// ``ResponseValidation/none``. Holds for streams too, before their body is read.
    public var validation = ResponseValidation.none

    /// The queue on which success, failure and progress closures run. Default: the main queue.
    public var completionQueue: DispatchQueue = .main

    private let resolver: BaseURL

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against. Default: none.
    ///   - session: The session to share. Default: ``SessionManager/shared``.
    public init(baseURL: URL? = nil, session: SessionManager = .shared) {
        self.init(BaseURL(baseURL), session)
    }

    /// Makes a manager with a base URL written as text.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against. Where this is not a URL,
    ///     every request with a relative path fails with ``NetworkingError/Code/invalidURL``.
    ///   - session: The session to share. Default: ``SessionManager/shared``.
    public init(baseURL: String, session: SessionManager = .shared) {
        self.init(BaseURL(baseURL), session)
    }

    private init(_ resolver: BaseURL, _ session: SessionManager) {
        self.resolver = resolver
        baseURL = resolver.url
        self.session = session
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

    // MARK: Requests

    /// Makes the request of a method, a path and parameters, as the verbs send it.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError/Code/invalidURL`` or
    ///   ``NetworkingError/Code/requestSerializationFailed``.
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:]
    ) throws(NetworkingError) -> Request {
        let request = Request(method: method, resolved: try resolver.resolved(path), headerFields: headers)
        return try requestSerializer.serialize(request, parameters: Parameters(parameters))
    }

    /// Makes the request of a method, a path and an encodable body.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - body: The value to encode, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError/Code/invalidURL`` or
    ///   ``NetworkingError/Code/requestSerializationFailed``.
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: some Encodable & Sendable,
        headers: HTTPFields = [:]
    ) throws(NetworkingError) -> Request {
        let request = Request(method: method, resolved: try resolver.resolved(path), headerFields: headers)
        return try requestSerializer.serialize(request, parameters: Parameters(body))
    }

    // MARK: Any method

    /// Sends a request and returns the value with everything that was received.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The response with its value.
    /// - Throws: ``NetworkingError``.
    public func response<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Response<Serializer.Output> {
        let request = try request(method, path, parameters: parameters, headers: headers)
        return try await session.perform(request, as: checked(serializer))
    }

    /// Sends a request with an encodable body and returns the value with everything that was
    /// received.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - body: The value to encode, as the request serializer decides.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The response with its value.
    /// - Throws: ``NetworkingError``.
    public func response<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: some Encodable & Sendable,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) async throws -> Response<Serializer.Output> {
        let request = try request(method, path, body: body, headers: headers)
        return try await session.perform(request, as: checked(serializer))
    }

    /// Makes a task that is not started.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: Query or body, as the request serializer decides. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The task, not started.
    /// - Throws: ``NetworkingError/Code/invalidURL`` or
    ///   ``NetworkingError/Code/requestSerializationFailed``.
    public func dataTask<Serializer: ResponseSerializer>(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        as serializer: Serializer
    ) throws(NetworkingError) -> DataTask<Serializer.Output> {
        session.dataTask(
            for: try request(method, path, parameters: parameters, headers: headers),
            as: checked(serializer)
        )
    }

    /// Sends a request and returns its value, without a response around it.
    func value<Serializer: ResponseSerializer>(
        of request: Request,
        as serializer: Serializer
    ) async throws -> Serializer.Output {
        let call = Call(request, core: session.core, isStarted: true)
        let received = try await session.core.receive(call)
        guard Call.isParsedElsewhere(received, caller: #isolation) else {
            return try call.finish(received) { received throws(NetworkingError) in
                try validation.admit(received) { () throws(NetworkingError) in try serializer.serialize(received) }
            }
        }
        return try await call.finishElsewhere(received) { [validation] received throws(NetworkingError) in
            try validation.admit(received) { () throws(NetworkingError) in try serializer.serialize(received) }
        }
    }

    /// A serializer under the manager's own validation.
    func checked<Serializer: ResponseSerializer>(_ serializer: Serializer) -> ManagerResponseSerializer<Serializer> {
        ManagerResponseSerializer(base: serializer, validation: validation)
    }
}
