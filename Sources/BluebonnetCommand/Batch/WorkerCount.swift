/// How many workers take lines. There is one more than those that are busy, up to a limit, so that
/// they cost what is under way and not what was allowed.
struct WorkerCount: Equatable, Sendable {
    /// The most there may be.
    let limit: Int

    /// Those that have been started.
    private(set) var started = 1

    /// Those that wait for a line.
    private(set) var idle = 1

    init(limit: Int) {
        self.limit = limit
    }

    /// A worker has taken a line.
    ///
    /// - Returns: Whether another worker is to be started, which then waits for a line.
    mutating func tookLine() -> Bool {
        idle -= 1
        guard idle == 0, started < limit else { return false }
        started += 1
        idle += 1
        return true
    }

    /// A worker is done with its line and waits for the next one.
    mutating func isDone() {
        idle += 1
    }
}
