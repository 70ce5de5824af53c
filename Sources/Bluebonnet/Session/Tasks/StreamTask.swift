import FoundationEssentials

/// One request whose response is read while it comes, with back-pressure.
///
/// A task made by a factory is not started; ``resume()`` starts it, and so does awaiting
/// ``value``. The value is the open response: its head is there and was accepted, and its body is
/// still to be read. The task is over when its body has come to the end, failed, or been dropped.
///
/// ```swift
/// let task = session.streamTask(for: request)
/// for try await piece in try await task.value.body { print(piece.count) }
/// ```
///
/// The task keeps its response, and with it its session. A body that nobody reads waits, and slows
/// the server down, until the task is cancelled or released.
///
/// ``ResponseStream`` describes such a request without a task, and sends it when it is iterated.
///
/// Counterpart of Alamofire's `DataStreamRequest` and `DataStreamTask`, and of a data task of
/// AFNetworking that is to become a stream.
public final class StreamTask: SessionTask {
    /// The result of opening the stream: the response or the error.
    public typealias Outcome = Result<TransportResponse, NetworkingError>

    let core: TaskCore<TransportResponse>
    private let session: SessionManager
    /// The rules for the response, in this order.
    private let validations: [ResponseValidation]
    private let errorBodyLimit: Int
    /// The response that another task has begun.
    private let begun: BegunResponse?
    /// The end of the body, with the error that ended it early.
    private let completion = TaskEnding<NetworkingError?>()

    init(
        _ request: Request,
        session: SessionManager,
        validations: [ResponseValidation],
        errorBodyLimit: Int = ResponseStream.defaultErrorBodyLimit,
        begun: BegunResponse? = nil
    ) {
        core = TaskCore(request, session: session.core, kind: .stream)
        self.session = session
        self.validations = validations
        self.errorBodyLimit = errorBodyLimit
        self.begun = begun
        core.present(as: self)
    }

    deinit {
        // One that was started is over when its body is.
        let isNew = core.call.markStarted()
        core.release()
        if isNew, completion.isAwaited { completion.end(core.call.releasedEarly()) }
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
        set { core.call.priority = newValue }
    }

    // MARK: The response

    /// The open response; starts the task if it was not started. Cancelling the Swift task that
    /// awaits cancels this task.
    ///
    /// Each time it is the same response, whose body is read once.
    ///
    /// - Throws: ``NetworkingError``; for a refused response with its head and the beginning of its
    ///   body.
    public var value: TransportResponse {
        get async throws(NetworkingError) { try await result.get() }
    }

    /// The open response or the error, as one value; see ``value``.
    public var result: Outcome {
        get async { await core.outcome(of: work, onCancel: cancel) }
    }

    /// Calls the closure once when the task is over, on no particular thread; at once if it is
    /// over. A task that is released before it was started is cancelled.
    ///
    /// - Parameter body: Gets the error with which the task or its body failed; nil when the body
    ///   came to its end.
    public func whenComplete(_ body: @escaping @Sendable (NetworkingError?) -> Void) {
        completion.whenThere(body)
    }

    /// Calls the closure with the progress as often as ``progress`` has one, on no particular
    /// thread of Swift's tasks, which it must not block. Its last call comes before those of
    /// ``whenComplete(_:)``.
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

    /// Stops sending and reading; see ``SessionTask/suspend()``. The reader of the body gets what
    /// has come, and waits. A task that was not started stays so.
    public func suspend() {
        core.call.suspend()
    }

    /// Fails the task with ``NetworkingError/Code/cancelled``, and the reading of its body, unless
    /// it is complete.
    public func cancel() {
        if core.cancel() { Self.end(completion, core.call, core.call.failed(CancellationError(), nil)) }
    }

    @Sendable private func work() async throws(NetworkingError) -> TransportResponse {
        do throws(NetworkingError) {
            // The body holds these closures, and this task holds the body: they must not hold it.
            let (call, completion, bodyEnd) = (core.call, completion, TaskEnding<NetworkingError?>())
            let response = try await core.session.open(call, begun) { response throws(NetworkingError) in
                try await response.keeping(session, call).accepted(
                    by: validations,
                    errorBodyLimit: errorBodyLimit
                )
            } whenEnded: {
                bodyEnd.end($0)
            }
            bodyEnd.whenThere { Self.end(completion, call, $0) }
            return response
        } catch {
            Self.end(completion, core.call, error)
            throw error
        }
    }

    private static func end(_ completion: TaskEnding<NetworkingError?>, _ call: Call, _ error: NetworkingError?) {
        call.whenReported { completion.end(error) }
    }
}
