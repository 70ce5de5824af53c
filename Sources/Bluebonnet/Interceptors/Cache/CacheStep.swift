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

    /// The longest wait for the response of another process.
    static let processPatience = Duration.seconds(10)

    let cache: HTTPCache
    private let renewals = CacheRenewals()

    init(_ cache: HTTPCache) {
        self.cache = cache
    }

    /// The end of a sending whose request is another one by now: other cookies belong to it.
    struct RequestHasChanged: Error {
        /// Sends the request of now, and has the server confirm what is stored for it.
        let renew: @Sendable (ExchangeContext) async throws -> TransportResponse
    }

    /// The moments of one sending.
    struct FetchTimes: Sendable {
        let requestedAt: Int
        let receivedAt: Int
        /// That of the cache's ``Invalidations`` before it.
        let generation: UInt64
    }

    /// One request on its way through the cache.
    struct Lookup: Sendable {
        let request: Request
        let cached: CacheRequest
        let context: ExchangeContext
        let send: Send
        /// What is stored for its key.
        var records: [CacheRecord] = []
        /// That of the store, when it was asked for the records; nil where it has none.
        var mark: UInt64?
        /// The body of one of them, where it is known already.
        var body: (identifier: UInt64, body: ResponseBody)?
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
            let found = await cache.look(cached.key)
            (lookup.records, lookup.mark, lookup.body) = (found.records, found.mark, found.body)
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
        if fetches.begin(key) {
            guard let sharing = fetches.sharing else { return .first }
            return try await turn(lookup, among: sharing)
        }
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

    /// The turn of the first task of this process among other processes.
    private func turn(_ lookup: Lookup, among sharing: any FetchSharingStore) async throws -> Turn {
        let (key, cache) = (lookup.cached.key, cache)
        do {
            let turn = try await StoppableCall.run(for: lookup.request, lookup.context, .elsewhere) {
                do {
                    let turn = try await sharing.turn(toFetch: key, patience: Self.processPatience)
                    if case .lease(let lease) = turn {
                        guard !Task.isCancelled else {
                            // The task may have gone on without it: nobody would give it back.
                            sharing.endFetch(lease, of: key, isStored: nil)
                            throw CancellationError()
                        }
                        cache.fetches.hold(lease, of: key)
                    }
                    return turn
                } catch {
                    cache.note(error)
                    return CacheFetchTurn.free
                }
            }
            try lookup.context.checkStopped()
            switch turn {
            case .lease, .free: return .first
            case .stored:
                cache.fetches.end(key, with: .stored)
                return .again
            case .notStored:
                cache.fetches.end(key, with: .notStored)
                return .alone
            }
        } catch {
            cache.fetches.end(key, with: nil)
            throw error
        }
    }

    // MARK: Without the server

    /// The response of a stored one; nil where its body is not there any more.
    func hit(_ stored: CacheDecision.Stored, _ lookup: Lookup, detail: String? = nil) async
        -> TransportResponse?
    {
        var status = CacheStatus()
        status.isHit = true
        status.timeToLive = stored.timeToLive
        status.isCollapsed = lookup.isCollapsed
        status.detail = detail
        let head = stored.record.head(atAge: stored.age)
        return await response(stored.record, lookup, head: head, status, parts: stored.parts, after: nil)
    }

    func response(
        _ record: CacheRecord,
        _ lookup: Lookup,
        head: ResponseHead,
        _ status: CacheStatus,
        parts: StoredParts? = nil,
        after received: TransportResponse?
    ) async -> TransportResponse? {
        let startedAt = NIODeadline.now()
        let answer = StoredAnswer(record, to: lookup.cached, head: head)
        let body: ResponseBody?
        switch answer.content {
        case .none: body = ResponseBody(.whole(ByteBuffer(), trailers: [:]))
        case .whole:
            if parts == nil, let known = lookup.body, known.identifier == record.identifier {
                body = known.body
            } else {
                body = await cache.body(of: record, parts, nil)
            }
        case .part(let range): body = await cache.body(of: record, parts, range)
        }
        guard let body else { return nil }
        if received == nil, parts == nil, case .whole = answer.content, lookup.records.count == 1,
            let mark = lookup.mark
        {
            cache.keepInFront(record, body, mark: mark)
        }
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
            await cache.invalidate(key)
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
                let response: TransportResponse
                do {
                    response = try await self.fetch(lookup, .stale, stored)
                } catch let changed as RequestHasChanged {
                    response = try await changed.renew(context)
                }
                _ = try await response.body.collect(upTo: limit, keepsBytes: false)
            }
        }
    }

    /// Ends the renewals; no further ones begin.
    func invalidate() {
        renewals.invalidate()
    }

    /// Returns when the renewals that were ended are over, and no other process waits for one.
    func waitUntilIdle() async {
        await renewals.waitUntilIdle()
        await cache.fetches.sharing?.waitForEndedFetches()
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
