import FoundationEssentials
import Synchronization

/// The transfers of a session with a journal: those of an earlier session, which it gives back, and
/// how many are not over.
final class SessionTransfers: Sendable {
    private struct State {
        /// Those of an earlier session whose results nobody has taken.
        var restored: [Int: any SessionTask] = [:]
        /// Those that are not over.
        var open: Set<Int> = []
        var whenClosed: [@Sendable () -> Void] = []
        /// Those under way, which have files.
        var running: Set<Int> = []
        var whenIdle: [@Sendable () -> Void] = []
        var hasEnded = false
    }

    let journal: TransferJournal
    /// Why the session cannot use the journal.
    let fault: NetworkingError?
    /// The largest identifier of an earlier transfer.
    let lastIdentifier: Int
    private let records: [Int: TransferRecord]
    private let didFinish: (@Sendable () -> Void)?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - configuration: The configuration, whose journal it has; nil without one.
    ///   - didFinish: Called each time that the last transfer is over.
    init?(_ configuration: SessionConfiguration, whenFinished didFinish: (@Sendable () -> Void)? = nil) {
        guard let journal = configuration.transferJournal else { return nil }
        self.journal = journal
        self.didFinish = didFinish
        let stored = journal.take()
        fault =
            stored == nil
            ? NetworkingError(
                .storeInUse,
                "Another session of this process has the journal of transfers: make one session of a configuration,"
                    + " and end it before the next one."
            ) : nil
        records = (stored ?? [:]).compactMapValues { TransferRecord($0) }
        lastIdentifier = stored?.keys.max() ?? 0
    }

    /// Notes a new transfer. The record is made only where it can be stored.
    func made(
        _ identifier: Int,
        _ record: () throws(NetworkingError) -> TransferRecord?
    ) -> JournaledTransfer? {
        do throws(NetworkingError) {
            guard let record = try record() else { return nil }
            return JournaledTransfer(identifier, .success(record), in: self)
        } catch {
            return JournaledTransfer(identifier, .failure(error), in: self)
        }
    }

    // MARK: Earlier transfers

    /// Makes the tasks of an earlier session again, once, and keeps them.
    func restore(_ makeTask: (JournaledTransfer, TransferRecord) -> (any SessionTask)?) {
        for (identifier, record) in records.sorted(by: { $0.key < $1.key }) {
            guard let task = makeTask(JournaledTransfer(restoring: identifier, record, in: self), record) else {
                continue
            }
            state.withLock { state in
                state.restored[identifier] = task
                state.open.insert(identifier)
            }
        }
    }

    var restored: [any SessionTask] {
        state.withLock { Array($0.restored.values) }.sorted { $0.identifier < $1.identifier }
    }

    /// Begins the tasks that had been started before.
    func resumeRestored() {
        for task in restored where records[task.identifier]?.isStarted ?? false { task.resume() }
    }

    /// Keeps a task no longer.
    func release(_ identifier: Int) {
        // Its end may call code of the user's, so not under the lock.
        let task = state.withLock { $0.restored.removeValue(forKey: identifier) }
        _ = task
    }

    // MARK: The end of the last one

    /// Whether its session has given them up.
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    func opened(_ identifier: Int) {
        state.withLock { _ = $0.open.insert(identifier) }
    }

    func started(_ identifier: Int) {
        state.withLock { _ = $0.running.insert(identifier) }
    }

    func closed(_ identifier: Int) {
        let listeners = state.withLock { state -> [@Sendable () -> Void] in
            var listeners: [@Sendable () -> Void] = []
            if state.running.remove(identifier) != nil, state.running.isEmpty {
                listeners += state.whenIdle
                state.whenIdle = []
            }
            guard state.open.remove(identifier) != nil, state.open.isEmpty else { return listeners }
            defer { state.whenClosed = [] }
            return listeners + state.whenClosed + (state.hasEnded ? [] : [didFinish].compactMap(\.self))
        }
        for listener in listeners { listener() }
    }

    /// Returns when no transfer is under way, so that another session can have their files.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.running.isEmpty { state.whenIdle.append { continuation.resume() } }
                return state.running.isEmpty
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Calls the closure once, when no transfer is open; at once if none is.
    func whenClosed(_ body: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.open.isEmpty { state.whenClosed.append(body) }
            return state.open.isEmpty
        }
        if isClosed { body() }
    }

    /// Gives the transfers up, for the next session. Does nothing a second time.
    func end() {
        let (isFirst, tasks, listeners) = state.withLock { state in
            defer {
                state.hasEnded = true
                state.restored = [:]
                state.whenClosed = []
            }
            return (!state.hasEnded, state.restored, state.whenClosed)
        }
        _ = tasks
        for listener in listeners { listener() }
        if isFirst, fault == nil { journal.giveBack() }
    }
}

extension SessionCore {
    /// Makes the tasks of an earlier session again.
    func restoreTransfers() {
        guard let transfers else { return }
        transfers.restore { transfer, record in
            guard let request = record.request.request else { return nil }
            guard let download = record.download else {
                let task = UploadTask<Data>(request, session: self, restoring: transfer) {
                    received throws(NetworkingError) in received.body
                }
                if let priority = record.request.chosenPriority { task.core.call.priority = priority }
                return task
            }
            let task = DownloadTask(request, session: self, download.download(of: request.url, transfer))
            if let priority = record.request.chosenPriority { task.core.call.priority = priority }
            return task
        }
        guard configuration.resumesTransfers else { return }
        transfers.resumeRestored()
    }
}
