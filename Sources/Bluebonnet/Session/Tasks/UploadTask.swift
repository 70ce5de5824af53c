import FoundationEssentials

/// One request whose body is sent from a file, a stream, a form or memory, with its response
/// collected in memory and turned into a value.
///
/// A task made by a factory is not started; ``resume()`` starts it, and so does awaiting
/// ``ValueTask/value``. It differs from a ``DataTask`` with the same body by its place in the
/// session, which lists it among ``SessionManager/uploadTasks``.
///
/// Where the server supports it, the upload goes on when its connection is lost; see
/// ``ResumableUploads``.
///
/// The length of a file is taken when the task is made. A file that has another length when it is
/// sent fails the task with ``NetworkingError/Code/requestBodyLengthMismatch``.
///
/// Counterpart of `NSURLSessionUploadTask` with AFNetworking's `uploadTaskWithRequest:fromFile:`
/// and its siblings, and of Alamofire's `UploadRequest`.
public final class UploadTask<Output: Sendable>: ValueTask {
    /// Validates and parses the collected body.
    typealias Serialize = @Sendable (ReceivedResponse) throws(NetworkingError) -> Output
    /// The result of the task: the response or the error. `map`, `mapError` and `get()` are those
    /// of Swift's `Result`.
    public typealias Outcome = Result<Response<Output>, NetworkingError>
    let core: TaskCore<Response<Output>>
    private let isLengthy: Bool
    private let serialize: Serialize

    init(
        _ request: Request,
        session: SessionCore,
        restoring transfer: JournaledTransfer? = nil,
        resuming resumeData: UploadResumeData? = nil,
        serializer: (any ResponseSerializer)? = nil,
        serialize: @escaping Serialize
    ) {
        var request = request
        if let resumeData { request.properties.resumableUploads = .automatic(resumeData.version) }
        core = TaskCore(request, session: session, kind: .upload, restoring: transfer, resuming: resumeData) {
            () throws(NetworkingError) in try TransferRecord(request, resuming: resumeData)
        }
        isLengthy = serializer?.isLengthy ?? false
        self.serialize = serialize
        core.present(as: self, serializer: serializer)
    }

    deinit {
        core.release()
    }

    // MARK: What is known of it

    /// A number that no other task of the session has.
    public var identifier: Int { core.call.identifier }

    /// The request that the task was made with.
    public var originalRequest: Request { core.call.originalRequest }

    /// The state of the task.
    public var state: TaskState { core.call.state }

    /// The state now, and each new one until the task is over: ``TaskState/completed`` is the last
    /// one. A slow reader gets the newest. The task is not kept: of one that is released before it
    /// was started, the states end without that.
    public var states: AsyncStream<TaskState> { core.call.states }

    /// The request of the last hop, after interceptors and redirects; the original one before the
    /// first response.
    public var currentRequest: Request { core.call.currentRequest }

    /// Status and header fields of the response, once they are there.
    public var head: ResponseHead? { core.call.head }

    /// The progress of upload and download now.
    public var currentProgress: TaskProgress { core.call.currentProgress }

    /// The progress of upload and download, until the task is over: at the first bytes, then at
    /// most ten times a second, and at the end. A slow reader gets the newest.
    public var progress: AsyncStream<TaskProgress> { core.call.progress }

    /// What has happened so far; all of it when the task is over. Nil before it was started.
    public var metrics: TaskMetrics? { core.call.metrics }

    /// The urgency of the task; see ``SessionTask/priority``.
    public var priority: RequestPriority {
        get { core.call.priority }
        set { core.setPriority(newValue) }
    }

    // MARK: The result

    /// The response or the error, as one value; starts the task if it was not started. Cancelling
    /// the Swift task that awaits cancels this task.
    ///
    /// <!-- snippet: struct MyError: Error { init(_ error: NetworkingError) {} } -->
    /// ```swift
    /// let result = await task.result.mapError { MyError($0) }
    /// ```
    public var result: Outcome {
        get async { await core.outcome(of: work, onCancel: cancel) }
    }

    /// Calls the closure once when the task is over, on no particular thread; at once if it is
    /// over. A task that is released before it was started is cancelled.
    ///
    /// - Parameter body: Gets the response or the error.
    public func whenComplete(_ body: @escaping @Sendable (Outcome) -> Void) {
        core.whenComplete(body)
    }

    /// Calls the closure with the progress as often as ``progress`` has one, on no particular
    /// thread of Swift's tasks, which it must not block. Its last call comes before the result.
    ///
    /// - Parameter body: Gets the progress.
    public func onProgress(_ body: @escaping @Sendable (TaskProgress) -> Void) {
        core.call.onProgress(body)
    }

    // MARK: Control

    /// Starts a new task, or resumes a suspended one.
    public func resume() {
        core.resume(work)
    }

    /// Stops sending and reading; see ``SessionTask/suspend()``. A task that was not started stays
    /// so.
    public func suspend() {
        core.call.suspend()
    }

    /// Fails the task with ``NetworkingError/Code/cancelled``, unless it is complete.
    public func cancel() {
        core.cancel()
    }

    /// Cancels the task, and gives what continues it later, where the server supports resumable
    /// uploads. ``cancel()`` leaves what the server has there, too: the server removes it after a
    /// time of its own.
    ///
    /// Counterpart of `cancelByProducingResumeData:` of `NSURLSessionUploadTask`.
    ///
    /// - Returns: What continues the upload; nil when the server has not offered that, and when the
    ///   task is complete.
    public func cancelProducingResumeData() async -> UploadResumeData? {
        if core.cancel() { return core.call.uploadOffer?.resource }
        guard case .failure(let error) = await core.ending.outcome(onCancel: {}), error.isCancelled else { return nil }
        return error.uploadResumeData
    }

    @Sendable func work() async throws(NetworkingError) -> Response<Output> {
        guard let transfer = core.transfer else {
            return try await core.session.response(to: core.call, isLengthy: isLengthy, serialize)
        }
        return try await core.session.upload(core.call, transfer, isLengthy: isLengthy, serialize)
    }
}
