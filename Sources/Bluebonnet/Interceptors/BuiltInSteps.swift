import HTTPTypes
import NIOCore

/// The steps of every request behind the interceptors: retries, then redirects, then
/// authentication, then cookies, then content decoding, then the cache, then the rate limits, then
/// the transport.
///
/// Each hop of a redirect is authenticated by itself (``SessionAuthentication``), and gets its own
/// cookies (``SessionCookies``).
///
/// Content codings (RFC 9110 §8.4) are undone, and the server is told which ones can be (§12.5.3).
/// The header fields of the response stay as the server sent them. A coding that is not known
/// leaves the body as it came. So does a 206: its content is a part of the encoded bytes (§14.4),
/// and only the whole can be decoded. A request for a range therefore asks for no coding.
///
/// A response with neither redirect nor coding comes as the transport brought it.
struct BuiltInSteps: Sendable {
    let transport: any Transport
    /// The transport where it is the engine, which is called without a look-up of its type.
    private let engine: Engine?
    private let authentication: SessionAuthentication
    private let decodesContent: Bool
    private let strictTransportSecurity: StrictTransportSecurity?
    let retries: Retries
    let rateLimiter: RateLimiter?
    /// Nil for a session without a jar.
    private let cookies: SessionCookies?
    /// The cache of the session; nil where it has none.
    let cache: CacheStep?

    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - configuration: The configuration of the session.
    ///   - rateLimiter: Holds requests back. Default: by the limits of the configuration.
    init(transport: any Transport, configuration: SessionConfiguration, rateLimiter: RateLimiter? = nil) {
        self.transport = transport
        authentication = SessionAuthentication(configuration)
        decodesContent = configuration.decodesContent
        strictTransportSecurity = configuration.strictTransportSecurity
        retries = Retries(configuration)
        self.rateLimiter = rateLimiter ?? configuration.rateLimits.map { RateLimiter($0) }
        cookies = SessionCookies(configuration)
        engine = transport as? Engine
        cache = configuration.cache.map(CacheStep.init)
    }

    /// Whether the transport is the user's, which has to be woken when a task is stopped; the
    /// engine ends its exchanges by itself.
    var isTransportOfUser: Bool { engine == nil }

    /// Sends a request, and once more where that is to be. A hop of a redirect is sent the same
    /// way, except that its own redirect is not followed here.
    func send(
        _ request: Request,
        context: ExchangeContext,
        followsRedirect: Bool = true,
        isAttempt: Bool = false
    ) async throws -> TransportResponse {
        if !isAttempt, followsRedirect, context.interim == nil, retries.concerns(request) {
            return try await retries.send(request, context) { request in
                try await send(request, context: context, isAttempt: true)
            }
        }
        let secured = try strictTransportSecurity?.secured(request) ?? request
        let request = secured.hasCredential ? secured.tyingCredential() : secured
        // The requests of a resumable upload come here again, each by itself. The credential is
        // tied before that: the server chooses where they go.
        if context.interim == nil, let offer = context.call.uploadOffer {
            let response = try await ResumableUpload.send(request, context: context, offer) { request, context in
                try await send(request, context: context)
            }
            // The last of its requests may have been for the upload resource.
            await cache?.invalidate(after: response, to: request)
            return response
        }
        let context = context.interim.map { context.forPart(ofUpload: $0.of(request)) } ?? context
        let response: TransportResponse
        if authentication.concerns(request) {
            response = try await sendWithCredentials(request, context)
        } else if cache != nil || request.cachePolicy == .onlyIfCached, request.upgrade == nil {
            let first = try await sendThroughCache(request, context)
            response = first.statusCode == 401 ? try await answer(first, to: request, nil, context) : first
        } else {
            if let rateLimiter { try await rateLimiter.wait(for: request, context) }
            let sent = cookies?.attached(to: request) ?? request
            let first =
                if let engine {
                    try await engine.send(sent, context: context, offersCodings: decodesContent)
                } else {
                    try await sendByTransport(decodesContent ? Self.withOffer(sent) : sent, context)
                }
            strictTransportSecurity?.receive(first, context)
            cookies?.receive(first, to: request, context)
            response = first.statusCode == 401 ? try await answer(first, to: request, nil, context) : first
        }
        let decoded = decodesContent && response.hasContentEncoding ? try Self.decoded(response, context) : response
        guard followsRedirect, Redirects.isRedirect(decoded) else { return decoded }
        return try await Redirects.follow(decoded, to: request, context: context) { request, context in
            try await send(request, context: context, followsRedirect: false)
        }
    }

    // Functions of their own, because most requests need none of this and no frame for it.

    /// Sends a request with credentials, where some are known for it.
    @inline(never)
    private func sendWithCredentials(_ request: Request, _ context: ExchangeContext) async throws -> TransportResponse {
        let prepared = try await authentication.prepared(request, context)
        let first = try await sendOnce(prepared?.request ?? request, context)
        return try await answer(first, to: request, prepared?.sent, context)
    }

    /// Answers the challenges of a response.
    @inline(never)
    private func answer(
        _ first: TransportResponse,
        to request: Request,
        _ sent: SessionAuthentication.Sent?,
        _ context: ExchangeContext
    ) async throws -> TransportResponse {
        try await authentication.answer(first, to: request, sent, context) { try await sendOnce($0, context) }
    }

    private func sendOnce(_ request: Request, _ context: ExchangeContext) async throws -> TransportResponse {
        if cache != nil || request.cachePolicy == .onlyIfCached, request.upgrade == nil {
            return try await sendThroughCache(request, context)
        }
        if let rateLimiter { try await rateLimiter.wait(for: request, context) }
        return try await transmit(cookies?.attached(to: request) ?? request, from: request, context)
    }

    /// Sends a request unless the cache has a response to it.
    @inline(never)
    private func sendThroughCache(
        _ request: Request,
        _ context: ExchangeContext,
        isAgain: Bool = false
    ) async throws -> TransportResponse {
        // Without a cache nothing is stored.
        guard let cache else { throw NetworkingError.notCached(request) }
        // The cache sees the request as the server does: a response may vary by what is offered.
        let sent = cookies?.attached(to: request) ?? request
        if !isAgain {
            switch cache.shortcut(sent, context, offersCodings: decodesContent) {
            case .response(let response): return response
            // A wait for a rate limit is long: meanwhile something may be stored.
            case .pass(let pass) where rateLimiter == nil:
                return try await sendPast(cache, pass, sent, from: request, context)
            case .pass, .none: break
            }
        }
        let fields = cookies == nil ? [] : sent.headerFields[values: .cookie]
        do {
            return try await cache.send(decodesContent ? Self.withOffer(sent) : sent, context) { sent, context in
                if !isAgain {
                    if let rateLimiter { try await rateLimiter.wait(for: request, context) }
                    if let cookies, cookies.attached(to: request).headerFields[values: .cookie] != fields {
                        throw CacheStep.RequestHasChanged { context in
                            var request = request
                            request.properties.cachePolicy = .noCache
                            return try await sendThroughCache(request, context, isAgain: true)
                        }
                    }
                }
                return try await transmit(sent, from: request, context)
            }
        } catch is CacheStep.RequestHasChanged {
            // The cache has to see the new ones: what is stored may vary by them. The turn that the
            // request has had counts for this time.
            return try await sendThroughCache(request, context, isAgain: true)
        }
    }

    /// Sends a request whose response is known not to be stored, and stores it if it may be now.
    private func sendPast(
        _ cache: CacheStep,
        _ pass: CacheStep.Pass,
        _ sent: Request,
        from request: Request,
        _ context: ExchangeContext
    ) async throws -> TransportResponse {
        let received = try await transmit(sent, from: request, context)
        if let response = cache.passed(received) { return response }
        let seen = decodesContent ? Self.withOffer(sent) : sent
        return await cache.settled(received, after: pass, seen, context) { sent, context in
            try await transmit(sent, from: request, context)
        }
    }

    /// Sends what was made of a request by the transport.
    private func transmit(
        _ sent: Request,
        from request: Request,
        _ context: ExchangeContext
    ) async throws -> TransportResponse {
        let response =
            if let engine {
                try await engine.send(sent, context: context, offersCodings: decodesContent)
            } else {
                try await sendByTransport(decodesContent ? Self.withOffer(sent) : sent, context)
            }
        // Each response counts (RFC 6797 §8.1), also a challenge that nobody answers.
        strictTransportSecurity?.receive(response, context)
        cookies?.receive(response, to: request, context)
        return response
    }

    /// Sends a request by the transport of the user, of which only the beginning and the end are
    /// known.
    private func sendByTransport(_ request: Request, _ context: ExchangeContext) async throws -> TransportResponse {
        let hop = context.call.newHop()
        var request = request
        let observed =
            context.settings.transactionObservers.isEmpty
            ? nil : context.call.observe(&request, to: (try? request.target)?.origin, hop: hop)
        var record = TransactionRecord(hop: hop, sent: SentRequest(request), startedAt: .now())
        defer { observed?.end() }
        do {
            var response = try await transport.send(request, context: context)
            response.hop = record.hop
            record.endedAt = .now()
            record.head = response.head
            record.wireBytes.requestBody = request.body?.length ?? 0
            record.wireBytes.responseBody = response.body.wholeByteCount ?? 0
            record.wireBytes.decodedResponseBody = record.wireBytes.responseBody
            context.call.note(record)
            observed?.note(record)
            return response
        } catch {
            record.endedAt = .now()
            record.error = .wrapping(error)
            context.call.note(record)
            observed?.note(record)
            throw error
        }
    }

    static func withOffer(_ request: Request) -> Request {
        let names = request.headerFields.map(\.name)
        let offer = ContentCoding.Offer(
            hasAcceptEncoding: names.contains(.acceptEncoding),
            hasRange: names.contains(.range)
        )
        return SentRequest(request, offer: offer).request
    }

    private static func decoded(
        _ response: TransportResponse,
        _ context: ExchangeContext
    ) throws -> TransportResponse {
        guard let codings = response.head[.contentEncoding], response.statusCode != 206 else { return response }
        do {
            var response = response
            let observed = response.observed
            response.observed = nil
            guard let coding = try ContentCoding(contentEncoding: codings), !coding.isIdentity else {
                observed?.endDecoding()
                return response
            }
            let (limits, call, hop) = (context.settings.configuration.limits, context.call, response.hop)
            response.body = response.body.transformed {
                ContentDecoder(coding, limits: limits, call: call, hop: hop, observed: observed)
            }
            return response
        } catch {
            context.call.noteDecodingFailure(error, hop: response.hop)
            response.observed?.endDecoding()
            throw error.completed(request: response.request, response: response.head)
        }
    }
}

extension Request {
    /// The request with the `Accept-Encoding` that a session that undoes content codings sends with
    /// it, for what shows a request before it is sent.
    package var offeringCodings: Request { BuiltInSteps.withOffer(self) }
}
