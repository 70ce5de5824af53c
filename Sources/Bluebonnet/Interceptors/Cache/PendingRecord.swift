import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// A response that is stored when its body has come to its end: not one that failed, that its
/// reader gave up, or that is too large. The reader gets the bytes whatever becomes of the store.
final class PendingRecord: Sendable {
    private struct State {
        var writer: (any CacheBodyWriter)?
        var count = 0
        var isTaken = false
        var isOver = false
        var trailers: @Sendable () -> HTTPFields = { [:] }
    }

    private let record: CacheRecord
    private let cache: HTTPCache
    /// Whether other tasks wait for it.
    private let leads: Bool
    private let state = Mutex(State())

    init(_ record: CacheRecord, _ cache: HTTPCache, leads: Bool) {
        self.record = record
        self.cache = cache
        self.leads = leads
    }

    deinit {
        // Nobody has read the body to its end: one of those that wait sends the request again.
        end(nil)
    }

    /// Finds the trailer fields, when the body has come to its end.
    var trailers: @Sendable () -> HTTPFields {
        get { state.withLock(\.trailers) }
        set { state.withLock { $0.trailers = newValue } }
    }

    /// Begins the reading; false for a further one, which stores nothing.
    func take() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    /// Stores a body that is here as a whole.
    func store(_ body: ResponseBody) async -> Bool {
        guard let data = try? body.whole(upTo: cache.store.bodyLimit), isWhole(data.count) else {
            end(.notStored)
            return false
        }
        let record = record.complete(byteCount: data.count, trailers: body.trailers)
        guard let memory = cache.memory else {
            await write(data)
            await finish(record)
            return true
        }
        let isStored = memory.store(record, body)
        end(isStored ? .stored : .notStored)
        return isStored
    }

    /// Takes a copy of the next piece.
    func write(_ piece: Data) async {
        let (count, isOver) = state.withLock { state in
            state.count += piece.count
            return (state.count, state.isOver)
        }
        guard !isOver else { return }
        guard count <= cache.store.bodyLimit else { return end(.notStored) }
        do {
            let known = state.withLock(\.writer)
            let writer = if let known { known } else { try await cache.store.writer(for: record) }
            if known == nil { state.withLock { $0.writer = writer } }
            try await writer.write(piece)
        } catch {
            cache.note(error)
            end(.notStored)
        }
    }

    /// Stores the response: its body is complete.
    func finish() async {
        let (count, trailers) = state.withLock { ($0.count, $0.trailers) }
        guard isWhole(count) else { return end(.notStored) }
        await finish(record.complete(byteCount: count, trailers: trailers()))
    }

    private func finish(_ record: CacheRecord) async {
        // A body without any byte.
        if record.byteCount == 0 { await write(Data()) }
        let writer = state.withLock { state -> (any CacheBodyWriter)? in
            guard !state.isOver else { return nil }
            // It is not cancelled from here on.
            defer { state.writer = nil }
            return state.writer
        }
        guard let writer else { return end(.notStored) }
        do {
            try await writer.finish(record)
            end(.stored)
        } catch {
            writer.cancel()
            cache.note(error)
            end(.notStored)
        }
    }

    /// Whether a body has its length. The engine checks it too; a transport of the user's may not.
    private func isWhole(_ count: Int) -> Bool {
        guard let length = record.head.values(for: .contentLength).first else { return true }
        return Int(length) == count
    }

    private func end(_ outcome: HTTPCache.FetchOutcome?) {
        let (isFirst, writer) = state.withLock { state in
            defer { (state.isOver, state.writer) = (true, nil) }
            return (!state.isOver, state.writer)
        }
        writer?.cancel()
        guard isFirst else { return }
        if case .stored = outcome { cache.note(record.key, isStored: true) }
        if case .notStored = outcome { cache.note(record.key, isStored: false) }
        if leads { cache.fetches.end(record.key, with: outcome) }
    }
}

/// Gives the bytes of a body to its reader and to the cache.
final class CacheTee: BodyTransform {
    /// Nil for a second reading of the body.
    private let pending: PendingRecord?
    private var piece: ByteBuffer?

    init(_ pending: PendingRecord) {
        self.pending = pending.take() ? pending : nil
    }

    func push(_ piece: ByteBuffer) {
        self.piece = piece
    }

    func next() async throws(NetworkingError) -> ByteBuffer? {
        guard let piece else { return nil }
        self.piece = nil
        // A copy, because the reader may write into the piece.
        await pending?.write(Data(piece.readableBytesView))
        return piece
    }

    func finish() async throws(NetworkingError) {
        await pending?.finish()
    }
}
