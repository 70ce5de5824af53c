import FoundationEssentials

/// One request with its response collected in memory and turned into a value.
///
/// A task made by a factory is not started; ``resume()`` starts it, and so does awaiting
/// ``ValueTask/value``.
/// Counterpart of `NSURLSessionDataTask` with AFNetworking's `AFURLSessionManagerTaskDelegate`, and
/// of Alamofire's `DataRequest` with its `DataTask`.
public final class DataTask<Output: Sendable>: ValueTask {
    /// Validates and parses the collected body.
    typealias Serialize = @Sendable (ReceivedResponse) throws(NetworkingError) -> Output
    /// The result of the task: the response or the error. `map`, `mapError` and `get()` are those
    /// of Swift's `Result`.
    public typealias Outcome = Result<Response<Output>, NetworkingError>
    private let core: SessionCore
    private let call: Call
    private let serialize: Serialize
    private let ending = TaskEnding<Outcome>()

    init(_ request: Request, core: SessionCore, serialize: @escaping Serialize) {
        self.core = core
        call = Call(request, core: core, isWatched: true)
        self.serialize = serialize
        call.present(as: self)
        core.made(self)
    }

    deinit {
        core.released(identifier)
        if ending.isAwaited { ending.end(.failure(call.releasedEarly())) }
    }

    // MARK: What is known of it

    /// A number that no other task of the session has.
    public var identifier: Int { call.identifier }

    /// The request that the task was made with.
    public var originalRequest: Request { call.originalRequest }

    /// The state of the task.
    public var state: TaskState { call.state }

    /// The request of the last hop, after interceptors and redirects; the original one before the
    /// first response.
    public var currentRequest: Request { call.currentRequest }

    /// Status and header fields of the response, once they are there.
    public var head: ResponseHead? { call.head }

    /// The progress of upload and download now.
    public var currentProgress: TaskProgress { call.currentProgress }

    /// The progress of upload and download at each change, until the task is over. A slow reader
    /// gets the newest.
    public var progress: AsyncStream<TaskProgress> { call.progress }

    // MARK: The result

    /// The response or the error, as one value; starts the task if it was not started. Cancelling
    /// the Swift task that awaits cancels this task.
    ///
    /// <!-- snippet: struct MyError: Error { init(_ error: NetworkingError) {} } -->
    /// ```swift
    /// let result = await task.result.mapError { MyError($0) }
    /// ```
    public var result: Outcome {
        get async {
            if call.markStarted() { return await work() }
            return await ending.outcome { cancel() }
        }
    }

    /// Calls the closure once when the task is over, on no particular thread; at once if it is
    /// over. A task that is released before it was started is cancelled.
    ///
    /// - Parameter body: Gets the response or the error.
    public func whenComplete(_ body: @escaping @Sendable (Outcome) -> Void) {
        ending.whenThere(body)
    }

    /// Calls the closure whenever bytes were transferred, on no particular thread; unlike
    /// ``progress``, it leaves no change out.
    ///
    /// - Parameter body: Gets the progress. The connection waits while it runs.
    public func onProgress(_ body: @escaping @Sendable (TaskProgress) -> Void) {
        call.observeProgress(body)
    }

    // MARK: Control

    /// Starts a new task, or resumes a suspended one.
    public func resume() {
        if !call.start({ _ = await self.work() }) { call.resume() }
    }

    /// Stops reading from the connection, so that the server is slowed down. A task that was not
    /// started stays so.
    public func suspend() {
        call.suspend()
    }

    /// Fails the task with ``NetworkingError/Code/cancelled``, unless it is complete.
    public func cancel() {
        call.cancel()
        // No other code completes a task that never started.
        if call.markStarted() { ending.end(.failure(call.failed(CancellationError(), nil))) }
    }

    private func work() async -> Outcome {
        let outcome: Outcome
        do throws(NetworkingError) {
            let received = try await core.receive(call)
            outcome = .success(try await parse(received))
        } catch {
            outcome = .failure(error)
        }
        ending.end(outcome)
        return outcome
    }

    private func parse(_ received: ReceivedResponse) async throws(NetworkingError) -> Response<Output> {
        let serialize = serialize
        guard Call.isParsedElsewhere(received, caller: #isolation) else {
            return try call.finish(received) { received throws(NetworkingError) in
                Response(value: try serialize(received), received)
            }
        }
        return try await call.finishElsewhere(received) { received throws(NetworkingError) in
            Response(value: try serialize(received), received)
        }
    }
}
