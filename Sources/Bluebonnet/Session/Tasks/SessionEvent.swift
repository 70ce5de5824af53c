public import FoundationEssentials

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
        /// The response head of the task's last hop arrived. Where a ``RetryPolicy`` or a
        /// ``Retrier`` is for a task that collects its body, that is known when the body is there.
        public static let didReceiveResponse = Kind(description: "didReceiveResponse")
        /// The request of the task is going to be sent again, or a WebSocket to be opened again,
        /// after a wait: see ``SessionEvent/retry``.
        public static let willRetry = Kind(description: "willRetry")
        /// There is no network that the task may use, and it waits for one: see
        /// ``SessionConfiguration/waitsForConnectivity``.
        public static let isWaitingForConnectivity = Kind(description: "isWaitingForConnectivity")
        /// The task is over.
        public static let didComplete = Kind(description: "didComplete")
        /// The session was invalidated. No event follows.
        public static let didInvalidate = Kind(description: "didInvalidate")
    }

    /// The kind of the event.
    public let kind: Kind
    /// The task that it happened to; nil for ``Kind/didInvalidate``.
    public let task: (any SessionTask)?
    /// The attempt that is repeated, and the wait, for ``Kind/willRetry``.
    public let retry: TaskRetry?
    /// The response head: for ``Kind/didReceiveResponse``, and for ``Kind/didComplete`` when there
    /// was a response.
    public let head: ResponseHead?
    /// The error of a task that failed, for ``Kind/didComplete``; nil when it succeeded.
    public let error: NetworkingError?
    /// The file of a download, for ``Kind/didComplete``.
    public let file: URL?
    /// The body of the response, for ``Kind/didComplete``; nil for downloads and streams, and where
    /// the events were not asked for with results.
    public private(set) var body: Data?
    /// The value that the response serializer made, for ``Kind/didComplete``; of a task that failed
    /// ``NetworkingError/parsedBody``, of a download ``file``. Nil where the events were not asked
    /// for with results.
    public private(set) var value: (any Sendable)?
    /// What makes the value of the response, for ``Kind/didComplete``; nil for downloads, streams,
    /// bodies that are returned as they are, and requests that began before anybody asked for
    /// events.
    public let serializer: (any ResponseSerializer)?

    init(
        _ kind: Kind,
        _ task: (any SessionTask)?,
        head: ResponseHead? = nil,
        error: NetworkingError? = nil,
        retry: TaskRetry? = nil,
        serializer: (any Sendable)? = nil,
        _ result: CallResult = CallResult()
    ) {
        self.kind = kind
        self.task = task
        self.head = head ?? result.head
        self.error = error
        self.retry = retry
        file = result.file
        body = result.body
        value = result.value
        self.serializer = (serializer as? any ManagedSerializer)?.base ?? serializer as? any ResponseSerializer
    }

    var withoutResult: SessionEvent {
        var event = self
        (event.body, event.value) = (nil, nil)
        return event
    }
}
