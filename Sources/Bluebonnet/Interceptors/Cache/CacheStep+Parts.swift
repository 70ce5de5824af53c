import FoundationEssentials
import HTTPTypes
import NIOCore

/// The part of the step for incomplete responses: it stores parts, and asks the server for what is
/// missing (RFC 9111 §3.3, §3.4).
extension CacheStep {
    /// The bytes that are missing of a response, and the stored ones around them.
    struct Gap: Sendable {
        let range: Range<Int>
        /// The strong entity tag of the version.
        let tag: String
        fileprivate(set) var before: ResponseBody?
        fileprivate(set) var after: ResponseBody?
    }

    /// The bytes that are missing of a stored response, where it pays to ask for them alone; nil
    /// where nothing is missing or stored of what the request wants, or it is not for the cache.
    func opened(_ stored: CacheDecision.Stored, _ lookup: Lookup) async -> Gap? {
        let (cached, record) = (lookup.cached, stored.record)
        guard let parts = stored.parts, let wanted = stored.wanted, let gap = parts.gap(in: wanted), gap != wanted,
            cached.condition == .none, !cached.directives.flags.contains(.noStore), let tag = record.facts.strongTag
        else { return nil }
        var result = Gap(range: gap, tag: tag)
        // Before the request: they may be removed while it is under way.
        if wanted.lowerBound < gap.lowerBound {
            result.before = await cache.body(of: record, parts, wanted.lowerBound..<gap.lowerBound)
            guard result.before != nil else { return nil }
        }
        if gap.upperBound < wanted.upperBound {
            result.after = await cache.body(of: record, parts, gap.upperBound..<wanted.upperBound)
            guard result.after != nil else { return nil }
        }
        return result
    }

    /// Asks the server for what is missing, and makes one response of it and of what is stored; nil
    /// where the server has another version, and the stored parts are removed.
    func filled(
        _ gap: Gap,
        _ stored: CacheDecision.Stored,
        _ lookup: Lookup,
        _ reason: CacheStatus.Forward
    ) async throws -> TransportResponse? {
        var request = lookup.request.tellingCaches(lookup.cached.policy)
        request.headerFields[.range] = "bytes=\(gap.range.lowerBound)-\(gap.range.upperBound - 1)"
        // RFC 9110 §13.1.5: of another version the server sends all.
        request.headerFields[.ifRange] = gap.tag
        let (generation, requestedAt) = (cache.generation, cache.time)
        let received = try await transmit(request, lookup, requestedAt, generation)
        let times = FetchTimes(requestedAt: requestedAt, receivedAt: cache.time, generation: generation)
        guard [206, 304, 416].contains(received.statusCode) else {
            return await settled(received, lookup, reason, times)
        }
        let record = stored.record
        guard received.statusCode == 206, PartDecision.isMissing(gap.range, of: record, received.head) else {
            await received.body.discard()
            for part in stored.parts?.records ?? [] { await cache.attempt { try await $0.remove(part) } }
            return nil
        }
        let head = StorageDecision.updated(record.head, with: received.head, cache.isShared)
        var response = await keepingPart(received, lookup, reason, times)
        let answer = StoredAnswer(record, to: lookup.cached, head: head)
        response.body = response.body.transformed { PartsAround(gap) }
        response.head = answer.head
        response.request = lookup.request
        if answer.head.statusCode != received.statusCode { response.cacheStatus?.forwardStatus = received.statusCode }
        return response
    }

    /// The part that the server has sent, which is stored while its body is read.
    func keepingPart(
        _ received: TransportResponse,
        _ lookup: Lookup,
        _ reason: CacheStatus.Forward,
        _ times: FetchTimes
    ) async -> TransportResponse {
        let decision = await decision(aboutPart: received.head, lookup, times)
        return await keeping(received, lookup, reason, decision, times.generation)
    }

    /// Keeps the bytes that came of a response before the connection failed, and that its error has
    /// (RFC 9111 §3.3).
    func keep(
        _ body: Data,
        of head: ResponseHead,
        after error: NetworkingError,
        _ lookup: Lookup,
        _ times: FetchTimes
    ) async {
        guard PendingRecord.isCut(error) else { return }
        let decision: StorageDecision
        switch head.statusCode {
        case 200 where !lookup.cached.isHead: decision = self.decision(about: head, lookup, times)
        case 206 where !lookup.cached.isHead: decision = await self.decision(aboutPart: head, lookup, times)
        default: return
        }
        guard case .store(let proposed) = decision, proposed.beginning(of: body.count) != nil,
            let record = await hooked(proposed, lookup.context)
        else { return }
        let pending = PendingRecord(record, cache, leads: false, generation: times.generation)
        await pending.write(body)
        await pending.fail(error)
    }

    /// Whether a response that is not a part is stored.
    func decision(about head: ResponseHead, _ lookup: Lookup, _ times: FetchTimes) -> StorageDecision {
        StorageDecision(
            head,
            to: lookup.request,
            lookup.cached,
            requestedAt: times.requestedAt,
            receivedAt: times.receivedAt,
            isShared: cache.isShared
        )
    }

    /// Whether a part is stored. What is stored beside it is updated or removed.
    private func decision(
        aboutPart received: ResponseHead,
        _ lookup: Lookup,
        _ times: FetchTimes
    ) async -> StorageDecision {
        let records = lookup.records.filter { Vary.matches($0, lookup.request) }
        switch PartDecision(received, to: lookup.cached, beside: records, isShared: cache.isShared) {
        case .store(let head, let part):
            let decision = decision(about: head, lookup, times)
            // A range may have been all of it.
            guard case .store(let record) = decision, part.range.count < part.length else { return decision }
            return .store(record.with(part))
        case .confirm(let record, let head):
            let updated = record.updated(head, requestedAt: times.requestedAt, receivedAt: times.receivedAt)
            _ = await keep(record, as: updated, received)
            return .refuse("the whole is stored")
        case .contradiction(let records):
            for record in records { await cache.attempt { try await $0.remove(record) } }
            return .refuse("another length than that of the stored part")
        case .refuse(let reason):
            return .refuse(reason)
        }
    }
}

/// Puts the stored bytes of a response around those that the server has sent.
private final class PartsAround: BodyTransform {
    private var before: ResponseBody.Buffers?
    private var after: ResponseBody.Buffers?
    private var piece: ByteBuffer?
    /// The bytes that the server has still to send.
    private var missing: Int

    init(_ gap: CacheStep.Gap) {
        before = gap.before?.makeBuffers()
        after = gap.after?.makeBuffers()
        missing = gap.range.count
    }

    func push(_ piece: ByteBuffer) {
        self.piece = piece
    }

    func next() async throws(NetworkingError) -> ByteBuffer? {
        if let block = try await before?.next() { return block }
        before = nil
        guard let piece else { return nil }
        self.piece = nil
        missing -= piece.readableBytes
        guard missing >= 0 else { throw Self.otherLength }
        return piece
    }

    func finish() async throws(NetworkingError) {
        guard missing == 0 else { throw Self.otherLength }
    }

    func nextBehindEnd() async throws(NetworkingError) -> ByteBuffer? {
        try await after?.next()
    }

    private static let otherLength = NetworkingError(
        .truncatedResponse,
        "The part of the response that the server has sent is not as long as its Content-Range says."
    )
}
