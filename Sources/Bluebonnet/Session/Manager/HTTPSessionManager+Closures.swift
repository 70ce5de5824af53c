import Dispatch
import HTTPTypes

/// HEAD, which has no value, and what calls with closures share.
extension HTTPSessionManager {
    /// Sends a HEAD and returns the response head.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    /// - Returns: The response head.
    /// - Throws: ``NetworkingError``, also for a status that the manager's ``responseSerializer``
    ///   does not accept.
    public func head(
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = []
    ) async throws(NetworkingError) -> ResponseHead {
        try await response(
            .head,
            path,
            parameters: parameters,
            headers: headers,
            timeout: timeout,
            options: options,
            as: .discarding
        ).head
    }

    /// Sends a HEAD; success gets the task, whose ``DataTask/head`` is the response head.
    ///
    /// - Parameters:
    ///   - path: A path relative to ``baseURL``, or a whole URL.
    ///   - parameters: The query. Default: none.
    ///   - headers: Header fields that win over the serializer's. Default: none.
    ///   - timeout: The longest time for the whole exchange. Default: the session's.
    ///   - options: Settings of this call. Default: none.
    ///   - success: Called with the task; nil for nobody.
    ///   - failure: Called with the error, and with the task when there was one. Default: nobody.
    /// - Returns: The started task; nil when the request could not be made.
    @discardableResult
    public func head(
        _ path: String,
        parameters: Parameters = [:],
        headers: RequestHeaders = [:],
        timeout: Duration? = nil,
        options: [RequestOption] = [],
        success: (@Sendable (DataTask<Void>) -> Void)?,
        failure: (@Sendable (DataTask<Void>?, NetworkingError) -> Void)? = nil
    ) -> DataTask<Void>? {
        start(nil, { task, _ in success?(task) }, failure) { () throws(NetworkingError) in
            let request = try request(
                .head,
                path,
                parameters: parameters,
                headers: headers,
                timeout: timeout,
                options: options
            )
            return task(request, .discarding, options)
        }
    }

    /// Makes a task whose value the manager's own response serializer makes.
    func task(_ request: Request, _ options: [RequestOption]) -> DataTask<JSONValue> {
        task(request, ownSerializer(options), options)
    }

    /// The manager's own response serializer, with the rules of a call.
    func ownSerializer(_ options: [RequestOption]) -> any ValidatingResponseSerializer<JSONValue> {
        var serializer = responseSerializer
        if let validation = options.validation { serializer.validation = validation }
        return serializer
    }

    /// Makes a task under the manager's validation.
    func task<Serializer: ResponseSerializer>(
        _ request: Request,
        _ serializer: Serializer,
        _ options: [RequestOption]
    ) -> DataTask<Serializer.Output> {
        session.dataTask(for: request, as: checked(serializer, options))
    }

    /// Starts the task that the closure makes; a task that cannot be made calls `failure`.
    func start<Task: ValueTask>(
        _ progress: (@Sendable (TaskProgress) -> Void)?,
        _ success: (@Sendable (Task, Task.Output) -> Void)?,
        _ failure: (@Sendable (Task?, NetworkingError) -> Void)?,
        makeTask: () throws(NetworkingError) -> Task
    ) -> Task? {
        let (queue, group) = (completionQueue, completionGroup)
        group?.enter()
        let task: Task
        do throws(NetworkingError) {
            task = try makeTask()
        } catch {
            queue.async {
                failure?(nil, error)
                group?.leave()
            }
            return nil
        }
        if let progress { task.onProgress { value in queue.async { progress(value) } } }
        task.whenComplete { outcome in
            queue.async {
                switch outcome {
                case .success(let response): success?(task, response.value)
                case .failure(let error): failure?(task, error)
                }
                group?.leave()
            }
        }
        task.resume()
        return task
    }
}
