public import FoundationEssentials

/// One request whose response is written to a file while it arrives.
///
/// A task made by a factory is not started; ``resume()`` starts it, and so does awaiting
/// ``ValueTask/value``. The bytes are written to a file beside the destination, whose name is that
/// of the destination with `.bluebonnet` behind it. When the body is complete, the file is forced
/// to the disk and takes its name, so that a half file is never found there, not after a crash
/// either.
///
/// What a failed download has received is kept, when its server can continue it: its error has
/// ``NetworkingError/resumeData``. The server has to send a strong `ETag`, or no `ETag` and a
/// `Last-Modified` that is older than its `Date` (RFC 9110 §8.8, §13.1.5). When the file has
/// changed on the server meanwhile, all of it is fetched again. A body with a content coding is not
/// continued: the request asks for none, unless it has an `Accept-Encoding` of its own. Where
/// nothing can be continued, and when the task is cancelled by ``cancel()`` or with its Swift task,
/// the partial file is removed.
///
/// A response that is refused is not written: its body is in the error.
///
/// Counterpart of `NSURLSessionDownloadTask` with AFNetworking's `downloadTaskWithRequest:`, and of
/// Alamofire's `DownloadRequest` and `DownloadTask`.
public final class DownloadTask: ValueTask {
    /// The value: the file.
    public typealias Output = URL
    /// The result of the task: the response or the error. `map`, `mapError` and `get()` are those
    /// of Swift's `Result`.
    public typealias Outcome = Result<Response<URL>, NetworkingError>

    let core: TaskCore<Response<URL>>
    private let download: Download

    init(_ request: Request, session: SessionCore, _ download: Download) {
        core = TaskCore(request, session: session, kind: .download, restoring: download.transfer) {
            // One that takes over a response ends with the process, as its data task would have.
            () throws(NetworkingError) in download.begun == nil ? try TransferRecord(request, download) : nil
        }
        var download = download
        download.transfer = core.transfer
        download.hooks = session.hookCalls
        self.download = download
        core.present(as: self)
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

    /// The request of the last hop, after interceptors and redirects, with the range that it asked
    /// for; the original one before the first response.
    public var currentRequest: Request { core.call.currentRequest }

    /// Status and header fields of the response, once they are there.
    public var head: ResponseHead? { core.call.head }

    /// The progress of upload and download now. The download counts from the beginning of the file,
    /// also when it continues another one.
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

    /// The response or the error, as one value; starts the task if it was not started. The value of
    /// the response is the file, its body is empty. Cancelling the Swift task that awaits cancels
    /// this task.
    public var result: Outcome {
        get async { await core.outcome(of: work, onCancel: cancel) }
    }

    /// Calls the closure once when the task is over, on no particular thread; at once if it is
    /// over.
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

    /// Fails the task with ``NetworkingError/Code/cancelled``, unless it is complete, and removes
    /// what was received.
    public func cancel() {
        core.call.cancel()
        // No other code completes a task that never started.
        guard core.call.markUnstarted() else {
            core.transfer?.cancelled()
            return
        }
        core.transfer?.forget()
        let error = core.call.failed(CancellationError(), nil)
        guard download.resumeData != nil || core.transfer != nil else { return core.ending.end(.failure(error)) }
        // It holds the task, which would otherwise end as one that was released.
        BlockingThreads.files.submit { [self] unavailable in
            if unavailable == nil { download.removePartialFile() }
            core.ending.end(.failure(error))
            download.transfer?.close()
        }
    }

    /// Cancels the task, and keeps what was received.
    ///
    /// - Returns: What continues the download; nil when nothing was received yet, when it cannot be
    ///   continued, and when it is complete.
    public func cancelProducingResumeData() async -> ResumeData? {
        download.keepsWhenCancelled.set()
        if core.cancel() {
            return try? await BlockingThreads.files.runEvenIfCancelled { [download] in download.knownResumeData() }
        }
        guard case .failure(let error) = await core.ending.outcome(onCancel: {}) else { return nil }
        return error.resumeData
    }

    @Sendable func work() async throws(NetworkingError) -> Response<URL> {
        try await core.session.download(core.call, download)
    }
}
