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
        /// Whether no further task begins.
        var isEnding = false
        var hasEnded = false
    }

    let journal: TransferJournal
    /// Why the session cannot use the journal.
    let fault: NetworkingError?
    /// The largest identifier of an earlier transfer.
    let lastIdentifier: Int
    /// The number of earlier transfers that this version of the library cannot read.
    let unreadable: Int
    private let owner: TransferJournal.Owner?
    private let didFinish: (@Sendable () -> Void)?
    private let state = Mutex(State())
    /// The earlier transfers, until their tasks are made.
    private let records: Mutex<[Int: TransferRecord]>

    /// - Parameters:
    ///   - configuration: The configuration, whose journal it has; nil without one.
    ///   - didFinish: Called each time that the last transfer is over.
    init?(_ configuration: SessionConfiguration, whenFinished didFinish: (@Sendable () -> Void)? = nil) {
        guard let journal = configuration.transferJournal else { return nil }
        self.journal = journal
        self.didFinish = didFinish
        let taken = journal.take()
        owner = taken?.owner
        fault =
            taken == nil
            ? NetworkingError(
                .storeInUse,
                "Another session of this process has the journal of transfers: make one session of a configuration,"
                    + " and end it before the next one."
            ) : nil
        let stored = taken?.transfers ?? [:]
        let records = stored.compactMapValues { TransferRecord($0) }
        self.records = Mutex(records)
        unreadable = stored.count - records.count
        lastIdentifier = stored.keys.max() ?? 0
    }

    /// Changes a transfer in the journal; ``TransferJournal/change(_:of:by:whenWritten:)``.
    func change(
        _ change: TransferJournal.Change,
        of identifier: Int,
        whenWritten: (@Sendable (NetworkingError?) -> Void)? = nil
    ) {
        guard let owner else {
            whenWritten?(fault)
            return
        }
        journal.change(change, of: identifier, by: owner, whenWritten: whenWritten)
    }

    /// Notes a new transfer. The record is made only where it can be stored; none is when the
    /// session is ending.
    func made(
        _ identifier: Int,
        _ record: () throws(NetworkingError) -> TransferRecord?
    ) -> JournaledTransfer? {
        guard !isEnding else { return nil }
        do throws(NetworkingError) {
            guard let record = try record() else { return nil }
            return JournaledTransfer(identifier, .success(record), in: self)
        } catch {
            return JournaledTransfer(identifier, .failure(error), in: self)
        }
    }

    // MARK: Earlier transfers

    /// Makes the tasks of an earlier session again, once, and keeps them.
    ///
    /// - Returns: Those that had been started before.
    func restore(_ makeTask: (JournaledTransfer, TransferRecord) -> (any SessionTask)?) -> [any SessionTask] {
        let records = records.withLock { records in
            defer { records = [:] }
            return records
        }
        var started: [any SessionTask] = []
        for (identifier, record) in records.sorted(by: { $0.key < $1.key }) {
            guard let task = makeTask(JournaledTransfer(restoring: identifier, record, in: self), record) else {
                continue
            }
            state.withLock { state in
                state.restored[identifier] = task
                state.open.insert(identifier)
            }
            if record.isStarted { started.append(task) }
        }
        return started
    }

    var restored: [any SessionTask] {
        state.withLock { Array($0.restored.values) }.sorted { $0.identifier < $1.identifier }
    }

    /// Keeps a task no longer.
    func release(_ identifier: Int) {
        // Its end may call code of the user's, so not under the lock.
        let task = state.withLock { $0.restored.removeValue(forKey: identifier) }
        _ = task
    }

    // MARK: The end of the last one

    /// Whether its session begins no further task: what has not begun is for the next one.
    var isEnding: Bool { state.withLock(\.isEnding) }

    /// Whether its session has given them up.
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    func opened(_ identifier: Int) {
        state.withLock { _ = $0.open.insert(identifier) }
    }

    func started(_ identifier: Int) {
        state.withLock { _ = $0.running.insert(identifier) }
    }

    /// Notes that a task is over.
    ///
    /// - Parameters:
    ///   - identifier: Its identifier.
    ///   - isLeft: Whether its transfer is for the next session.
    func closed(_ identifier: Int, isLeft: Bool) {
        let listeners = state.withLock { state -> [@Sendable () -> Void] in
            var idle: [@Sendable () -> Void] = []
            if state.running.remove(identifier) != nil, state.running.isEmpty {
                idle = state.whenIdle
                state.whenIdle = []
            }
            // What the end of the session has stopped is not finished.
            guard !(isLeft && state.isEnding), state.open.remove(identifier) != nil, state.open.isEmpty
            else { return idle }
            defer { state.whenClosed = [] }
            // The end of the session is told last.
            return state.whenClosed + [didFinish].compactMap(\.self) + idle
        }
        for listener in listeners { listener() }
    }

    /// Returns when no transfer is under way, so that another session can have their files.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            whenIdle { continuation.resume() }
        }
    }

    /// Calls the closure once, when no transfer is under way; at once if that is so.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if !state.running.isEmpty { state.whenIdle.append(body) }
            return state.running.isEmpty
        }
        if isIdle { body() }
    }

    /// Calls the closure once, when no transfer is open or the session has ended; at once if that
    /// is so.
    func whenClosed(_ body: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            let isClosed = state.open.isEmpty || state.hasEnded
            if !isClosed { state.whenClosed.append(body) }
            return isClosed
        }
        if isClosed { body() }
    }

    /// Notes that no further task begins.
    func beginEnd() {
        state.withLock { $0.isEnding = true }
    }

    /// Gives the transfers up, for the next session. Does nothing a second time.
    func end() {
        let (tasks, listeners) = state.withLock { state in
            defer {
                state.isEnding = true
                state.hasEnded = true
                state.restored = [:]
                state.whenClosed = []
            }
            return (state.restored, state.whenClosed)
        }
        _ = tasks
        for listener in listeners { listener() }
        if let owner { journal.giveBack(owner) }
    }
}

extension SessionCore {
    /// Makes the tasks of an earlier session again.
    func restoreTransfers() {
        guard let transfers else { return }
        let started = transfers.restore { transfer, record in
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
        if configuration.resumesTransfers { for task in started { task.resume() } }
    }
}
