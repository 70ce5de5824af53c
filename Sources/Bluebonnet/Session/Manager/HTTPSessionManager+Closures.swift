import Dispatch
public import HTTPTypes

/// The verbs in AFNetworking's own shape: a started task, and closures on ``completionQueue``.
///
/// Exactly one of `success` and `failure` is called, once. A request that cannot be serialized
/// calls `failure` without a task, and nothing is sent.
extension HTTPSessionManager {
    /// Sends a GET; the result goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - progress: Called as the body is transferred. Default: none.
    ///   - success: Called with the task and what ``responseSerializer`` made of the body.
    ///   - failure: Called with the error, and with the task when there was one.
    /// - Returns: The started task; nil when the request could not be serialized.
    @discardableResult
    public func get(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(.get, path, parameters, headers, progress, success, failure)
    }

    /// Sends a POST; the result goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - progress: Called as the body is transferred. Default: none.
    ///   - success: Called with the task and what ``responseSerializer`` made of the body.
    ///   - failure: Called with the error, and with the task when there was one.
    /// - Returns: The started task; nil when the request could not be serialized.
    @discardableResult
    public func post(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(.post, path, parameters, headers, progress, success, failure)
    }

    /// Sends a PUT; the result goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - progress: Called as the body is transferred. Default: none.
    ///   - success: Called with the task and what ``responseSerializer`` made of the body.
    ///   - failure: Called with the error, and with the task when there was one.
    /// - Returns: The started task; nil when the request could not be serialized.
    @discardableResult
    public func put(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(.put, path, parameters, headers, progress, success, failure)
    }

    /// Sends a PATCH; the result goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The body, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - progress: Called as the body is transferred. Default: none.
    ///   - success: Called with the task and what ``responseSerializer`` made of the body.
    ///   - failure: Called with the error, and with the task when there was one.
    /// - Returns: The started task; nil when the request could not be serialized.
    @discardableResult
    public func patch(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(.patch, path, parameters, headers, progress, success, failure)
    }

    /// Sends a DELETE; the result goes to one of the closures.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query, as the request serializer encodes it. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - progress: Called as the body is transferred. Default: none.
    ///   - success: Called with the task and what ``responseSerializer`` made of the body.
    ///   - failure: Called with the error, and with the task when there was one.
    /// - Returns: The started task; nil when the request could not be serialized.
    @discardableResult
    public func delete(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        progress: (@Sendable (TaskProgress) -> Void)? = nil,
        success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(.delete, path, parameters, headers, progress, success, failure)
    }

    /// Sends a HEAD; success gets the task, whose ``DataTask/response`` is the head.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - success: Called with the task.
    ///   - failure: Called with the error, and with the task when there was one.
    /// - Returns: The started task; nil when the request could not be serialized.
    @discardableResult
    public func head(
        _ path: String,
        parameters: JSONValue? = nil,
        headers: HTTPFields = [:],
        success: @escaping @Sendable (DataTask<JSONValue>) -> Void,
        failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(.head, path, parameters, headers, nil, { task, _ in success(task) }, failure)
    }

    private func start(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ parameters: JSONValue?,
        _ headers: HTTPFields,
        _ progress: (@Sendable (TaskProgress) -> Void)?,
        _ success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        _ failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void
    ) -> DataTask<JSONValue>? {
        start(progress, success, failure) { () throws(NetworkingError) in
            try request(method, path, parameters: parameters, headers: headers)
        }
    }

    /// Starts the request that the closure makes; a request that cannot be made calls `failure`.
    func start(
        _ progress: (@Sendable (TaskProgress) -> Void)?,
        _ success: @escaping @Sendable (DataTask<JSONValue>, JSONValue) -> Void,
        _ failure: @escaping @Sendable (DataTask<JSONValue>?, NetworkingError) -> Void,
        makeRequest: () throws(NetworkingError) -> Request
    ) -> DataTask<JSONValue>? {
        let queue = completionQueue
        let task: DataTask<JSONValue>
        do throws(NetworkingError) {
            task = checkedTask(try makeRequest(), responseSerializer)
        } catch {
            queue.async { failure(nil, error) }
            return nil
        }
        if let progress { task.onProgress { value in queue.async { progress(value) } } }
        task.whenComplete { outcome in
            queue.async {
                switch outcome {
                case .success(let response): success(task, response.value)
                case .failure(let error): failure(task, error)
                }
            }
        }
        task.resume()
        return task
    }

    /// Opens the serializer, so that it can be put under the manager's validation.
    private func checkedTask(
        _ request: Request,
        _ serializer: some ResponseSerializer<JSONValue>
    ) -> DataTask<JSONValue> {
        session.dataTask(for: request, as: checked(serializer))
    }
}
