/// Something that happened to a task of a session.
///
/// Counterpart of the notifications of `AFURLSessionManager` (`AFNetworkingTaskDidResumeNotification` and its siblings).
public enum SessionEvent: Sendable {
    /// The task was started, or resumed after a suspension.
    case didResume(any SessionTask)
    /// The task was suspended.
    case didSuspend(any SessionTask)
    /// The response head of the task's last hop arrived.
    case didReceiveResponse(any SessionTask, ResponseHead)
    /// The task is over; the error is nil when it succeeded.
    case didComplete(any SessionTask, NetworkingError?)
    /// The session was invalidated. No event follows.
    case didInvalidate
}
