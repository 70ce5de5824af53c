import Bluebonnet
import Dispatch
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

    /// The record of a transfer, as text.
    func text(of identifier: Int) -> String? { state.withLock { $0.transfers[identifier]?.text } }

    /// The number of steps so far, also of those that were refused.
    var updates: Int { state.withLock { $0.updates } }

    func refuse(_ refuses: @escaping @Sendable ([StoredTransfer], Set<Int>) -> Bool) {
        state.withLock { $0.refuses = refuses }
    }

    /// Has the step that stores a result wait until somebody lets it go on.
    func holdResult() -> HeldStep {
        let step = HeldStep()
        refuse { transfers, _ in
            if transfers.contains(where: \.hasResult) { step.hold() }
            return false
        }
        return step
    }

    /// Refuses every step that would note an end, as if the process ended before it.
    func refuseEnds() {
        refuse { transfers, removed in !removed.isEmpty || transfers.contains(where: \.hasResult) }
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

extension StoredTransfer {
    /// The record, as text.
    var text: String { String(decoding: data, as: UTF8.self) }

    var hasResult: Bool { text.contains("\"result\"") }
}

/// A step of a store that waits for a test.
final class HeldStep: Sendable {
    private let held = Atomic(false)
    private let gate = DispatchSemaphore(value: 0)

    var isHeld: Bool { held.load(ordering: .acquiring) }

    /// Blocks.
    func hold() {
        held.store(true, ordering: .releasing)
        gate.wait()
        gate.signal()
    }

    func release() {
        gate.signal()
    }
}

/// Runs the body with a session of a new journal, and ends the session.
@discardableResult
func withJournal<Result>(
    in store: MemoryTransferStore,
    _ change: (inout SessionConfiguration) -> Void = { _ in },
    _ body: (SessionManager) async throws -> Result
) async throws -> Result {
    var configuration = try SessionConfiguration(journalIn: store)
    change(&configuration)
    return try await withSession(configuration, body)
}

extension SessionConfiguration {
    /// A configuration with a new journal of a store.
    init(journalIn store: MemoryTransferStore) throws {
        self.init()
        transferJournal = try TransferJournal(store)
    }
}
