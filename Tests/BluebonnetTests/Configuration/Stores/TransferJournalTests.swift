import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

struct TransferJournalTests {
    private typealias Writer = TransferJournal.Writer<String>

    private let one = Data("one".utf8)
    private let two = Data("two".utf8)

    // MARK: What is written when

    @Test func `the first change begins to write, and those that come meanwhile wait for the next batch`() {
        var writer = Writer()
        let begins = writer.note(.store(one), of: 1, "a")
        #expect(begins)
        let first = writer.take()
        #expect(first?.changes == [1: .store(one)])
        #expect(first?.waiters.map(\.waiter) == ["a"])
        let others = [writer.note(.store(two), of: 2, "b"), writer.note(.remove, of: 1), writer.wait("all")]
        #expect(others == [false, false, false])
        let second = writer.take()
        #expect(second?.changes == [2: .store(two), 1: .remove])
        #expect(second?.waiters.map(\.identifier) == [2, nil])
        let last = writer.take()
        #expect(last == nil)
        let beginsAgain = writer.note(.remove, of: 2)
        #expect(beginsAgain)
    }

    @Test func `of two changes of one transfer only the last is written`() {
        var writer = Writer()
        _ = writer.note(.store(one), of: 1)
        _ = writer.note(.store(two), of: 1)
        #expect(writer.take()?.changes == [1: .store(two)])
    }

    @Test func `a removal that failed is tried again with the next change, and not before`() {
        var writer = Writer()
        _ = writer.note(.remove, of: 1)
        _ = writer.note(.remove, of: 2)
        _ = writer.take()
        writer.retry(removing: [1, 2])
        let none = writer.take()
        #expect(none == nil)
        _ = writer.note(.store(one), of: 2)
        #expect(writer.take()?.changes == [1: .remove, 2: .store(one)])
    }

    // MARK: With a store

    /// A journal, and the session that has it.
    private func taken(_ store: MemoryTransferStore) throws -> (TransferJournal, TransferJournal.Owner) {
        let journal = try TransferJournal(store)
        return (journal, try #require(journal.take()?.owner))
    }

    private func store(
        _ data: Data,
        of identifier: Int,
        in journal: TransferJournal,
        by owner: TransferJournal.Owner
    ) async -> NetworkingError? {
        await withCheckedContinuation { continuation in
            journal.change(.store(data), of: identifier, by: owner) { continuation.resume(returning: $0) }
        }
    }

    @Test func `what was stored is there when the journal is opened again`() async throws {
        let store = MemoryTransferStore()
        let (journal, owner) = try taken(store)
        #expect(await self.store(one, of: 1, in: journal, by: owner) == nil)
        #expect(await self.store(two, of: 7, in: journal, by: owner) == nil)
        journal.change(.remove, of: 1, by: owner)
        await journal.synchronize()
        #expect(try TransferJournal(store).take()?.transfers == [7: two])
    }

    @Test func `many changes at once take few steps`() async throws {
        let store = MemoryTransferStore()
        let (journal, owner) = try taken(store)
        // While the thread is in its first step, all others come.
        let gate = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        store.refuse { _, _ in
            if isFirst.withLock({
                let first = $0; $0 = false; return first
            }) {
                gate.wait()
            }
            return false
        }
        for identifier in 1...500 { journal.change(.store(one), of: identifier, by: owner) }
        gate.signal()
        await journal.synchronize()
        #expect(store.identifiers == Array(1...500))
        #expect(store.updates <= 3)
    }

    @Test func `one transfer that cannot be stored does not fail the others`() async throws {
        let store = MemoryTransferStore()
        let (journal, owner) = try taken(store)
        store.refuse { transfers, _ in transfers.contains { $0.identifier == 2 } }
        let failures = Mutex<[Int: NetworkingError.Code?]>([:])
        for identifier in 1...3 {
            journal.change(.store(one), of: identifier, by: owner) { error in
                failures.withLock { $0[identifier] = .some(error?.code) }
            }
        }
        await journal.synchronize()
        try await until("all were told") { failures.withLock { $0.count } == 3 }
        #expect(failures.withLock { $0 } == [1: nil, 2: .storeFailed, 3: nil])
        #expect(store.identifiers == [1, 3])
    }

    @Test func `a removal that the disk refused happens later`() async throws {
        let store = MemoryTransferStore()
        let (journal, owner) = try taken(store)
        _ = await self.store(one, of: 1, in: journal, by: owner)
        store.refuse { _, removed in !removed.isEmpty }
        journal.change(.remove, of: 1, by: owner)
        await journal.synchronize()
        #expect(store.identifiers == [1])
        store.refuse { _, _ in false }
        _ = await self.store(two, of: 2, in: journal, by: owner)
        #expect(store.identifiers == [2])
    }

    @Test func `who gave the journal back changes nothing in it`() async throws {
        let store = MemoryTransferStore()
        let (journal, old) = try taken(store)
        #expect(journal.take()?.owner == nil)
        #expect(await self.store(one, of: 1, in: journal, by: old) == nil)
        journal.giveBack(old)
        #expect(await self.store(two, of: 1, in: journal, by: old)?.code == .storeInUse)
        let next = try #require(journal.take())
        #expect(next.transfers == [1: one])
        // The end of the old one is told twice.
        journal.giveBack(old)
        #expect(await self.store(two, of: 1, in: journal, by: next.owner) == nil)
        journal.change(.remove, of: 1, by: old)
        await journal.synchronize()
        #expect(store.identifiers == [1])
    }

    @Test func `a store that cannot be read is an error at once`() {
        struct Broken: TransferStore {
            func transfers() throws -> [StoredTransfer] { throw MemoryTransferStore.Full() }
            func update(storing transfers: [StoredTransfer], removing identifiers: Set<Int>) throws {}
        }
        #expect(throws: NetworkingError(.storeFailed, "")) { try TransferJournal(Broken()) }
    }
}
