/// A task of a session, whatever type of value it returns.
///
/// Counterpart of `NSURLSessionTask`, and of Alamofire's `Request`.
public protocol SessionTask: AnyObject, Sendable, CustomStringConvertible {
    /// A number that no other task of the session has.
    var identifier: Int { get }

    /// The state of the task.
    var state: TaskState { get }

    /// The request that the task was made with.
    var originalRequest: Request { get }

    /// The request of the present or last hop, after interceptors and redirects; the original one
    /// before the first response.
    var currentRequest: Request { get }

    /// Status and header fields of the response, once they are there.
    var head: ResponseHead? { get }

    /// The progress of upload and download now.
    var currentProgress: TaskProgress { get }

    /// The progress of upload and download at each change, until the task is over. A slow reader
    /// gets the newest.
    var progress: AsyncStream<TaskProgress> { get }

    /// Starts a new task, or resumes a suspended one.
    func resume()

    /// Stops reading from the connection, so that the server is slowed down.
    /// ``Timeouts/betweenBytes`` does not run meanwhile; ``Timeouts/request`` does.
    func suspend()

    /// Fails the task with ``NetworkingError/Code/cancelled``, unless it is complete.
    func cancel()
}

extension SessionTask {
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
