import FoundationEssentials
import Synchronization

/// The journal of the downloads and uploads of a session, which outlive the process with it: see
/// ``SessionConfiguration/transferJournal``.
///
/// It belongs to one session at a time, and to the next one when that has ended. The store is held
/// as long as the journal is: by sessions, and by configurations.
///
/// Counterpart of what a background session of NSURLSession keeps
/// (`backgroundSessionConfigurationWithIdentifier:`).
public final class TransferJournal: Sendable {
    private typealias Waiter = @Sendable (NetworkingError?) -> Void

    private struct State {
        /// All transfers as they are now, also those that the disk does not have yet.
        var transfers: [Int: Data]
        var writer = Writer<Waiter>()
        var owner: Owner?
        var lastOwner = Owner(number: 0)
    }

    /// Which of the sessions that had the journal, one after the other.
    struct Owner: Sendable, Hashable {
        fileprivate var number: Int
    }

    private let store: any TransferStore
    private let state: Mutex<State>

    /// Opens a journal, and reads it. Blocks for some milliseconds.
    ///
    /// - Parameter store: The store; nothing else may write to it.
    /// - Throws: ``NetworkingError/Code/storeFailed`` when it cannot be read.
    public init(_ store: any TransferStore) throws(NetworkingError) {
        self.store = store
        do {
            let transfers = try store.transfers().map { ($0.identifier, $0.data) }
            state = Mutex(State(transfers: Dictionary(transfers) { $1 }))
        } catch {
            throw Self.failure(error, "The stored transfers cannot be read")
        }
    }

    private static func failure(_ error: any Error, _ sentence: String) -> NetworkingError {
        error as? NetworkingError ?? NetworkingError(.storeFailed, "\(sentence): \(error)", underlying: error)
    }

    // MARK: Its session

    /// Takes the journal for a session.
    ///
    /// - Returns: What the session is known by, and the transfers; nil when another session has it.
    func take() -> (owner: Owner, transfers: [Int: Data])? {
        state.withLock { state in
            guard state.owner == nil else { return nil }
            state.lastOwner.number += 1
            state.owner = state.lastOwner
            return (state.lastOwner, state.transfers)
        }
    }

    /// Lets another session have the journal. The one that had it changes nothing any more.
    func giveBack(_ owner: Owner) {
        state.withLock { if $0.owner == owner { $0.owner = nil } }
    }

    // MARK: Changes

    /// Changes a transfer soon. A removal that fails is tried again with the next change.
    ///
    /// - Parameters:
    ///   - change: Its new data, or that it is removed.
    ///   - identifier: The transfer.
    ///   - owner: The session. Nothing is changed when it is not the one that has the journal.
    ///   - whenWritten: Called when the disk has it, or with the error, on a thread that may block;
    ///     with ``NetworkingError/Code/storeInUse`` at once when nothing is changed.
    func change(
        _ change: Change,
        of identifier: Int,
        by owner: Owner,
        whenWritten: (@Sendable (NetworkingError?) -> Void)? = nil
    ) {
        let starts = state.withLock { state -> Bool? in
            guard state.owner == owner else { return nil }
            switch change {
            case .store(let data): state.transfers[identifier] = data
            case .remove: state.transfers[identifier] = nil
            }
            return state.writer.note(change, of: identifier, whenWritten)
        }
        guard let starts else {
            whenWritten?(NetworkingError(.storeInUse, "The session of this transfer has ended."))
            return
        }
        if starts { startWriting() }
    }

    /// Returns when all changes so far have been written, or could not be.
    func synchronize() async {
        await withCheckedContinuation { continuation in
            if state.withLock({ $0.writer.wait { _ in continuation.resume() } }) { startWriting() }
        }
    }

    // MARK: The disk

    /// Holds the journal, and with it the store, until all is written.
    private func startWriting() {
        BlockingThreads.files.submit { [self] unavailable in
            while let batch = state.withLock({ $0.writer.take() }) { write(batch, unavailable) }
        }
    }

    private func write(_ batch: Writer<Waiter>.Batch, _ unavailable: BlockingThreads.Unavailable?) {
        let failures = failures(of: batch.changes, unavailable)
        let unremoved = failures.keys.filter { batch.changes[$0] == .remove }
        if !unremoved.isEmpty { state.withLock { $0.writer.retry(removing: unremoved) } }
        for (identifier, waiter) in batch.waiters { waiter(identifier.flatMap { failures[$0] }) }
    }

    /// Writes changes.
    ///
    /// - Returns: The errors of those that could not be written.
    private func failures(
        of changes: [Int: Change],
        _ unavailable: BlockingThreads.Unavailable?
    ) -> [Int: NetworkingError] {
        do {
            if let unavailable { throw unavailable }
            try update(changes)
            return [:]
        } catch {
            guard unavailable == nil, changes.count > 1 else {
                return changes.mapValues { _ in Self.failure(error, "The transfer cannot be stored") }
            }
            // One that cannot be stored must not be the end of the others.
            return changes.reduce(into: [:]) { failures, change in
                failures.merge(self.failures(of: [change.key: change.value], nil)) { $1 }
            }
        }
    }

    private func update(_ changes: [Int: Change]) throws {
        guard !changes.isEmpty else { return }
        var stored: [StoredTransfer] = []
        var removed: Set<Int> = []
        for (identifier, change) in changes {
            switch change {
            case .store(let data): stored.append(StoredTransfer(identifier: identifier, data: data))
            case .remove: removed.insert(identifier)
            }
        }
        try store.update(storing: stored, removing: removed)
    }
}
