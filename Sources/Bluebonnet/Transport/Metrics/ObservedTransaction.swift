import NIOCore

/// A transaction that somebody observes, from before it is sent to its end, of which it tells once.
///
/// Whoever sends it ends it, by its last record. One that is released before, because its task
/// ended while it waited to be sent again, is ended then.
///
/// Unchecked, but safe: `record` is set once, by the code that has taken the transaction out of its
/// exchange under the lock of the call, before it ends it on the same thread.
final class ObservedTransaction: @unchecked Sendable {
    /// The request with what the observers have added.
    let request: Request
    /// Its number in the call, from 1.
    let hop: Int
    private let call: Call
    private let endings: [TransactionEnding]
    private let startedAt = NIODeadline.now()
    private var record: TransactionRecord?
    private var hasEnded = false

    fileprivate init(_ request: Request, _ call: Call, hop: Int, endings: [TransactionEnding]) {
        self.request = request
        self.call = call
        self.hop = hop
        self.endings = endings
    }

    deinit {
        end()
    }

    /// Notes the last record, which ``end()`` gives to the observers.
    func note(_ record: TransactionRecord) {
        self.record = record
    }

    /// Tells the observers that it is over. Not under a lock: this is code of the user's.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        var record = record ?? TransactionRecord(hop: hop, sent: SentRequest(request), startedAt: startedAt)
        if record.endedAt == nil { record.endedAt = .now() }
        if record.error == nil, record.head == nil {
            record.error = call.error ?? NetworkingError(.cancelled, "The request was cancelled.", request: request)
        }
        let metrics = TransactionMetrics(
            record,
            number: hop - 1,
            taskStart: call.started.instant ?? record.startedAt,
            dayOffset: DayClock.offset(at: record.endedAt ?? startedAt)
        )
        for ending in endings { ending(metrics) }
    }

    /// Tells the observers that it ended with an error before anything was sent.
    func fail(_ error: NetworkingError) {
        var record = TransactionRecord(hop: hop, sent: SentRequest(request), startedAt: startedAt)
        record.error = error
        note(record)
        end()
    }
}

extension Call {
    /// The circumstances of its making, one element for each of the session's observers of
    /// transactions; empty where there is none.
    typealias Circumstances = [(any Sendable)?]

    /// Has the observers see a request that is about to be sent, and add header fields to it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origin: The server, where it is known.
    ///   - hop: The number of the transaction in the call, from 1.
    /// - Returns: The transaction; nil when nobody wants to know of its end.
    @inline(never)
    func observe(_ request: inout Request, to origin: Origin?, hop: Int) -> ObservedTransaction? {
        var endings: [TransactionEnding] = []
        var transaction = OutgoingTransaction(
            request: request,
            taskIdentifier: identifier,
            number: hop - 1,
            circumstances: nil,
            origin: origin
        )
        for (index, observer) in settings.transactionObservers.enumerated() {
            transaction.circumstances = circumstances.isEmpty ? nil : circumstances[index]
            if let ending = observer.willSend(&transaction) { endings.append(ending) }
        }
        request = transaction.request
        return endings.isEmpty ? nil : ObservedTransaction(request, self, hop: hop, endings: endings)
    }
}

extension SessionSettings {
    /// The circumstances in which a task is made now.
    @inline(never)
    func circumstances(of request: Request) -> Call.Circumstances {
        var all: Call.Circumstances = []
        for (index, observer) in transactionObservers.enumerated() {
            guard let circumstances = observer.circumstances(of: request) else { continue }
            if all.isEmpty { all = Array(repeating: nil, count: transactionObservers.count) }
            all[index] = circumstances
        }
        return all
    }
}
