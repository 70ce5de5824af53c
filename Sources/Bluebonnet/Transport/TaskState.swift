/// Where a task stands.
public enum TaskState: Sendable, Hashable {
    /// Not started yet, or suspended.
    case suspended
    /// Under way.
    case running
    /// Over, with a value or an error.
    case completed
}
