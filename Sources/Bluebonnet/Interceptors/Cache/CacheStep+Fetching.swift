import FoundationEssentials
import HTTPTypes

/// The part of the step that sends requests: it confirms what is stored, and stores responses.
extension CacheStep {
    /// Sends the request, and stores the response or confirms what is stored.
    func fetch(
        _ lookup: Lookup,
        _ reason: CacheStatus.Forward,
        _ stored: CacheDecision.Stored?
    ) async throws -> TransportResponse {
        if let stored, let gap = await opened(stored, lookup) {
            if let response = try await filled(gap, stored, lookup, reason) { return response }
            // The parts are of another version, or gone.
            var again = lookup
            let parts = Set((stored.parts?.records ?? []).map(\.identifier))
            again.records.removeAll { parts.contains($0.identifier) }
            return try await fetch(again, reason, nil)
        }
        let cached = lookup.cached
        let generation = cache.generation
        let isPlain = !cached.isHead && cached.range == nil && cached.condition == .none
        let isUsable = isPlain && stored?.isIncomplete == false
        let validated = isUsable && !cached.directives.flags.contains(.noStore) ? stored.flatMap(Self.validated) : nil
        var request = lookup.request.tellingCaches(cached.policy)
        if let facts = validated?.record.facts { request.addValidators(facts) }
        let requestedAt = cache.time
        let received: TransportResponse
        do {
            received = try await transmit(request, lookup, requestedAt, generation)
        } catch {
            guard !Self.isStopped(error), Self.isFailureOfServer(error),
                let response = await hitAfterFailure(stored, lookup)
            else { throw error }
            return response
        }
        let receivedAt = cache.time
        if received.statusCode == 304, let validated {
            if let response = await confirmed(validated, by: received, lookup, reason, requestedAt, receivedAt) {
                return response
            }
            // It is about another response than the stored one, or that is gone.
            await received.body.discard()
            var again = lookup
            again.records.removeAll { $0.identifier == validated.record.identifier }
            return try await fetch(again, reason, nil)
        }
        if CacheDecision.isFailure(received.statusCode), let response = await hitAfterFailure(stored, lookup) {
            if lookup.leads { cache.fetches.end(cached.key, with: .notStored) }
            await received.body.discard()
            return response
        }
        let times = FetchTimes(requestedAt: requestedAt, receivedAt: receivedAt, generation: generation)
        return await settled(received, lookup, reason, times)
    }

    /// The response of the server to a request without conditions of the cache's own, which is
    /// stored, or updates what is stored.
    func settled(
        _ received: TransportResponse,
        _ lookup: Lookup,
        _ reason: CacheStatus.Forward,
        _ times: FetchTimes
    ) async -> TransportResponse {
        let cached = lookup.cached
        if cached.isHead || received.statusCode == 304 {
            if lookup.leads { cache.fetches.end(cached.key, with: .notStored) }
            await freshen(lookup, by: received.head, times.requestedAt, times.receivedAt)
            var response = received
            response.cacheStatus = lookup.forwarded(reason)
            return response
        }
        if received.statusCode == 206 { return await keepingPart(received, lookup, reason, times) }
        let decision = decision(about: received.head, lookup, times)
        return await keeping(received, lookup, reason, decision, times.generation)
    }

    /// Sends a request. Where it fails, those that wait for it go on, and what had come of its
    /// response is kept.
    func transmit(
        _ request: Request,
        _ lookup: Lookup,
        _ requestedAt: Int,
        _ generation: UInt64
    ) async throws -> TransportResponse {
        do {
            return try await lookup.leads ? sendFirst(request, lookup) : lookup.send(request, lookup.context)
        } catch {
            if let error = error as? NetworkingError, let head = error.response, let body = error.body {
                let times = FetchTimes(requestedAt: requestedAt, receivedAt: cache.time, generation: generation)
                await keep(body, of: head, after: error, lookup, times)
            }
            if lookup.leads, !Task.isCancelled {
                cache.fetches.end(lookup.cached.key, with: Self.isStopped(error) ? nil : .notStored)
            }
            throw error
        }
    }

    private static func isStopped(_ error: any Error) -> Bool {
        (error as? NetworkingError)?.code.family == .ended || error is CancellationError
    }

    /// Sends a request that others wait for. When its Swift task is cancelled one of them takes its
    /// place at once: code of the user's may take long to end.
    private func sendFirst(_ request: Request, _ lookup: Lookup) async throws -> TransportResponse {
        let received = try await withTaskCancellationHandler {
            try await lookup.send(request, lookup.context)
        } onCancel: {
            cache.fetches.end(lookup.cached.key, with: nil)
        }
        // Its place is taken: it must not end the work of another one.
        try Task.checkCancellation()
        return received
    }

    private static func validated(_ stored: CacheDecision.Stored) -> CacheDecision.Stored? {
        stored.record.facts.hasValidator ? stored : nil
    }

    /// Whether an error tells that the server could not be reached, or did not answer in HTTP.
    private static func isFailureOfServer(_ error: any Error) -> Bool {
        guard let error = error as? NetworkingError, error.code != .requestTimeout else { return false }
        return [.transport, .timeout, .framing].contains(error.code.family)
    }

    private func hitAfterFailure(_ stored: CacheDecision.Stored?, _ lookup: Lookup) async -> TransportResponse? {
        guard let stored,
            CacheDecision.isUsableAfterFailure(stored, lookup.cached, now: cache.time, isShared: cache.isShared)
        else { return nil }
        return await hit(stored, lookup, detail: "stale-if-error")
    }

    /// The stored response, which a 304 has confirmed (§4.3.4); nil where it is about another one.
    private func confirmed(
        _ stored: CacheDecision.Stored,
        by received: TransportResponse,
        _ lookup: Lookup,
        _ reason: CacheStatus.Forward,
        _ requestedAt: Int,
        _ receivedAt: Int
    ) async -> TransportResponse? {
        let record = stored.record
        let tag = received.head.values(for: .eTag).first
        if let tag, let known = record.facts.entityTag {
            guard StoredFacts.matchesWeakly(tag, known) else { return nil }
        } else if let date = received.head.values(for: .lastModified).first, let known = record.facts.lastModified {
            guard date == known else { return nil }
        }
        let head = StorageDecision.updated(record.head, with: received.head, cache.isShared)
        let updated = record.updated(head, requestedAt: requestedAt, receivedAt: receivedAt)
        var status = lookup.forwarded(reason)
        status.forwardStatus = 304
        let lifetime = updated.facts.lifetime(isShared: cache.isShared)
        status.timeToLive = lifetime - updated.facts.age(at: receivedAt)
        // The body first: it is gone when the record is removed.
        let parts = stored.parts
        let response = await response(updated, lookup, head: head, status, parts: parts, after: received)
        let isKept = await keep(record, as: updated, received.head)
        if lookup.leads { cache.fetches.end(lookup.cached.key, with: isKept ? .stored : .notStored) }
        return response
    }

    /// Puts an updated record in place of the stored one, or removes that where the newer head says
    /// that it must not be stored.
    func keep(_ record: CacheRecord, as updated: CacheRecord, _ newer: ResponseHead) async -> Bool {
        let flags = CacheDirectives(newer.values(for: .cacheControl)).flags
        let isForbidden =
            flags.contains(.noStore) || cache.isShared && flags.contains(.isWhollyPrivate)
            || updated.head.byteCount > StorageDecision.longestHead
        guard !isForbidden else {
            await cache.attempt { try await $0.remove(record) }
            return false
        }
        await cache.attempt { try await $0.update(updated) }
        return true
    }

    /// Updates what is stored by the response to a HEAD, or by a 304 to a condition of the
    /// request's own (§4.3.4, §4.3.5).
    private func freshen(_ lookup: Lookup, by head: ResponseHead, _ requestedAt: Int, _ receivedAt: Int) async {
        guard head.statusCode == 304 || head.statusCode == 200 else { return }
        for record in lookup.records where Vary.matches(record, lookup.request) && record.facts.status == 200 {
            guard record.isConfirmed(by: head) else {
                // §4.3.5: it is outdated. A 304 may be about a response that is not stored.
                if head.statusCode == 200 { await cache.attempt { try await $0.remove(record) } }
                continue
            }
            let updated = record.updated(
                StorageDecision.updated(record.head, with: head, cache.isShared),
                requestedAt: requestedAt,
                receivedAt: receivedAt
            )
            _ = await keep(record, as: updated, head)
        }
    }

    // MARK: Storing

    /// The response of the server, which is stored while its body is read.
    func keeping(
        _ received: TransportResponse,
        _ lookup: Lookup,
        _ reason: CacheStatus.Forward,
        _ decision: StorageDecision,
        _ generation: UInt64
    ) async -> TransportResponse {
        var (response, status) = (received, lookup.forwarded(reason))
        switch decision {
        case .refuse(let reason):
            status.detail = reason
            if let mark = lookup.mark, lookup.records.isEmpty, StorageDecision.refusal(of: received.head) != nil {
                cache.notePassing(CacheFingerprint(lookup.cached.key), mark: mark)
            }
            await refuse(lookup, received.statusCode)
        case .store(let proposed):
            if let record = await hooked(proposed, lookup.context), record.fits(in: cache.store.bodyLimit) {
                status.isStored = await store(record, &response, lookup, generation)
            } else {
                status.detail = "refused by the hook, or too large"
                await refuse(lookup, received.statusCode)
            }
        }
        response.cacheStatus = status
        return response
    }

    /// Notes that a response is not stored, and removes those in whose place it came.
    func refuse(_ lookup: Lookup, _ status: Int) async {
        cache.note(lookup.cached.key, isStored: false)
        if lookup.leads { cache.fetches.end(lookup.cached.key, with: .notStored) }
        // A part, a failure of the server, and what the request itself keeps out say nothing of it.
        guard status < 500, status != 401, status != 407, lookup.cached.range == nil,
            !lookup.cached.directives.flags.contains(.noStore)
        else { return }
        for record in lookup.records where Vary.matches(record, lookup.request) {
            await cache.attempt { try await $0.remove(record) }
        }
    }

    /// The record that the hook of the session lets pass; nil for none.
    func hooked(_ record: CacheRecord, _ context: ExchangeContext) async -> CacheRecord? {
        guard let lane = context.call.hooks, let hook = lane.hooks.dataTaskWillCacheResponse,
            context.call.kind == .data || context.call.kind == .upload
        else { return record }
        let task = context.call.presented
        guard let head = try? await lane.call(in: context, { await hook(task, record.head) }) else { return nil }
        return record.updated(
            head,
            requestedAt: record.requestedAt,
            receivedAt: Int(record.receivedAt.timeIntervalSince1970)
        )
    }

    /// Stores a response whose body is here, or has it stored when it comes.
    private func store(
        _ record: CacheRecord,
        _ response: inout TransportResponse,
        _ lookup: Lookup,
        _ generation: UInt64
    ) async -> Bool {
        let pending = PendingRecord(record, cache, leads: lookup.leads, generation: generation)
        guard response.body.wholeByteCount != nil else {
            let stream = response.body.stream
            pending.trailers = { stream?.finished?.trailers ?? [:] }
            response.body = response.body.transformed { CacheTee(pending) }
            response.body.options.storesBody = true
            return true
        }
        return await pending.store(response.body)
    }
}

extension CacheRecord {
    /// Whether the response to a HEAD, or a 304, is about this one: its validators and its length
    /// are the same where both have them (§4.3.4, §4.3.5).
    fileprivate func isConfirmed(by head: ResponseHead) -> Bool {
        if let tag = head.values(for: .eTag).first {
            guard let own = facts.entityTag, StoredFacts.matchesWeakly(tag, own) else { return false }
        }
        let date = head.values(for: .lastModified).first
        if let date, let own = facts.lastModified, own != date { return false }
        // A 304 is about this one only where a validator of both is the same.
        if head.statusCode == 304 { return head.contains(.eTag) || date != nil && facts.lastModified == date }
        return head[.contentLength].map { Int($0) == completeByteCount } ?? true
    }

    /// Whether its body may be stored as far as its length is known.
    fileprivate func fits(in limit: Int) -> Bool {
        if let part { return part.count <= limit }
        return head[.contentLength].flatMap { Int($0) }.map { $0 <= limit } ?? true
    }
}

extension Request {
    /// Adds the conditions by which the server confirms a stored response (§4.3.1).
    fileprivate mutating func addValidators(_ facts: StoredFacts) {
        if let tag = facts.entityTag { headerFields[.ifNoneMatch] = tag }
        if let date = facts.lastModified { headerFields[.ifModifiedSince] = date }
    }
}
