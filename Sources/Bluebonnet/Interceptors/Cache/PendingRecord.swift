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
    /// That of the cache when the request was sent.
    private let generation: UInt64
    private let state = Mutex(State())

    init(_ record: CacheRecord, _ cache: HTTPCache, leads: Bool, generation: UInt64) {
        self.record = record
        self.cache = cache
        self.leads = leads
        self.generation = generation
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
            return await finish(record)
        }
        guard isCurrent, memory.store(record, body) else {
            end(.notStored)
            return false
        }
        return await settle(record)
    }

    /// Ends the storing of a response that the store has.
    @discardableResult
    private func settle(_ record: CacheRecord) async -> Bool {
        // Invalidated meanwhile: what removed it may have come before it was there.
        guard isCurrent else {
            await cache.attempt { try await $0.remove(record) }
            end(.notStored)
            return false
        }
        guard record.part != nil else {
            end(.stored)
            return true
        }
        let isKept = await cache.join(record) { self.isCurrent }
        // One of those that wait looks whether a part is missing.
        end(isKept ? nil : .notStored)
        return isKept
    }

    /// Whether no unsafe request has made the response outdated since its request was sent (RFC
    /// 9111 §4.4).
    private var isCurrent: Bool { !cache.isInvalidated(record.key, since: generation) }

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

    /// Keeps what has come of a body that the connection cut: the next request asks for the rest
    /// (RFC 9111 §3.3, §3.4).
    func fail(_ error: NetworkingError) async {
        let count = state.withLock(\.count)
        guard count > 0, Self.isCut(error), let part = record.beginning(of: count)
        else { return }
        await finish(record.with(part).complete(byteCount: count, trailers: [:]))
    }

    /// Whether an error says that the connection failed, and not that the task was stopped.
    static func isCut(_ error: NetworkingError) -> Bool {
        [.transport, .timeout, .framing].contains(error.code.family)
    }

    @discardableResult
    private func finish(_ record: CacheRecord) async -> Bool {
        // A body without any byte.
        if record.byteCount == 0 { await write(Data()) }
        let writer = state.withLock { state -> (any CacheBodyWriter)? in
            guard !state.isOver else { return nil }
            // It is not cancelled from here on.
            defer { state.writer = nil }
            return state.writer
        }
        guard let writer, isCurrent else {
            writer?.cancel()
            end(.notStored)
            return false
        }
        do {
            try await writer.finish(record)
        } catch {
            writer.cancel()
            cache.note(error)
            end(.notStored)
            return false
        }
        return await settle(record)
    }

    /// Whether a body has its length. The engine checks it too; a transport of the user's may not.
    private func isWhole(_ count: Int) -> Bool {
        if let part = record.part { return part.count == count }
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

    func fail(_ error: NetworkingError) async {
        await pending?.fail(error)
    }
}

extension CacheRecord {
    /// The part that the first bytes of its body are; nil where they cannot be completed: without a
    /// strong entity tag, without a known length, or of an encoded response.
    func beginning(of count: Int) -> Part? {
        guard facts.status == 200, facts.strongTag != nil, !head.contains(.contentEncoding) else { return nil }
        if let part {
            return count > part.count ? nil : Part(part.lowerBound..<part.lowerBound + count, of: completeByteCount)
        }
        return head.values(for: .contentLength).first.flatMap { Int($0) }.flatMap { Part(0..<count, of: $0) }
    }
}
