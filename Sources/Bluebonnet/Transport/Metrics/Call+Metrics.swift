import NIOCore
import Synchronization

/// What is recorded of the transactions of a call.
extension Call {
    /// The transactions of a call, as a value.
    struct Transactions: Sendable {
        /// In the order of their numbers.
        private(set) var records: [TransactionRecord] = []
        var redirectCount = 0

        /// Notes a transaction, in place of what was noted of it before.
        mutating func note(_ record: TransactionRecord) {
            guard let last = records.last, last.hop >= record.hop else { return records.append(record) }
            if let index = records.lastIndex(where: { $0.hop == record.hop }) {
                var record = record
                record.head = record.head ?? records[index].head
                record.decodedCount = records[index].decodedCount
                records[index] = record
            } else {
                records.insert(record, at: records.firstIndex { $0.hop > record.hop } ?? records.endIndex)
            }
        }

        /// What was noted of a transaction.
        func record(ofHop hop: Int) -> TransactionRecord? {
            records.last { $0.hop == hop }
        }

        /// These behind those of an earlier call.
        func following(_ earlier: Transactions) -> Transactions {
            var all = earlier
            all.records += records
            all.redirectCount += redirectCount
            return all
        }

        /// Notes the size of the last body, its content coding undone.
        mutating func noteDecoded(_ count: Int) {
            guard !records.isEmpty else { return }
            records[records.count - 1].decodedCount = count
        }
    }

    /// What happened so far; nil before the call has begun.
    var metrics: TaskMetrics? { started.instant == nil ? nil : metrics(at: nil) }

    /// Notes that the call begins.
    func begin(at now: NIODeadline) {
        started.note(now)
    }

    /// Notes that a call that has begun ends, unless that was noted before.
    func noteEnd() {
        if started.instant != nil, ended.instant == nil { ended.note(.now()) }
    }

    /// What happened until the call ended, which is now.
    func metrics(endingAt now: NIODeadline) -> TaskMetrics {
        if started.instant == nil { started.note(now) }
        if ended.instant == nil { ended.note(now) }
        return metrics(at: now)
    }

    private func metrics(at now: NIODeadline?) -> TaskMetrics {
        let transactions = transactions
        return TaskMetrics(
            transactions.records,
            startedAt: started.instant ?? .uptimeNanoseconds(0),
            endedAt: ended.instant,
            redirectCount: transactions.redirectCount,
            dayOffset: DayClock.offset(at: now ?? .now())
        )
    }

    private var transactions: Transactions {
        let (own, predecessor) = withLock { ($0.transactions, $0.predecessor) }
        return predecessor.map { own.following($0.transactions) } ?? own
    }

    /// Notes a transaction of another transport than the engine.
    func note(_ record: TransactionRecord) {
        withLock { $0.transactions.note(record) }
    }

    /// Notes that a redirect is followed.
    func noteRedirect() {
        withLock { $0.transactions.redirectCount += 1 }
    }

    /// Notes the size of the last body, its content coding undone.
    func noteDecoded(_ count: Int) {
        withLock { $0.transactions.noteDecoded(count) }
    }
}
