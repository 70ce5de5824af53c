/// Runs numbered transfers, up to a fixed number at once. A failed one does not stop the others.
struct TransferRunner {
    /// The number of transfers.
    let count: Int
    /// The most that run at once.
    let jobs: Int

    /// Runs all of them. Cancelling the Swift task begins no more, and waits for those under way.
    ///
    /// - Parameter transfer: Runs the transfer of a number, from 0.
    /// - Returns: The exit status for all: that of the failures where all have the same, and
    ///   otherwise ``ExitStatus/transport``.
    func run(_ transfer: @escaping @Sendable (Int) async -> ExitStatus) async -> ExitStatus {
        await withTaskGroup(of: ExitStatus.self) { group in
            var failures: Set<ExitStatus> = []
            var next = 0
            while next < min(jobs, count) { begin() }
            while let status = await group.next() {
                if status != .success { failures.insert(status) }
                if next < count, !Task.isCancelled { begin() }
            }
            return failures.count > 1 ? .transport : failures.first ?? .success

            func begin() {
                group.addTask { [next] in await transfer(next) }
                next += 1
            }
        }
    }
}
