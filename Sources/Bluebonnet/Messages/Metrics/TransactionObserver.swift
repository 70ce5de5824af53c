public import HTTPTypes

/// Learns of each request that a session sends: before it is sent, when it may add header fields,
/// and when its response is there or it has failed. For traces, measurements and logs.
///
/// ```swift
/// struct Correlation: TransactionObserver {
///     func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
///         let identifier = UUID().uuidString
///         transaction.headerFields[HTTPField.Name("X-Request-Id")!] = identifier
///         return { metrics in print(identifier, metrics) }
///     }
/// }
///
/// var configuration = SessionConfiguration()
/// configuration.observers = [Correlation()]
/// ```
///
/// A redirect, a retry by an interceptor and a retry by the session each send another request. An
/// ``Interceptor`` sees a request once, before the redirects and the retries of the session.
///
/// A session asks once, when it is made, which of its observers observe transactions; without one,
/// a request costs no more than before.
///
/// Counterpart of `EventMonitor` of Alamofire, whose `request(_:didCreateTask:)` cannot change the
/// request any more.
public protocol TransactionObserver: TaskObserver {
    /// The circumstances in which a task is made, such as the context of a trace: called once for
    /// each task, by the code that makes it, where task-local values are those of the caller.
    ///
    /// Default: nil.
    ///
    /// - Parameter request: The request that the task is made with.
    /// - Returns: What ``OutgoingTransaction/circumstances`` shall be for each request of the task.
    func circumstances(of request: Request) -> (any Sendable)?

    /// Called before each request that is sent, on the thread that sends it; it must return soon.
    ///
    /// Not called for a request that was not sent: one that an interceptor answered, or that failed
    /// in an interceptor.
    ///
    /// - Parameter transaction: The request and what is known of it.
    /// - Returns: What is to be called when the transaction is over; nil for nothing.
    func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding?
}

/// Gets a transaction that is over, exactly once: when the last byte of the response was received,
/// or when it failed. Called on the thread where it ended, which may be an event loop, before the
/// caller has the response or the error, and so it must return soon.
///
/// A body with a content coding is decoded first, while it is read: one that cannot be decoded is a
/// failure, and ``TransactionMetrics/bytes`` has its decoded size. Where nobody reads it, the
/// transaction is over when the body is released. With a transport of your own, it is over when the
/// response head is there.
public typealias TransactionEnding = @Sendable (TransactionMetrics) -> Void

extension TransactionObserver {
    /// Nil: the observer needs no circumstances.
    public func circumstances(of request: Request) -> (any Sendable)? { nil }

    /// Does nothing: for observers of transactions that do not observe tasks.
    public func taskDidEnd(_ report: TaskReport) {}
}

/// A request that is about to be sent, for a ``TransactionObserver``.
///
/// No counterpart in AFNetworking and Alamofire.
public struct OutgoingTransaction: Sendable {
    /// The request as the transport gets it, with what the observers have changed so far.
    public private(set) var request: Request

    /// The header fields of the request. Changes are sent and are in the metrics; they are not in
    /// the request that a redirect or a retry makes of this one.
    public var headerFields: HTTPFields {
        get { request.headerFields }
        _modify { yield &request.headerFields }
    }

    /// The identifier of the task, which no other one of its session has.
    public let taskIdentifier: Int

    /// The number of the transaction in its task, from 0: how many were begun before it.
    public let number: Int

    /// What `circumstances(of:)` of the observer returned when the task was made.
    public internal(set) var circumstances: (any Sendable)?

    /// The server, where the URL has been taken apart.
    package let origin: Origin?

    /// Makes a transaction, for tests of an observer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - taskIdentifier: The identifier of the task. Default: 1.
    ///   - number: The number of the transaction in its task, from 0. Default: 0.
    ///   - circumstances: What the observer returned when the task was made. Default: nil.
    public init(
        request: Request,
        taskIdentifier: Int = 1,
        number: Int = 0,
        circumstances: (any Sendable)? = nil
    ) {
        self.init(
            request: request,
            taskIdentifier: taskIdentifier,
            number: number,
            circumstances: circumstances,
            origin: (try? request.target)?.origin
        )
    }

    init(request: Request, taskIdentifier: Int, number: Int, circumstances: (any Sendable)?, origin: Origin?) {
        self.request = request
        self.taskIdentifier = taskIdentifier
        self.number = number
        self.circumstances = circumstances
        self.origin = origin
    }
}
