public import FoundationEssentials

/// Learns what came of each task of a session: for your own records, logs and measurements.
///
/// ```swift
/// struct SlowTasks: TaskObserver {
///     func taskDidEnd(_ report: TaskReport) {
///         guard let duration = report.metrics.duration, duration > .seconds(1)
///         else { return }
///         print(report.request, duration, report.metrics.transactions)
///     }
/// }
///
/// var configuration = SessionConfiguration()
/// configuration.observers = [SlowTasks()]
/// ```
///
/// ``HARRecorder`` is one. A session without observers does nothing for them.
///
/// Counterpart of `setTaskDidFinishCollectingMetricsBlock:` of AFNetworking, and of
/// `request(_:didGatherMetrics:)` of Alamofire's `EventMonitor`.
public protocol TaskObserver: Sendable {
    /// Called once for each task that had begun, when it is over: before its caller has the result
    /// or the error. A stream is over when the last byte has come, of which its reader may still
    /// have to read some: an error of undoing its content coding comes later, and is the reader's.
    ///
    /// Called on the thread on which the task ended, which may be an event loop, and so it must
    /// return soon.
    ///
    /// - Parameter report: What came of the task.
    func taskDidEnd(_ report: TaskReport)

    /// Called when a request is going to be sent again by a ``RetryPolicy`` or a ``Retrier``,
    /// before the wait, on the thread that decided it; it must return soon. Default: does nothing.
    ///
    /// - Parameter retry: The attempt that is repeated, and the wait.
    func taskWillRetry(_ retry: TaskRetry)
}

extension TaskObserver {
    /// Does nothing.
    public func taskWillRetry(_ retry: TaskRetry) {}
}

/// What came of a task that is over.
///
/// Counterpart of the `NSURLSessionTask` and the metrics of
/// `setTaskDidFinishCollectingMetricsBlock:`.
public struct TaskReport: Sendable {
    /// The identifier of the task, which no other one of its session has.
    public let taskIdentifier: Int

    /// The request that the task was made with. Those that were sent are in ``metrics``.
    public let request: Request

    /// What happened: each request that was sent, with its response, timings, bytes and connection.
    public let metrics: TaskMetrics

    /// The error of a task that failed.
    public let error: NetworkingError?

    /// The body of the last response, its content coding undone, where it was collected in memory;
    /// nil for downloads and streams.
    public let body: Data?

    /// The file of a download.
    public let file: URL?

    /// The status of the response that the task ended with, where that is known.
    var statusCode: Int?

    /// Makes a report, for tests of an observer.
    ///
    /// - Parameters:
    ///   - taskIdentifier: The identifier of the task. Default: 1.
    ///   - request: The request that the task was made with.
    ///   - metrics: What happened.
    ///   - error: The error of a task that failed. Default: none.
    ///   - body: The body of the last response. Default: none.
    ///   - file: The file of a download. Default: none.
    public init(
        taskIdentifier: Int = 1,
        request: Request,
        metrics: TaskMetrics,
        error: NetworkingError? = nil,
        body: Data? = nil,
        file: URL? = nil
    ) {
        self.taskIdentifier = taskIdentifier
        self.request = request
        self.metrics = metrics
        self.error = error
        self.body = body
        self.file = file
    }
}
