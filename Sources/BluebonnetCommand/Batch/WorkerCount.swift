/// The number of workers that take lines. There is one more than those that are busy, up to a
/// limit, so that their cost depends on the requests under way and not on the limit.
struct WorkerCount: Equatable, Sendable {
    /// The largest number of workers.
    let limit: Int

    /// The workers that have been started.
    private(set) var started = 1

    /// The workers that wait for a line.
    private(set) var idle = 1

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts a worker that has taken a line.
    ///
    /// - Returns: Whether another worker is to be started, which then waits for a line.
    mutating func takeLine() -> Bool {
        idle -= 1
        guard idle == 0, started < limit else { return false }
        started += 1
        idle += 1
        return true
    }

    /// Counts a worker that is done with its line and waits for the next one.
    mutating func finishLine() {
        idle += 1
    }
}
