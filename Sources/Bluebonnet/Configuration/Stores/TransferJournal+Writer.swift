import FoundationEssentials

extension TransferJournal {
    /// A change of one transfer.
    enum Change: Sendable, Equatable {
        case store(Data)
        case remove
    }

    /// Decides what is written when: one batch at a time, and everything that came meanwhile in the
    /// next one, so that many transfers share one flush of the disk. Knows no disk.
    struct Writer<Waiter> {
        /// What is written in one step.
        struct Batch {
            var changes: [Int: Change] = [:]
            /// Those who wait for the change of a transfer; without an identifier for the batch.
            var waiters: [(identifier: Int?, waiter: Waiter)] = []
        }

        private var next = Batch()
        /// The transfers that could not be removed.
        private var unremoved: Set<Int> = []
        private var isWriting = false

        /// Notes a change. The last one of a transfer counts.
        ///
        /// - Returns: Whether a thread has to begin to write.
        mutating func note(_ change: Change, of identifier: Int, _ waiter: Waiter? = nil) -> Bool {
            next.changes[identifier] = change
            if let waiter { next.waiters.append((identifier, waiter)) }
            return begin()
        }

        /// Has somebody wait until all that was noted before is written.
        ///
        /// - Returns: Whether a thread has to begin to write.
        mutating func wait(_ waiter: Waiter) -> Bool {
            next.waiters.append((nil, waiter))
            return begin()
        }

        private mutating func begin() -> Bool {
            defer { isWriting = true }
            return !isWriting
        }

        /// The next batch; nil when there is nothing to write, and the thread is done.
        mutating func take() -> Batch? {
            guard !next.changes.isEmpty || !next.waiters.isEmpty else {
                isWriting = false
                return nil
            }
            for identifier in unremoved where next.changes[identifier] == nil { next.changes[identifier] = .remove }
            unremoved = []
            defer { next = Batch() }
            return next
        }

        /// Notes removals that failed. They are tried again when something else is written, not at
        /// once: a full disk would keep the thread busy.
        mutating func retry(removing identifiers: some Sequence<Int>) {
            unremoved.formUnion(identifiers)
        }
    }
}
