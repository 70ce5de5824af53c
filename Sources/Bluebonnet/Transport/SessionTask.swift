/// A task of a session, whatever type of value it returns.
///
/// Counterpart of `NSURLSessionTask`, and of Alamofire's `Request`.
public protocol SessionTask: AnyObject, Sendable, CustomStringConvertible {
    /// A number that no other task of the session has.
    var identifier: Int { get }

    /// The state of the task.
    var state: TaskState { get }

    /// The state now, and each new one until the task is over: `completed` is the last one. A slow
    /// reader gets the newest. The task is not kept: of one that is released before it was started,
    /// the states end without that.
    ///
    /// Counterpart of key-value observing of `NSURLSessionTask.state`.
    var states: AsyncStream<TaskState> { get }

    /// The request that the task was made with.
    var originalRequest: Request { get }

    /// The request of the present or last hop, after interceptors and redirects; the original one
    /// before the first response.
    var currentRequest: Request { get }

    /// Status and header fields of the response, once they are there.
    var head: ResponseHead? { get }

    /// The progress of upload and download now.
    var currentProgress: TaskProgress { get }

    /// The progress of upload and download, until the task is over: at the first bytes, then at
    /// most ten times a second, and at the end. A slow reader gets the newest.
    var progress: AsyncStream<TaskProgress> { get }

    /// Calls the closure with the progress as often as ``progress`` has one, on no particular
    /// thread of Swift's tasks, which it must not block. Its last call comes before the result.
    ///
    /// - Parameter body: Gets the progress.
    func onProgress(_ body: @escaping @Sendable (TaskProgress) -> Void)

    /// What has happened so far: the transactions with their timings, bytes and connections; all of
    /// it when the task is over. Nil before it was started.
    ///
    /// Counterpart of the metrics of `setTaskDidFinishCollectingMetricsBlock:` of AFNetworking.
    var metrics: TaskMetrics? { get }

    /// The urgency of the task: at first that of its request, ``RequestProperties/priority``,
    /// otherwise ``RequestPriority/normal``.
    ///
    /// While all connections to a host are busy, and in a ``TaskQueue``, waiting tasks come in the
    /// order of their urgency, and in the order in which they came where that is the same. A task
    /// that waits is moved behind those that have its new urgency already; one that was not started
    /// begins with it, and sends it as the request would (RFC 9218). It has no effect on a request
    /// that was sent.
    ///
    /// Counterpart of `NSURLSessionTask.priority`.
    var priority: RequestPriority { get set }

    /// Starts a new task, or resumes a suspended one.
    func resume()

    /// Stops sending and reading, so that the server waits or is slowed down. What the system has
    /// taken of the request is sent all the same, and of a request that waits for a connection
    /// nothing is sent. ``Timeouts/betweenBytes`` and ``Timeouts/firstByte`` do not run meanwhile;
    /// ``Timeouts/request`` does.
    func suspend()

    /// Fails the task with ``NetworkingError/Code/cancelled``, unless it is complete.
    func cancel()
}

extension SessionTask {
    /// The text of yours that its request came with: ``Request/taskDescription``.
    public var taskDescription: String? { originalRequest.taskDescription }

    /// Method, URL and state: `GET http://example.com/users (running)`; without credentials and
    /// query values.
    public var description: String { "\(originalRequest) (\(state))" }
}

/// The state of a task.
///
/// Counterpart of `NSURLSessionTaskState`, and of Alamofire's `Request.State`.
public struct TaskState: Sendable, Hashable, CustomStringConvertible {
    /// The name of the state: `running`.
    public let description: String

    /// Not started yet, or suspended.
    public static let suspended = TaskState(description: "suspended")
    /// Under way.
    public static let running = TaskState(description: "running")
    /// Over, with a value or an error.
    public static let completed = TaskState(description: "completed")
}
