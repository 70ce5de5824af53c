import Bluebonnet
import Synchronization

/// A store in memory, which a test can look into, and have fail.
final class MemoryTransferStore: TransferStore {
    struct Full: Error {}

    private struct State {
        var transfers: [Int: StoredTransfer] = [:]
        var updates = 0
        /// Whether a change is refused.
        var refuses: @Sendable ([StoredTransfer], Set<Int>) -> Bool = { _, _ in false }
    }

    private let state = Mutex(State())

    var identifiers: [Int] { state.withLock { $0.transfers.keys.sorted() } }

    /// The number of steps so far, also of those that were refused.
    var updates: Int { state.withLock { $0.updates } }

    func refuse(_ refuses: @escaping @Sendable ([StoredTransfer], Set<Int>) -> Bool) {
        state.withLock { $0.refuses = refuses }
    }

    func transfers() throws -> [StoredTransfer] { state.withLock { Array($0.transfers.values) } }

    func update(storing transfers: [StoredTransfer], removing identifiers: Set<Int>) throws {
        try state.withLock { state in
            state.updates += 1
            guard !state.refuses(transfers, identifiers) else { throw Full() }
            for transfer in transfers { state.transfers[transfer.identifier] = transfer }
            for identifier in identifiers { state.transfers[identifier] = nil }
        }
    }
}

extension SessionConfiguration {
    /// A configuration with a new journal of a store.
    init(journalIn store: MemoryTransferStore) throws {
        self.init()
        transferJournal = try TransferJournal(store)
    }
}
