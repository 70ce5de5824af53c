import Synchronization

/// A flag that can be set once, shared by all copies of a value whose source can be read only once:
/// a body from a sequence, a part of a form.
final class SingleUse: Sendable {
    private let hasBegunNow = Mutex(false)

    /// Whether the flag is set.
    var hasBegun: Bool { hasBegunNow.withLock(\.self) }

    /// Sets the flag.
    ///
    /// - Returns: Whether it was not set before.
    func begin() -> Bool {
        hasBegunNow.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
    }
}
