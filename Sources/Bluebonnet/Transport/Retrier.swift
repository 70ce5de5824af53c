/// Decides whether a request is sent again, and hears of each of its attempts.
///
/// The retriers of the request are asked first, in their order, then those of
/// ``SessionConfiguration/retriers``, and then the ``RetryPolicy``. The first one that decides
/// counts, and those behind it are not asked.
///
/// <!-- snippet: struct Maintenance: Error {} -->
/// ```swift
/// struct Patience: Retrier {
///     func decision(
///         after attempt: RetryAttempt, context: ExchangeContext
///     ) async -> RetryDecision {
///         guard attempt.statusCode == 503 else { return .byPolicy }
///         return attempt.number < 5 ? .retry(after: .seconds(2)) : .fail(Maintenance())
///     }
/// }
/// ```
///
/// A request is sent again 100 times at most; then its last response or error goes to the caller.
///
/// A retrier may send a request again that the policy would not, such as a POST that the server may
/// have processed: look at ``RetryAttempt/mayHaveBeenProcessed``.
///
/// Counterpart of Alamofire's `RequestRetrier`.
public protocol Retrier: Sendable {
    /// Decides after an attempt, a successful one too.
    ///
    /// It is not asked about a task that was stopped, about a response that came from no server,
    /// and about an upload that the server can resume (``SessionConfiguration/resumableUploads``).
    /// A retrier that waits is woken when the task is stopped: its Swift task is cancelled.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - context: The task's choices.
    /// - Returns: The decision.
    func decision(after attempt: RetryAttempt, context: ExchangeContext) async -> RetryDecision
}

/// A retrier of another product of the package, which has the next attempt ask only for the rest of
/// a body that broke off.
package protocol ContinuingRetrier: Retrier {
    /// The request of the next attempt.
    ///
    /// - Parameters:
    ///   - request: The request of the last attempt.
    ///   - error: The error with which that one failed.
    /// - Returns: The request that is sent.
    func continuing(_ request: Request, after error: NetworkingError) -> Request
}

/// The decision of a ``Retrier``.
///
/// Counterpart of Alamofire's `RetryResult`, whose `doNotRetry` asks the next retrier, as
/// ``byPolicy`` does here.
public enum RetryDecision: Sendable {
    /// The next retrier decides, and after the last one the ``RetryPolicy``.
    case byPolicy
    /// The request is sent again at once.
    case retryNow
    /// The request is sent again after a time.
    case retry(after: Duration)
    /// The request is not sent again: its response or its error goes to the caller.
    case doNotRetry
    /// The request is not sent again, and fails with another error. One that is no
    /// ``NetworkingError`` is wrapped as ``NetworkingError/Code/interceptorFailed``.
    case fail(any Error)
}

/// One attempt of a request, which is over: with a response, or with an error.
///
/// Where the task collects the body, the attempt ends with the last byte of it, and a body that
/// breaks off is an error; of a response whose status the policy retries, the body is not read. For
/// a download, for a stream, and where a hook gets the response before its body, the attempt ends
/// with the head.
///
/// Counterpart of the arguments of `retry(_:for:dueTo:completion:)` in Alamofire, and of
/// `Request.retryCount`.
public struct RetryAttempt: Sendable {
    /// The number of the attempt, from 1.
    public let number: Int

    /// The request as the interceptors have left it, before redirects.
    public let request: Request

    /// The head of the response, or the error.
    public let outcome: Result<ResponseHead, NetworkingError>

    /// The time of the attempt, redirects included.
    public let duration: Duration

    /// The timings of the response; nil for an error, whose ``NetworkingError/metrics`` have them.
    public let timings: Timings?

    /// Whether the server may have processed a request of the attempt: false where no connection
    /// could be made, or the server has said that it did not.
    public let mayHaveBeenProcessed: Bool

    /// Makes an attempt, for tests of a retrier or an observer.
    ///
    /// - Parameters:
    ///   - number: Its number, from 1. Default: 1.
    ///   - request: The request.
    ///   - outcome: The head of the response, or the error.
    ///   - duration: Its time. Default: none.
    ///   - timings: The timings of the response. Default: nil.
    ///   - mayHaveBeenProcessed: Whether a server may have processed the request. Default: true.
    public init(
        number: Int = 1,
        request: Request,
        outcome: Result<ResponseHead, NetworkingError>,
        duration: Duration = .zero,
        timings: Timings? = nil,
        mayHaveBeenProcessed: Bool = true
    ) {
        self.number = number
        self.request = request
        self.outcome = outcome
        self.duration = duration
        self.timings = timings
        self.mayHaveBeenProcessed = mayHaveBeenProcessed
    }

    /// The status code of the response; nil for an error.
    public var statusCode: Int? {
        if case .success(let head) = outcome { head.statusCode } else { nil }
    }

    /// The error; nil for a response.
    public var error: NetworkingError? {
        if case .failure(let error) = outcome { error } else { nil }
    }
}

/// A request that is going to be sent again, for events, hooks and observers.
///
/// For a WebSocket that is going to be opened again (``WebSocketReconnection``), the attempt is the
/// opening that has failed, or the connection that was lost, whose time is that from its opening
/// request to its end.
///
/// No counterpart in AFNetworking; in Alamofire `requestIsRetrying(_:)` of `EventMonitor`, which
/// knows neither the reason nor the wait.
public struct TaskRetry: Sendable {
    /// The identifier of the task, which no other one of its session has.
    public let taskIdentifier: Int

    /// The attempt that was not good enough: the first one has the number 1.
    public let attempt: RetryAttempt

    /// The time until the request is sent again.
    public let delay: Duration

    /// Makes one, for tests of an observer.
    ///
    /// - Parameters:
    ///   - taskIdentifier: The identifier of the task. Default: 1.
    ///   - attempt: The attempt.
    ///   - delay: The time until the request is sent again. Default: none.
    public init(taskIdentifier: Int = 1, attempt: RetryAttempt, delay: Duration = .zero) {
        self.taskIdentifier = taskIdentifier
        self.attempt = attempt
        self.delay = delay
    }
}
