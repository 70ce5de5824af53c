import NIOCore
import Synchronization

/// What is recorded of the transactions of a call.
extension Call {
    /// The transactions of a call, as a value.
    struct Transactions: Sendable {
        /// In the order of their numbers, without ``whole``.
        private var kept: [TransactionRecord] = []
        /// The only transaction, where its response came whole. Most calls have no other, and most
        /// of them never need its record.
        private var whole: WholeTransaction?
        /// What the records do not say; nil for nothing.
        private(set) var sums: CopyOnWrite<TransactionSums>?
        var redirectCount = 0

        /// In the order of their numbers.
        var records: [TransactionRecord] { whole.map { [$0.record] } ?? kept }

        /// Notes a transaction whose response came whole.
        mutating func note(_ transaction: WholeTransaction) {
            if whole == nil, kept.isEmpty {
                whole = transaction
            } else {
                note(transaction.record)
            }
        }

        /// Makes the record of a transaction now, so that its response is not kept.
        mutating func settle() {
            guard let whole else { return }
            kept = [whole.record]
            self.whole = nil
        }

        /// Notes a transaction, in place of what was noted of it before.
        mutating func note(_ record: TransactionRecord) {
            settle()
            guard record.error?.body == nil else { return note(record.withoutErrorBody) }
            if kept.last.map({ $0.hop < record.hop }) ?? true {
                kept.append(record)
            } else if let index = kept.lastIndex(where: { $0.hop == record.hop }) {
                var record = record
                record.head = record.head ?? kept[index].head
                record.decodedCount = record.decodedCount ?? kept[index].decodedCount
                // What made its reader give up the body comes first.
                record.error = kept[index].error ?? record.error
                kept[index] = record
            } else if !isOmitted(record.hop) {
                kept.insert(record, at: kept.firstIndex { $0.hop > record.hop } ?? kept.endIndex)
            }
            if kept.count > TaskMetrics.mostKept { omitOne() }
        }

        /// Whether a transaction would be among those that are not kept.
        private func isOmitted(_ hop: Int) -> Bool {
            guard let sums, sums.value.omitted > 0 else { return false }
            return hop > kept[TaskMetrics.firstKept - 1].hop
                && hop < kept[TaskMetrics.firstKept].hop
        }

        private mutating func omitOne() {
            let record = kept.remove(at: TaskMetrics.firstKept)
            changeSums { sums in
                sums.omitted += 1
                sums.omittedBytes += record.bytes
            }
        }

        /// What was noted of a transaction.
        func record(ofHop hop: Int) -> TransactionRecord? {
            if let whole { return whole.hop == hop ? whole.record : nil }
            return kept.last { $0.hop == hop }
        }

        /// These behind those of an earlier call.
        func following(_ earlier: Transactions) -> Transactions {
            var all = earlier
            all.settle()
            all.kept += records
            all.redirectCount += redirectCount
            if let sums = sums?.value {
                all.changeSums { all in
                    all.omitted += sums.omitted
                    all.omittedBytes += sums.omittedBytes
                    all.parts += sums.parts
                }
            }
            return all
        }

        private mutating func changeSums(_ change: (inout TransactionSums) -> Void) {
            var value = sums?.value ?? TransactionSums()
            change(&value)
            sums = CopyOnWrite(value)
        }

        /// Notes the size of the body of a transaction, its content coding undone.
        mutating func noteDecoded(_ count: Int, hop: Int) {
            settle()
            guard let index = kept.lastIndex(where: { $0.hop == hop }) else { return }
            kept[index].decodedCount = count
        }

        /// Notes that the content coding of the body of a transaction could not be undone, unless
        /// it failed before.
        mutating func noteDecodingFailure(_ error: NetworkingError, hop: Int) {
            settle()
            guard let index = kept.lastIndex(where: { $0.hop == hop }), kept[index].error == nil else { return }
            kept[index].error = error
        }

        /// The number of all of them.
        var count: Int { (whole == nil ? kept.count : 1) + (sums?.value.omitted ?? 0) }

        /// Notes that what was sent after so many others was a part.
        mutating func notePart(after before: Int) {
            if count > before { changeSums { $0.parts += 1 } }
        }

        /// Notes the transactions of a part, whose numbers are those of the whole.
        ///
        /// - Parameters:
        ///   - part: What is known of it.
        ///   - isNew: Whether nothing of it was noted before.
        ///   - isOver: Whether nothing more of it will be noted.
        mutating func note(part: Transactions, isNew: Bool, isOver: Bool) {
            for record in part.records { note(record) }
            if isNew { changeSums { $0.parts += 1 } }
            guard isOver else { return }
            redirectCount += part.redirectCount
            if let omitted = part.sums?.value, omitted.omitted > 0 {
                changeSums { sums in
                    sums.omitted += omitted.omitted
                    sums.omittedBytes += omitted.omittedBytes
                }
            }
        }
    }

    /// A transaction whose response came whole: what its record is made of.
    struct WholeTransaction: Sendable {
        let hop: Int
        /// The response as it was received, in place of its head and its request: one reference.
        let response: TransportResponse
        let connection: ConnectionRecord?
        let isConnectionReused: Bool
        let startedAt: NIODeadline
        let marks: TransactionMarks
        let wireBytes: TransactionMetrics.Bytes
        /// Whether the response is a stored one, and nothing was sent.
        var isLocal = false

        var record: TransactionRecord {
            var record = TransactionRecord(
                hop: hop,
                sent: response.sent,
                head: response.head,
                startedAt: startedAt,
                endedAt: marks.lastByte,
                marks: marks,
                connection: connection,
                isConnectionReused: isConnectionReused,
                wireBytes: wireBytes
            )
            guard isLocal else { return record }
            (record.isLocal, record.marks) = (true, TransactionMarks())
            return record
        }
    }

    /// Notes a response of the cache, for which nothing was sent. Behind a request that failed it
    /// is not a retry.
    func noteStored(_ response: TransportResponse, startedAt: NIODeadline) {
        var bytes = TransactionMetrics.Bytes()
        bytes.decodedResponseBody = response.body.wholeByteCount ?? 0
        let transaction = WholeTransaction(
            hop: response.hop,
            response: response,
            connection: nil,
            isConnectionReused: false,
            startedAt: startedAt,
            marks: TransactionMarks(lastByte: .now()),
            wireBytes: bytes,
            isLocal: true
        )
        withLock { state in
            let (before, redirects) = (state.transactions.count, state.transactions.redirectCount)
            state.transactions.note(transaction)
            if before > redirects { state.transactions.notePart(after: before) }
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
            sums: transactions.sums,
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

    /// Makes the records of what is known, so that no response is kept.
    func settleTransactions() {
        withLock { $0.transactions.settle() }
    }

    /// Notes that a redirect is followed.
    func noteRedirect() {
        withLock { $0.transactions.redirectCount += 1 }
    }

    /// What is known of the hops after this one; nil where there were too many to know of all.
    func transactions(afterHop hop: Int) -> [TransactionRecord]? {
        let records = withLock { $0.transactions.records }.filter { $0.hop > hop }
        return records.count < TaskMetrics.mostKept - TaskMetrics.firstKept ? records : nil
    }

    /// The last of them; nil where nothing was sent.
    var lastTransaction: TransactionRecord? { withLock { $0.transactions.records }.last }

    /// The number of requests that were sent.
    var transactionCount: Int { withLock { $0.transactions.count } }

    /// Notes that the last request was one of its own for a part of the task, and not that of the
    /// task again.
    ///
    /// - Parameter before: The number of requests before it: one that was not sent does not count.
    func notePart(after before: Int) {
        withLock { $0.transactions.notePart(after: before) }
    }

    /// Notes the size of the body of a transaction, its content coding undone.
    func noteDecoded(_ count: Int, hop: Int) {
        withLock { $0.transactions.noteDecoded(count, hop: hop) }
    }

    /// Notes that the content coding of the body of a transaction could not be undone.
    func noteDecodingFailure(_ error: NetworkingError, hop: Int) {
        withLock { $0.transactions.noteDecodingFailure(error, hop: hop) }
    }

    /// Notes what is known of the transactions of a part of this task; see
    /// ``Transactions/note(part:isNew:isOver:)``. False where there are none yet.
    func note(part: Call, isNew: Bool, isOver: Bool) -> Bool {
        let transactions = part.withLock(\.transactions)
        guard !transactions.records.isEmpty else { return false }
        withLock { $0.transactions.note(part: transactions, isNew: isNew, isOver: isOver) }
        return true
    }
}

extension TransactionRecord {
    /// The same with an error that holds no body.
    fileprivate var withoutErrorBody: TransactionRecord {
        var copy = self
        copy.error?.body = nil
        copy.error?.parsedBody = nil
        return copy
    }
}
