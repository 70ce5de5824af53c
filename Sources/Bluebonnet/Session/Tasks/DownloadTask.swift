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
/// ``NetworkingError/resumeData``. The server has to send a strong `ETag`, or a `Last-Modified`
/// that is older than its `Date` (RFC 9110 §8.8). When the file has changed on the server
/// meanwhile, all of it is fetched again. A body with a content coding is not continued: the
/// request asks for none, unless it has an `Accept-Encoding` of its own. Where nothing can be
/// continued, and when the task is cancelled by ``cancel()`` or with its Swift task, the partial
/// file is removed.
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

    private let core: SessionCore
    private let call: Call
    private let download: Download
    private let ending = TaskEnding<Outcome>()

    init(_ request: Request, core: SessionCore, _ download: Download) {
        self.core = core
        self.download = download
        call = Call(request, core: core, isWatched: true)
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

    /// The request of the last hop, after interceptors and redirects, with the range that it asked
    /// for; the original one before the first response.
    public var currentRequest: Request { call.currentRequest }

    /// Status and header fields of the response, once they are there.
    public var head: ResponseHead? { call.head }

    /// The progress of upload and download now. The download counts from the beginning of the file,
    /// also when it continues another one.
    public var currentProgress: TaskProgress { call.currentProgress }

    /// The progress of upload and download at each change, until the task is over. A slow reader
    /// gets the newest.
    public var progress: AsyncStream<TaskProgress> { call.progress }

    // MARK: The result

    /// The response or the error, as one value; starts the task if it was not started. The value of
    /// the response is the file, its body is empty. Cancelling the Swift task that awaits cancels
    /// this task.
    public var result: Outcome {
        get async {
            if call.markStarted() { return await work() }
            return await ending.outcome { cancel() }
        }
    }

    /// Calls the closure once when the task is over, on no particular thread; at once if it is
    /// over.
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

    /// Fails the task with ``NetworkingError/Code/cancelled``, unless it is complete, and removes
    /// what was received.
    public func cancel() {
        call.cancel()
        // No other code completes a task that never started.
        if call.markStarted() { ending.end(.failure(call.failed(CancellationError(), nil))) }
    }

    /// Cancels the task, and keeps what was received.
    ///
    /// - Returns: What continues the download; nil when nothing was received yet, when it cannot be
    ///   continued, and when it is complete.
    public func cancelProducingResumeData() async -> ResumeData? {
        download.keepsWhenCancelled.set()
        if call.markStarted() {
            call.cancel()
            ending.end(.failure(call.failed(CancellationError(), nil)))
            return download.resumeData
        }
        call.cancel()
        guard case .failure(let error) = await ending.outcome(onCancel: {}) else { return nil }
        return error.resumeData
    }

    private func work() async -> Outcome {
        let outcome: Outcome
        do throws(NetworkingError) {
            outcome = .success(try await core.download(call, download))
        } catch {
            outcome = .failure(error)
        }
        ending.end(outcome)
        return outcome
    }
}
