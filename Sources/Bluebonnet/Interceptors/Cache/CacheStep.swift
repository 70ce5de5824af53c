import FoundationEssentials
import HTTPTypes
import NIOCore

/// The innermost step of a request in a session with a cache: answers it from the cache, or sends
/// it and stores the response (RFC 9111).
///
/// It is around each single sending: each hop of a redirect and each answer to a challenge is
/// looked up by itself. What is stored is what was received, before its content coding is undone.
///
/// A request that finds nothing waits for the one under way for the same URL, if there is one, and
/// gets what that has stored. It goes on by itself when nothing was stored; when the other one was
/// stopped, one of those that wait takes its place. None waits longer than ``patience``.
final class CacheStep: Sendable {
    /// Sends a request of one hop.
    typealias Send = @Sendable (Request, ExchangeContext) async throws -> TransportResponse

    /// The longest wait for the response of another task, whose reader may be slow.
    static let patience = TimeAmount.seconds(10)

    let cache: HTTPCache
    private let renewals = CacheRenewals()

    init(_ cache: HTTPCache) {
        self.cache = cache
    }

    /// One request on its way through the cache.
    struct Lookup: Sendable {
        let request: Request
        let cached: CacheRequest
        let context: ExchangeContext
        let send: Send
        /// What is stored for its key.
        var records: [CacheRecord] = []
        /// Whether others wait for it.
        var leads = false
        var isCollapsed = false

        /// The status of a response that the server has sent.
        func forwarded(_ reason: CacheStatus.Forward) -> CacheStatus {
            var status = CacheStatus()
            (status.forward, status.isCollapsed) = (reason, isCollapsed)
            return status
        }
    }

    /// Sends a request, or answers it without.
    func send(
        _ request: Request,
        _ context: ExchangeContext,
        _ send: @escaping Send
    ) async throws -> TransportResponse {
        let policy = request.cachePolicy ?? .default
        guard policy != .noStore, let cached = CacheRequest(request, policy: policy) else {
            return try await sendUnstored(request, policy, context, send)
        }
        var lookup = Lookup(request: request, cached: cached, context: context, send: send)
        var mayWait = cached.isShareable
        var missing: Set<UInt64> = []
        while true {
            lookup.records = await cache.found(cached.key)
            if !missing.isEmpty { lookup.records.removeAll { missing.contains($0.identifier) } }
            let decision = CacheDecision(
                cached,
                request,
                lookup.records,
                now: cache.time,
                isShared: cache.isShared
            )
            switch decision {
            case .use(let stored), .useAndRenew(let stored):
                if case .useAndRenew = decision { renew(stored, lookup) }
                if let response = await hit(stored, lookup) { return response }
                // Its body is gone, or damaged.
                missing.insert(stored.record.identifier)
                await cache.attempt { try await $0.remove(stored.record) }
            case .refuse:
                return try refused(request, context)
            case .forward(let reason, let stored):
                if mayWait {
                    let turn = try await turn(lookup)
                    if case .later = turn {
                        lookup.isCollapsed = true
                        continue
                    }
                    mayWait = false
                    if case .again = turn {
                        lookup.isCollapsed = true
                        continue
                    }
                    lookup.leads = turn == .first
                }
                // Nobody waits for what has to be confirmed each time.
                if lookup.isCollapsed, !lookup.leads { cache.note(cached.key, isStored: false) }
                return try await fetch(lookup, reason, stored)
            }
        }
    }

    // MARK: One request for several tasks

    private enum Turn {
        /// Send the request: others wait for it.
        case first
        /// Send it; nobody waits.
        case alone
        /// Another task has stored its response.
        case again
        /// Another task has given up.
        case later
    }

    private func turn(_ lookup: Lookup) async throws -> Turn {
        let (key, fetches) = (lookup.cached.key, cache.fetches)
        guard cache.isWorthWaiting(key) else { return .alone }
        if fetches.begin(key) { return .first }
        let isLate = SingleUse()
        let outcome = try await StoppableCall.run(for: lookup.request, lookup.context, .elsewhere) {
            let wait = StoppableCall()
            let timer = StoppableCall.schedule(at: .now().advanced(by: Self.patience)) {
                _ = isLate.begin()
                wait.stop()
            }
            defer { timer.cancel() }
            return try? await wait.run { await fetches.outcome(of: key) }
        }
        try lookup.context.checkStopped()
        switch outcome {
        case .stored: return .again
        case .notStored: return .alone
        case nil: return isLate.hasBegun ? .alone : .later
        }
    }

    // MARK: Without the server

    /// The response of a stored one; nil where its body is not there any more.
    private func hit(_ stored: CacheDecision.Stored, _ lookup: Lookup, detail: String? = nil) async
        -> TransportResponse?
    {
        var status = CacheStatus()
        status.isHit = true
        status.timeToLive = stored.timeToLive
        status.isCollapsed = lookup.isCollapsed
        status.detail = detail
        // §5.1: a response that was not confirmed tells its age.
        return await response(stored.record, lookup, head: stored.record.head.withAge(stored.age), status, after: nil)
    }

    private func response(
        _ record: CacheRecord,
        _ lookup: Lookup,
        head: ResponseHead,
        _ status: CacheStatus,
        after received: TransportResponse?
    ) async -> TransportResponse? {
        let startedAt = NIODeadline.now()
        let answer = StoredAnswer(record, to: lookup.cached, head: head)
        let body: ResponseBody?
        switch answer.content {
        case .none: body = ResponseBody(.whole(ByteBuffer(), trailers: [:]))
        case .whole: body = await cache.body(of: record)
        case .part(let range): body = await cache.body(of: record, range)
        }
        guard let body else { return nil }
        let call = lookup.context.call
        var response = TransportResponse(
            head: answer.head,
            body: body,
            sent: SentRequest(lookup.request),
            informational: received?.informational ?? [],
            timings: received?.exchangeTimings ?? ExchangeTimings(),
            startedAt: received?.startedAt ?? startedAt,
            isRequestBodyUntouched: true,
            hop: received?.hop ?? call.newHop()
        )
        response.retries = received?.retries ?? 0
        response.cacheStatus = status
        if received == nil { call.noteStored(response, startedAt: startedAt) }
        return response
    }

    /// The end of a request that may not be sent: an error for a policy, and for a directive the
    /// response that RFC 9111 §5.2.1.7 asks for.
    private func refused(_ request: Request, _ context: ExchangeContext) throws(NetworkingError) -> TransportResponse {
        if request.cachePolicy == .onlyIfCached { throw .notCached(request) }
        var response = TransportResponse(head: ResponseHead(status: .gatewayTimeout), request: request)
        var status = CacheStatus()
        status.detail = "only-if-cached"
        response.cacheStatus = status
        response.hop = context.call.newHop()
        context.call.noteStored(response, startedAt: .now())
        return response
    }

    /// Sends a request whose response is not stored, and that no stored one answers.
    private func sendUnstored(
        _ request: Request,
        _ policy: CachePolicy,
        _ context: ExchangeContext,
        _ send: Send
    ) async throws -> TransportResponse {
        let directives = CacheDirectives(request.headerFields[values: .cacheControl])
        guard policy != .onlyIfCached, !directives.flags.contains(.onlyIfCached) else {
            return try refused(request, context)
        }
        let isSafe = CacheInvalidation.isSafe(request.method)
        var response = try await send(isSafe ? request.tellingCaches(policy) : request, context)
        if !isSafe { await invalidate(after: response, to: request) }
        var status = CacheStatus()
        status.forward = policy == .noStore ? .bypass : .method
        response.cacheStatus = status
        return response
    }

    // MARK: Invalidation

    /// Removes what a response to an unsafe method has made outdated (§4.4).
    func invalidate(after response: TransportResponse, to request: Request) async {
        for key in CacheInvalidation.keys(after: response.head, to: request) {
            await cache.attempt { try await $0.removeAll(for: key) }
        }
    }

    // MARK: Renewal

    /// Asks the server for a response in the place of one that is used meanwhile, unless that is
    /// being done.
    private func renew(_ stored: CacheDecision.Stored, _ lookup: Lookup) {
        let limit = cache.store.bodyLimit
        renewals.begin(stored.record.identifier) { [self] in
            let call = Call(
                lookup.request,
                identifier: lookup.context.call.identifier,
                settings: lookup.context.settings,
                owner: nil,
                isStarted: true
            )
            let context = ExchangeContext(call: call, end: .init(after: CacheRenewals.time), collectsBody: false)
            let lookup = Lookup(
                request: lookup.request,
                cached: lookup.cached,
                context: context,
                send: lookup.send,
                records: lookup.records
            )
            _ = try? await StoppableCall.run(for: lookup.request, context, .elsewhere) {
                let response = try await self.fetch(lookup, .stale, stored)
                _ = try await response.body.collect(upTo: limit, keepsBytes: false)
            }
        }
    }

    /// Ends the renewals; no further ones begin.
    func invalidate() {
        renewals.invalidate()
    }

    /// Returns when the renewals that were ended are over.
    func waitUntilIdle() async {
        await renewals.waitUntilIdle()
    }
}

// MARK: With the server

extension CacheStep {
    /// Sends the request, and stores the response or confirms what is stored.
    fileprivate func fetch(
        _ lookup: Lookup,
        _ reason: CacheStatus.Forward,
        _ stored: CacheDecision.Stored?
    ) async throws -> TransportResponse {
        let cached = lookup.cached
        let isPlain = !cached.isHead && cached.range == nil && cached.condition == .none
        let validated = isPlain && !cached.directives.flags.contains(.noStore) ? stored.flatMap(Self.validated) : nil
        var request = lookup.request.tellingCaches(cached.policy)
        if let facts = validated?.record.facts { request.addValidators(facts) }
        let requestedAt = cache.time
        let received: TransportResponse
        do {
            received = try await lookup.send(request, lookup.context)
        } catch {
            let isStopped = (error as? NetworkingError)?.code.family == .ended || error is CancellationError
            if lookup.leads { cache.fetches.end(cached.key, with: isStopped ? nil : .notStored) }
            guard !isStopped, Self.isFailureOfServer(error), let response = await hitAfterFailure(stored, lookup)
            else { throw error }
            return response
        }
        let receivedAt = cache.time
        if received.statusCode == 304, let validated {
            if let response = await confirmed(validated.record, by: received, lookup, reason, requestedAt, receivedAt) {
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
        if cached.isHead || received.statusCode == 304 {
            if lookup.leads { cache.fetches.end(cached.key, with: .notStored) }
            await freshen(lookup, by: received.head, requestedAt, receivedAt)
            var response = received
            response.cacheStatus = lookup.forwarded(reason)
            return response
        }
        let decision = StorageDecision(
            received.head,
            to: lookup.request,
            cached,
            requestedAt: requestedAt,
            receivedAt: receivedAt,
            isShared: cache.isShared
        )
        return await keeping(received, lookup, reason, decision)
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
        _ record: CacheRecord,
        by received: TransportResponse,
        _ lookup: Lookup,
        _ reason: CacheStatus.Forward,
        _ requestedAt: Int,
        _ receivedAt: Int
    ) async -> TransportResponse? {
        if let tag = received.head.values(for: .eTag).first, let stored = record.facts.entityTag,
            !StoredFacts.matchesWeakly(tag, stored)
        {
            return nil
        }
        let head = StorageDecision.updated(record.head, with: received.head, cache.isShared)
        let updated = record.updated(head, requestedAt: requestedAt, receivedAt: receivedAt)
        var status = lookup.forwarded(reason)
        status.forwardStatus = 304
        let lifetime = updated.facts.lifetime(isShared: cache.isShared)
        status.timeToLive = lifetime - updated.facts.age(at: receivedAt)
        // The body first: it is gone when the record is removed.
        let response = await response(updated, lookup, head: head, status, after: received)
        let isKept = await keep(record, as: updated, received.head)
        if lookup.leads { cache.fetches.end(lookup.cached.key, with: isKept ? .stored : .notStored) }
        return response
    }

    /// Puts an updated record in place of the stored one, or removes that where the newer head says
    /// that it must not be stored.
    private func keep(_ record: CacheRecord, as updated: CacheRecord, _ newer: ResponseHead) async -> Bool {
        let flags = CacheDirectives(newer.values(for: .cacheControl)).flags
        let isForbidden = flags.contains(.noStore) || cache.isShared && flags.contains(.isWhollyPrivate)
        guard !isForbidden else {
            await cache.attempt { try await $0.remove(record) }
            return false
        }
        await cache.attempt { try await $0.update(updated) }
        return true
    }

    /// Updates what is stored by the response to a HEAD, or by a 304 to a condition of the request's
    /// own (§4.3.4, §4.3.5).
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
    private func keeping(
        _ received: TransportResponse,
        _ lookup: Lookup,
        _ reason: CacheStatus.Forward,
        _ decision: StorageDecision
    ) async -> TransportResponse {
        var (response, status) = (received, lookup.forwarded(reason))
        switch decision {
        case .refuse(let reason):
            status.detail = reason
            await refuse(lookup, received.statusCode)
        case .store(let proposed):
            if let record = await hooked(proposed, lookup.context), record.fits(in: cache.store.bodyLimit) {
                status.isStored = await store(record, &response, lookup)
            } else {
                status.detail = "refused by the hook, or too large"
                await refuse(lookup, received.statusCode)
            }
        }
        response.cacheStatus = status
        return response
    }

    /// Notes that a response is not stored, and removes those in whose place it came.
    private func refuse(_ lookup: Lookup, _ status: Int) async {
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
    private func hooked(_ record: CacheRecord, _ context: ExchangeContext) async -> CacheRecord? {
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
    private func store(_ record: CacheRecord, _ response: inout TransportResponse, _ lookup: Lookup) async -> Bool {
        let pending = PendingRecord(record, cache, leads: lookup.leads)
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
        if let date = head.values(for: .lastModified).first, let own = facts.lastModified, own != date { return false }
        guard head.statusCode == 200, let length = head[.contentLength] else {
            // A 304 without any validator may be about any of them.
            return head.statusCode == 200 || head.contains(.eTag) || head.contains(.lastModified)
        }
        return Int(length) == byteCount
    }

    /// Whether its body may be stored as far as its length is known.
    fileprivate func fits(in limit: Int) -> Bool {
        head[.contentLength].flatMap { Int($0) }.map { $0 <= limit } ?? true
    }
}

extension Request {
    /// Adds the conditions by which the server confirms a stored response (§4.3.1).
    fileprivate mutating func addValidators(_ facts: StoredFacts) {
        if let tag = facts.entityTag { headerFields[.ifNoneMatch] = tag }
        if let date = facts.lastModified { headerFields[.ifModifiedSince] = date }
    }
}

extension NetworkingError {
    /// The error of a request that no stored response answers, and that must not be sent.
    static func notCached(_ request: Request) -> NetworkingError {
        NetworkingError(
            .notCached,
            "\(request) was not sent, because its policy is only-if-cached and no stored response can be used.",
            request: request
        )
    }
}
