/// Something that happened to a task of a session.
///
/// Counterpart of the notifications of `AFURLSessionManager`
/// (`AFNetworkingTaskDidResumeNotification` and its siblings), and of Alamofire's `EventMonitor`.
///
/// ```swift
/// for await event in session.events {
///     switch event.kind {
///     case .didResume: print("resumed", event.task?.identifier ?? 0)
///     case .didComplete: print("completed", event.error?.message ?? "")
///     default: break
///     }
/// }
/// ```
public struct SessionEvent: Sendable {
    /// The kind of an event. A struct, so that a new kind does not break a `switch`.
    ///
    /// Counterpart of the names of those notifications.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind: `didResume`.
        public let description: String

        /// The task was started, or resumed after a suspension.
        public static let didResume = Kind(description: "didResume")
        /// The task was suspended.
        public static let didSuspend = Kind(description: "didSuspend")
        /// The response head of the task's last hop arrived.
        public static let didReceiveResponse = Kind(description: "didReceiveResponse")
        /// The task is over.
        public static let didComplete = Kind(description: "didComplete")
        /// The session was invalidated. No event follows.
        public static let didInvalidate = Kind(description: "didInvalidate")
    }

    /// The kind of the event.
    public let kind: Kind
    /// The task that it happened to; nil for ``Kind/didInvalidate``.
    public let task: (any SessionTask)?
    /// The response head, for ``Kind/didReceiveResponse``.
    public let head: ResponseHead?
    /// The error of a task that failed, for ``Kind/didComplete``; nil when it succeeded.
    public let error: NetworkingError?

    init(
        _ kind: Kind,
        _ task: (any SessionTask)?,
        head: ResponseHead? = nil,
        error: NetworkingError? = nil
    ) {
        self.kind = kind
        self.task = task
        self.head = head
        self.error = error
    }
}
