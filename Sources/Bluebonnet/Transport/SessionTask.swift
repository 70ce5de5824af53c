/// What all tasks of a session have in common, whatever they bring.
///
/// Counterpart of `NSURLSessionTask`.
public protocol SessionTask: AnyObject, Sendable {
    /// A number that no other task of the session has.
    var identifier: Int { get }

    /// Where the task stands.
    var state: TaskState { get }

    /// The request as the task was made with it.
    var originalRequest: Request { get }

    /// The request of the present or last hop, after interceptors and redirects; the original one
    /// before the first response.
    var currentRequest: Request { get }

    /// The response head, once it is there.
    var response: ResponseHead? { get }

    /// How far upload and download are now.
    var currentProgress: TaskProgress { get }

    /// How far upload and download are, whenever that changes, until the task is over. A slow
    /// reader gets the newest.
    var progress: AsyncStream<TaskProgress> { get }

    /// Starts a new task, or lets a suspended one read on.
    func resume()

    /// Stops reading from the connection, so that the server is slowed down. The time between bytes
    /// stands still; the time of the whole request does not.
    func suspend()

    /// Fails the task with ``NetworkingError/Code/cancelled``, unless it is complete.
    func cancel()
}

/// Where a task stands.
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
