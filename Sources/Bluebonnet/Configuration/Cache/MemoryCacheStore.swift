import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// A store of responses in the memory of the process, which end with it. The responses that were
/// not used for the longest time make room for new ones.
///
/// What is used is not copied: the body of a hit is the stored one.
///
/// Counterpart of the memory of `NSURLCache`.
public final class MemoryCacheStore: CacheStore {
    /// The default of the capacity: 20 MiB.
    public static let defaultCapacity = 20 << 20

    struct Entry: Sendable {
        var record: CacheRecord
        var body: ResponseBody.Storage
        fileprivate var cost: Int
        fileprivate var fingerprint: CacheFingerprint
        /// In front of another store: the mark that it was found at, and the second since 1970.
        var mark: UInt64 = 0
        var keptAt = 0
        /// Its neighbours in the order of use, by identifier; nil at the ends.
        fileprivate var newer: UInt64?
        fileprivate var older: UInt64?
    }

    /// What is stored for a fingerprint.
    enum AtOnce {
        case none
        case one(Entry)
        case several
    }

    fileprivate struct State {
        var entries: [UInt64: Entry] = [:]
        /// The responses of each key, the newest last.
        var keys: [String: [UInt64]] = [:]
        /// The number of responses of each fingerprint, and the newest of them.
        var fingerprints: [CacheFingerprint: (count: Int, newest: UInt64)] = [:]
        var newest: UInt64?
        var oldest: UInt64?
        var cost = 0
        /// The bytes of the bodies that are being written.
        var pending = 0
    }

    /// The bytes that the responses take at most, heads and those that are being received included.
    public let capacity: Int

    /// The largest body: a quarter of the capacity.
    public var bodyLimit: Int { capacity / 4 }

    private let state = Mutex(State())

    /// Makes a store.
    ///
    /// - Parameter capacity: The bytes that the responses take at most. Default: 20 MiB.
    public init(capacity: Int = MemoryCacheStore.defaultCapacity) {
        self.capacity = max(0, capacity)
    }

    /// The bytes that the responses take now.
    public var byteCount: Int { state.withLock(\.cost) }

    /// The responses of a key.
    public func records(for key: String) -> [CacheRecord] {
        state.withLock { state in
            (state.keys[key] ?? []).compactMap { state.entries[$0]?.record }
        }
    }

    /// The body of a response.
    public func body(of record: CacheRecord, range: Range<Int>?) -> ResponseBody? {
        let body = state.withLock { state -> ResponseBody.Storage? in
            guard let entry = state.entries[record.identifier] else { return nil }
            state.markUsed(record.identifier)
            return entry.body
        }
        guard let body else { return nil }
        guard let range else { return ResponseBody(body) }
        switch body {
        case .whole(let buffer, _), .large(let buffer, _, _):
            let range = range.clamped(to: 0..<buffer.readableBytes)
            // A copy: the reader of a part may write into it.
            return .data(Data(buffer.readableBytesView.dropFirst(range.lowerBound).prefix(range.count)))
        case .stream, .sequence: return nil
        }
    }

    /// What is stored for a fingerprint; a single response is then the one that was used last.
    func atOnce(_ fingerprint: CacheFingerprint) -> AtOnce {
        state.withLock { state in
            guard !state.fingerprints.isEmpty, let known = state.fingerprints[fingerprint] else { return .none }
            guard known.count == 1, let entry = state.entries[known.newest] else { return .several }
            state.markUsed(known.newest)
            return .one(entry)
        }
    }

    /// Begins to store a response.
    public func writer(for record: CacheRecord) -> any CacheBodyWriter {
        Writer(self)
    }

    /// Replaces a record.
    public func update(_ record: CacheRecord) {
        state.withLock { state in
            guard var entry = state.entries[record.identifier] else { return }
            let cost = entry.cost - entry.record.headCost + record.headCost
            state.cost += cost - entry.cost
            (entry.record, entry.cost) = (record, cost)
            state.entries[record.identifier] = entry
            state.makeRoom(capacity)
        }
    }

    /// Removes one response.
    public func remove(_ record: CacheRecord) {
        state.withLock { $0.remove(record.identifier) }
    }

    /// Removes the responses of a key.
    public func removeAll(for key: String) {
        state.withLock { state in
            for identifier in state.keys[key] ?? [] { state.remove(identifier) }
        }
    }

    /// Removes all responses.
    public func removeAll() {
        // The memory is given back outside the lock.
        let old = state.withLock { state in
            defer { state = State(pending: state.pending) }
            return state.entries
        }
        withExtendedLifetime(old) {}
    }

    /// All responses, those first that were used last.
    public func allRecords() -> [CacheRecord] {
        state.withLock { state in
            var records: [CacheRecord] = []
            var next = state.newest
            while let identifier = next, let entry = state.entries[identifier] {
                records.append(entry.record)
                next = entry.older
            }
            return records
        }
    }

    /// Stores a response whose body is here as a whole; false where it is too large.
    @discardableResult
    func store(_ record: CacheRecord, _ body: ResponseBody, mark: UInt64 = 0, at keptAt: Int = 0) -> Bool {
        let (storage, size) = Self.kept(body.storage)
        guard let storage, size <= bodyLimit else { return false }
        let entry = Entry(
            record: record,
            body: storage,
            cost: size + record.headCost,
            fingerprint: CacheFingerprint(record.key),
            mark: mark,
            keptAt: keptAt
        )
        guard entry.cost <= capacity else { return false }
        state.withLock { state in
            state.insert(entry)
            state.makeRoom(capacity)
        }
        return true
    }

    /// The form of a body that is kept, and the memory that it takes. A small part of a large
    /// buffer is copied out of it.
    private static func kept(_ body: ResponseBody.Storage) -> (ResponseBody.Storage?, Int) {
        switch body {
        case .large(let buffer, _, _): return (body, buffer.storageCapacity)
        case .whole(let buffer, let trailers):
            let copy = buffer.readableBytes > 0 ? ByteBuffer(bytes: buffer.readableBytesView) : ByteBuffer()
            return (.whole(copy, trailers: trailers), copy.storageCapacity)
        case .stream, .sequence: return (nil, 0)
        }
    }

    /// Makes room for bytes of a body that is being written; false where there is none, because
    /// others are being written.
    private func reserve(_ count: Int) -> Bool {
        state.withLock { state in
            guard count <= capacity - state.pending else { return false }
            state.pending += count
            state.makeRoom(capacity)
            return true
        }
    }

    private func release(_ count: Int) {
        state.withLock { $0.pending -= count }
    }

    /// Collects a body that comes piece by piece. Its bytes count towards the capacity.
    private final class Writer: CacheBodyWriter {
        private let store: MemoryCacheStore
        private let bytes = Mutex(ByteBuffer())

        deinit {
            cancel()
        }

        init(_ store: MemoryCacheStore) {
            self.store = store
        }

        func write(_ piece: Data) throws {
            try bytes.withLock { bytes in
                guard piece.count <= store.bodyLimit - bytes.readableBytes else {
                    throw NetworkingError(.bodyTooLarge, "The response body is too large to be stored in memory.")
                }
                guard store.reserve(piece.count) else {
                    throw NetworkingError(.bodyTooLarge, "The memory for stored responses is full of open ones.")
                }
                bytes.writeBytes(piece)
            }
        }

        func finish(_ record: CacheRecord) {
            let whole = take()
            // A buffer grows by doubling: what is much too large is cut to size.
            let isTight = Data.sharesMemory(of: whole)
            let exact = isTight ? whole : ByteBuffer(bytes: whole.readableBytesView)
            store.store(record, .whole(exact, trailers: record.trailers))
        }

        func cancel() {
            _ = take()
        }

        /// Ends the writing, and gives the room of its bytes back.
        private func take() -> ByteBuffer {
            let whole = bytes.withLock { bytes in
                defer { bytes = ByteBuffer() }
                return bytes
            }
            if whole.readableBytes > 0 { store.release(whole.readableBytes) }
            return whole
        }
    }
}

extension MemoryCacheStore.State {
    fileprivate mutating func insert(_ entry: MemoryCacheStore.Entry) {
        let record = entry.record
        var variants = keys[record.key] ?? []
        // Bounded, so that the look at all of them is.
        for identifier in variants where entries[identifier]?.record.isReplaced(by: record) ?? true {
            remove(identifier)
        }
        variants = keys[record.key] ?? []
        if variants.count >= HTTPCache.mostVariants, let first = variants.first {
            remove(first)
            variants.removeFirst()
        }
        variants.append(record.identifier)
        keys[record.key] = variants
        entries[record.identifier] = entry
        fingerprints[entry.fingerprint] = ((fingerprints[entry.fingerprint]?.count ?? 0) + 1, record.identifier)
        cost += entry.cost
        link(record.identifier)
    }

    fileprivate mutating func remove(_ identifier: UInt64) {
        guard let entry = entries[identifier] else { return }
        unlink(entry)
        entries[identifier] = nil
        if let known = fingerprints[entry.fingerprint] {
            fingerprints[entry.fingerprint] = known.count > 1 ? (known.count - 1, known.newest) : nil
        }
        cost -= entry.cost
        keys[entry.record.key]?.removeAll { $0 == identifier }
        if keys[entry.record.key]?.isEmpty == true { keys[entry.record.key] = nil }
    }

    fileprivate mutating func makeRoom(_ capacity: Int) {
        while cost + pending > capacity, let oldest { remove(oldest) }
    }

    fileprivate mutating func markUsed(_ identifier: UInt64) {
        guard newest != identifier, let entry = entries[identifier] else { return }
        unlink(entry)
        link(identifier)
    }

    private mutating func link(_ identifier: UInt64) {
        if let newest { entries[newest]?.newer = identifier }
        entries[identifier]?.older = newest
        entries[identifier]?.newer = nil
        newest = identifier
        if oldest == nil { oldest = identifier }
    }

    private mutating func unlink(_ entry: MemoryCacheStore.Entry) {
        if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
        if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
    }
}
