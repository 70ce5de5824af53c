import HTTPTypes
import NIOCore
import Synchronization

/// One request on its way through the engine to one response: what is sent, who waits for it, and what became of it.
final class Exchange: Sendable, Call.Operation {
    /// Where the exchange stands.
    private enum Place {
        /// Not handed to the pool yet, or waiting in it.
        case waiting
        case onConnection(PooledConnection)
        case finished
    }

    /// What became of it, until the caller takes that.
    private enum Outcome {
        case none
        case response(TransportResponse)
        case failure(NetworkingError)
    }

    private struct State {
        var place = Place.waiting
        var caller: SuspendedCaller?
        var outcome = Outcome.none
        var stream: BodyStream?
        var upload: RequestUpload?
        /// The source of the body has been asked for it.
        var hasBegunBody = false

        mutating func takeCaller() -> SuspendedCaller? {
            defer { caller = nil }
            return caller
        }
    }

    let request: Request
    let origin: Origin
    let kind: HTTP1ResponseParser.RequestKind
    /// The request head, and a small body behind it, as bytes.
    let headBytes: ByteBuffer
    /// The body when it is sent piece by piece behind the head.
    let bodySentLater: RequestBody?
    /// The body waits for 100 Continue (RFC 9110 §10.1.1).
    let expectsContinue: Bool
    /// What the head says of content codings beside the request's own fields.
    let offer: ContentCoding.Offer?
    /// The request says `Connection: close`.
    let asksForClose: Bool
    let timeouts: Timeouts
    let startedAt: NIODeadline
    let deadline: NIODeadline?
    let collectsBody: Bool
    let needsFreshConnection: Bool
    let preferredLoop: ObjectIdentifier?
    /// Since when it wants a connection: a request that is sent again begins anew.
    private let waitsSince: NIODeadline
    /// Its place in the pool, touched only under the pool's lock.
    private let placeInPool = Atomic(-1)
    let call: Call
    private let pool: ConnectionPool
    private let state = Mutex(State())
    /// Written under the lock of `state`.
    private let isSuspendedNow = Atomic(false)

    /// A body up to this size travels in the same buffer as the head.
    private static let inlineBodySize = 64 * 1024

    init(
        _ request: Request,
        target: RequestTarget,
        context: ExchangeContext,
        startedAt: NIODeadline,
        deadline: NIODeadline?,
        needsFreshConnection: Bool,
        mayExpectContinue: Bool = true,
        offersCodings: Bool = false,
        preferredLoop: ObjectIdentifier?,
        pool: ConnectionPool
    ) throws(NetworkingError) {
        // RFC 9110 §9.3.6: it asks a proxy for a tunnel. Another server could only refuse it, or take what follows for the tunnel.
        guard request.method != .connect else {
            throw NetworkingError(
                .invalidRequest,
                "CONNECT asks a proxy for a tunnel, and is not sent by itself.",
                request: request
            )
        }
        let isHead = request.method == .head
        let length = request.body.map { body in body.length.map(HTTP1RequestEncoder.Framing.contentLength) ?? .chunked }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(512)
        do {
            var fields = request.headerFields
            var survey = try RequestFieldSurvey(fields)
            expectsContinue = Self.expectsContinue(request, context, survey, isAllowed: mayExpectContinue)
            if expectsContinue != survey.expectsContinue {
                fields[.expect] = expectsContinue ? RequestFieldSurvey.expectation : nil
                survey = try RequestFieldSurvey(fields)
            }
            asksForClose = survey.asksForClose
            offer =
                offersCodings
                ? ContentCoding.Offer(hasAcceptEncoding: survey.hasAcceptEncoding, hasRange: survey.hasRange) : nil
            try HTTP1RequestEncoder.encodeHead(
                method: request.method,
                target: target.path,
                host: target.host,
                fields: fields,
                survey: survey,
                offer: offer,
                framing: length ?? .none,
                into: &buffer
            )
        } catch {
            throw NetworkingError(.invalidRequest, error.description, request: request)
        }
        switch request.body?.storage {
        case .bytes(var bytes) where bytes.readableBytes <= Self.inlineBodySize && !expectsContinue:
            buffer.writeBuffer(&bytes)
            bodySentLater = nil
        default: bodySentLater = request.body
        }
        self.request = request
        self.origin = target.origin
        self.kind = isHead ? .head : .ordinary
        self.headBytes = buffer
        self.timeouts = request.effectiveTimeouts(over: context.settings.configuration.timeouts)
        self.startedAt = startedAt
        self.deadline = deadline
        self.collectsBody = context.collectsBody
        self.needsFreshConnection = needsFreshConnection
        self.preferredLoop = preferredLoop
        let isFirst = !needsFreshConnection && mayExpectContinue
        waitsSince = isFirst ? startedAt : .now()
        call = context.call
        self.pool = pool
    }

    /// RFC 9110 §10.1.1: never without content, and not again where it was refused.
    private static func expectsContinue(
        _ request: Request,
        _ context: ExchangeContext,
        _ survey: RequestFieldSurvey,
        isAllowed: Bool
    ) -> Bool {
        guard isAllowed, let body = request.body, body.length != 0 else { return false }
        if survey.expectsContinue { return true }
        if let expects = request.expectsContinue { return expects }
        guard let threshold = context.settings.configuration.continueThreshold else { return false }
        return body.length ?? .max >= threshold
    }

    /// The request with what the head adds to it.
    var sent: SentRequest { SentRequest(request, offer: offer) }

    /// Whether the source of the body has been asked for it, so that one that can be read once is spent.
    var hasBegunBody: Bool { state.withLock { $0.hasBegunBody } }

    /// Whether its call is suspended: looked at for each read.
    var isSuspended: Bool { isSuspendedNow.load(ordering: .acquiring) }

    // MARK: The caller's side

    /// Hands the exchange to the pool and waits for the response head.
    func run() async throws -> TransportResponse {
        let isSuspended = try call.begin(self, expectedToSend: request.body?.length)
        if isSuspended { suspensionChanged() }
        await withTaskCancellationHandler {
            await SuspendedCaller.suspend { caller in
                let hasOutcome = state.withLock { state in
                    guard case .none = state.outcome else { return true }
                    state.caller = caller
                    return false
                }
                if hasOutcome { caller.resume() } else { pool.submit(self) }
            }
        } onCancel: {
            fail(Self.cancelled)
        }
        let outcome = state.withLock { state in
            defer { state.outcome = .none }
            return state.outcome
        }
        switch outcome {
        case .response(let response): return response
        case .failure(let error): throw error
        case .none: throw Self.cancelled
        }
    }

    private static let cancelled = NetworkingError(.cancelled, "The request was cancelled.")

    func cancel(with error: NetworkingError) {
        fail(error)
    }

    func setSuspended(_ isSuspended: Bool) {
        // Not the argument: two changes at once may arrive here in either order.
        suspensionChanged()
    }

    private func suspensionChanged() {
        let connection = state.withLock { state -> PooledConnection? in
            isSuspendedNow.store(call.isSuspended, ordering: .releasing)
            guard case .onConnection(let connection) = state.place else { return nil }
            return connection
        }
        connection?.onLoop { $0.suspensionChanged(for: self) }
    }

    // MARK: The engine's side

    /// The connection takes the exchange; false when it has ended meanwhile.
    func assign(to connection: PooledConnection) -> Bool {
        state.withLock { state in
            guard case .waiting = state.place else { return false }
            state.place = .onConnection(connection)
            return true
        }
    }

    /// Whether it has not ended and is on no connection.
    var isWaiting: Bool {
        state.withLock { state in
            if case .waiting = state.place { true } else { false }
        }
    }

    /// The response head is there, with all of the body or a stream of it.
    func deliver(_ response: TransportResponse, stream: BodyStream?) {
        let (caller, upload) = state.withLock { state -> (SuspendedCaller?, RequestUpload?) in
            if case .finished = state.place { return (nil, nil) }
            state.stream = stream
            state.outcome = .response(response)
            guard stream == nil else { return (state.takeCaller(), nil) }
            state.place = .finished
            defer { state.upload = nil }
            return (state.takeCaller(), state.upload)
        }
        if stream == nil { call.detach(self) }
        guard let upload else {
            caller?.resume()
            return
        }
        upload.whenEnded { caller?.resume() }
    }

    /// The streamed body is complete.
    func finishStream(trailers: HTTPFields, at: NIODeadline) {
        let (stream, upload) = state.withLock { state in
            state.place = .finished
            defer { state.upload = nil }
            return (state.stream, state.upload)
        }
        call.detach(self)
        guard let upload else {
            stream?.finish(trailers: trailers, at: at)
            return
        }
        upload.whenEnded { stream?.finish(trailers: trailers, at: at) }
    }

    /// Ends the exchange with an error, wherever it stands; later calls do nothing.
    func fail(_ error: NetworkingError) {
        let error = error.completed(request: sent.request)
        let (place, caller, stream, upload) = state.withLock {
            state -> (Place, SuspendedCaller?, BodyStream?, RequestUpload?) in
            defer {
                state.place = .finished
                state.upload = nil
            }
            if case .finished = state.place { return (state.place, nil, nil, state.upload) }
            if state.stream == nil { state.outcome = .failure(error) }
            return (state.place, state.takeCaller(), state.stream, state.upload)
        }
        call.detach(self)
        upload?.stop()
        switch place {
        case .finished: return
        case .waiting: pool.remove(self)
        case .onConnection(let connection): connection.onLoop { $0.abort(self) }
        }
        guard let upload else {
            stream?.fail(error)
            caller?.resume()
            return
        }
        upload.whenEnded {
            stream?.fail(error)
            caller?.resume()
        }
    }

    /// The upload of this exchange, so that it ends with it.
    func began(_ upload: RequestUpload) {
        let isFinished = state.withLock { state in
            if case .finished = state.place { return true }
            state.upload = upload
            state.hasBegunBody = true
            return false
        }
        if isFinished { upload.stop() }
    }
}

extension Exchange: PoolWaiter {
    var patience: Patience {
        Patience(
            since: waitsSince,
            deadline: deadline,
            connect: timeouts.connectTime,
            waiting: timeouts.waitingTime
        )
    }

    var ticket: Int {
        get { placeInPool.load(ordering: .relaxed) }
        set { placeInPool.store(newValue, ordering: .relaxed) }
    }
}

extension Exchange: BodyStream.Source {
    func continueReading() {
        let connection = state.withLock { state -> PooledConnection? in
            guard case .onConnection(let connection) = state.place else { return nil }
            return connection
        }
        connection?.onLoop { $0.readerHasRoom(for: self) }
    }

    func abandon() {
        fail(Self.cancelled)
    }
}
