import NIOCore
import Synchronization

/// A transaction that somebody observes, from before it is sent to its end, of which it tells once.
///
/// Whoever sends it ends it, by its last record. Where its body is decoded, it ends when that is
/// done, or has failed. One that is released before, because its task ended while it waited to be
/// sent again, or because nobody reads its body, is ended then.
final class ObservedTransaction: Sendable {
    private struct State {
        var record: TransactionRecord?
        /// Whether who sends it has ended it.
        var isTransferred = false
        var awaitsDecoding = false
        var hasEnded = false
    }

    /// The request with what the observers have added.
    let request: Request
    /// Its number in the call, from 1.
    let hop: Int
    private let call: Call
    private let endings: [Ending]
    private let startedAt = NIODeadline.now()
    private let state = Mutex(State())

    /// What an observer wants to be called. An array of the functions themselves would allocate
    /// another one around each of them.
    fileprivate struct Ending {
        let tell: TransactionEnding
    }

    fileprivate init(_ request: Request, _ call: Call, hop: Int, endings: [Ending]) {
        self.request = request
        self.call = call
        self.hop = hop
        self.endings = endings
    }

    deinit {
        tell()
    }

    /// Notes the last record, which ``end()`` gives to the observers.
    func note(_ record: TransactionRecord) {
        state.withLock { $0.record = record }
    }

    /// Ends the transfer, and tells the observers unless the body is still to be decoded. Not under
    /// a lock: this is code of the user's.
    func end() {
        let waits = state.withLock { state in
            state.isTransferred = true
            return state.awaitsDecoding && state.record?.error == nil
        }
        if !waits { tell() }
    }

    /// Has the end wait for ``endDecoding()``.
    func awaitDecoding() {
        state.withLock { $0.awaitsDecoding = true }
    }

    /// Ends the decoding of the body, of which the call has noted what came of it. One that has
    /// failed ends the transaction, whatever is still to come.
    func endDecoding() {
        let known = call.withLock { $0.transactions.record(ofHop: hop) }
        let isOver = state.withLock { state in
            state.awaitsDecoding = false
            if let known, !state.hasEnded { state.record = known }
            return state.isTransferred || known?.error != nil
        }
        if isOver { tell() }
    }

    private func tell() {
        let last = state.withLock { state -> TransactionRecord? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state.record ?? TransactionRecord(hop: hop, sent: SentRequest(request), startedAt: startedAt)
        }
        guard var record = last else { return }
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
        for ending in endings { ending.tell(metrics) }
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
        var endings: [ObservedTransaction.Ending] = []
        endings.reserveCapacity(settings.transactionObservers.count)
        var transaction = OutgoingTransaction(
            request: request,
            taskIdentifier: identifier,
            number: hop - 1,
            circumstances: nil,
            origin: origin
        )
        for (index, observer) in settings.transactionObservers.enumerated() {
            transaction.circumstances = circumstances.isEmpty ? nil : circumstances[index]
            if let ending = observer.willSend(&transaction) { endings.append(.init(tell: ending)) }
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
