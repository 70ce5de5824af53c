import HTTPTypes
import NIOCore
import Synchronization

/// One request on its way through the engine to one response: what is sent, the caller that waits
/// for it, and its stage.
///
/// Unchecked, but safe: `state` is only touched under the lock of the call, which the request takes
/// anyway. Everything else is constant or atomic.
final class Exchange: Call.Operation, @unchecked Sendable {
    /// The stage of the exchange.
    private enum Stage {
        /// Not handed to the pool yet, or waiting in it. Then `onConnection` or `finished`.
        case waiting
        /// Then `finished`.
        case onConnection(PooledConnection)
        /// The last stage.
        case finished
    }

    private struct State {
        var stage = Stage.waiting
        var caller: SuspendedCaller<TransportResponse, any Error>?
        /// The error of an exchange that ended before its caller waited.
        var earlyFailure: NetworkingError?
        var stream: BodyStream?
        var upload: RequestUpload?
        /// Whether the source of the body was asked for it.
        var hasBegunBody = false
        /// Whether it was sent on its way, so that it is among the transactions of the call.
        var hasBegun = false
        /// The connection that carries it, or did, and whether that had carried others before.
        var connection: ConnectionRecord?
        var isConnectionReused = false
        /// Whether that connection was made for another origin.
        var isCoalesced = false
        /// The transaction until it ends, where somebody observes it.
        var observed: ObservedTransaction?

        mutating func takeObserved() -> ObservedTransaction? {
            defer { observed = nil }
            return observed
        }
        /// The times of the connection that is being made for it.
        var attempt: AttemptTimes?
        /// The number of new connections that could not take it.
        var refusals = 0

        mutating func takeCaller() -> SuspendedCaller<TransportResponse, any Error>? {
            defer { caller = nil }
            return caller
        }
    }

    let request: Request
    let route: Route
    let head: RequestHead
    /// A small body that is sent in the same buffer as the head.
    let bodySentWithHead: ByteBuffer?
    /// The body when it is sent piece by piece behind the head.
    let bodySentLater: RequestBody?
    let timeouts: ExchangeTimeouts
    let startedAt: NIODeadline
    let deadline: NIODeadline?
    let collectsBody: Bool
    private let interim: InterimResponses?
    /// Whether the content codings of the response will be undone.
    private let decodesContent: Bool
    let needsFreshConnection: Bool
    let preferredLoop: ObjectIdentifier?
    /// The time since which it waits for a connection: a request that is sent again begins anew.
    private let waitsSince: NIODeadline
    /// Its ticket in the pool's queue, touched only under the pool's lock.
    private let storedTicket = Atomic(-1)
    let call: Call
    /// The number of its sending in the call, from 1.
    let hop: Int
    private let pool: ConnectionPool
    /// Written by the connection.
    let meter = ExchangeMeter()
    private var state = State()

    /// A body up to this size is sent in the same buffer as the head.
    private static let inlineBodySize = 64 * 1024

    init(
        _ request: Request,
        target: RequestTarget,
        through passage: Route.Passage?,
        proxyAuthorization: [UInt8]? = nil,
        context: ExchangeContext,
        startedAt: NIODeadline,
        deadline: NIODeadline?,
        isFirst: Bool,
        needsFreshConnection: Bool,
        mayExpectContinue: Bool = true,
        offersCodings: Bool = false,
        preferredLoop: ObjectIdentifier?,
        continuing unsent: ObservedTransaction? = nil,
        pool: ConnectionPool
    ) throws(NetworkingError) {
        hop = unsent?.hop ?? context.call.newHop()
        var request = unsent?.request ?? request
        request.upgrade?.ask(in: &request.headerFields)
        try request.announceTrailers()
        var observed = unsent
        // One that was stopped before will not begin.
        if !context.settings.transactionObservers.isEmpty, unsent == nil, !Task.isCancelled, context.call.error == nil {
            observed = context.call.observe(&request, to: target.origin, hop: hop)
        }
        do {
            head = try RequestHead(
                method: request.method,
                target: target.form(through: passage),
                path: target.path,
                host: target.host,
                proxyAuthorization: request.headerFields.contains(.proxyAuthorization) ? nil : proxyAuthorization,
                fields: request.fields(through: passage),
                body: request.body.map(RequestHead.BodyLength.init(of:)),
                expectation: mayExpectContinue
                    ? RequestHead.Expectation(of: request, from: context.settings.configuration.continueThreshold)
                    : .removed,
                // There will be no content.
                offersCodings: offersCodings && request.upgrade == nil
            )
        } catch {
            let error = NetworkingError(.invalidRequest, error.description, request: request)
            observed?.fail(error)
            throw error
        }
        switch request.body?.storage {
        case .bytes(let bytes)
        where bytes.readableBytes <= Self.inlineBodySize && !head.expectsContinue && request.body?.trailers == nil:
            bodySentWithHead = bytes
            bodySentLater = nil
        default:
            bodySentWithHead = nil
            bodySentLater = request.body
        }
        self.request = request
        route = pool.route(to: target.origin, through: passage, switchesProtocols: request.upgrade != nil)
        self.timeouts = request.effectiveTimeouts(over: context.settings.timeouts)
        self.startedAt = startedAt
        self.deadline = deadline
        self.collectsBody = context.collectsBody
        interim = context.interim
        decodesContent = offersCodings
        self.needsFreshConnection = needsFreshConnection
        self.preferredLoop = preferredLoop
        waitsSince = isFirst ? startedAt : .now()
        call = context.call
        self.pool = pool
        state.observed = observed
    }

    /// The body waits for 100 Continue.
    var expectsContinue: Bool { head.expectsContinue }

    /// The request with what the head adds to it.
    var sent: SentRequest { SentRequest(request, offer: head.offer) }

    /// Whether the source of the body was asked for it: one that can be read once is used up then.
    var hasBegunBody: Bool { call.withLock { _ in state.hasBegunBody } }

    /// Whether its call is suspended: checked for each read.
    var isSuspended: Bool { call.isSuspended }

    // MARK: The caller's side

    /// Hands the exchange to the pool and waits for the response head.
    func run() async throws -> TransportResponse {
        try await withTaskCancellationHandler {
            try await SuspendedCaller.suspend { caller in
                let (error, notice) = call.withLock { shared -> (NetworkingError?, Call.Traffic.Notice?) in
                    if let error = state.earlyFailure ?? shared.attach(self) { return (error, nil) }
                    state.caller = caller
                    state.hasBegun = true
                    return (nil, shared.traffic.beginHop(expectedToSend: request.body?.length))
                }
                if let error {
                    takeUnsent()?.fail(error)
                    return caller.resume(throwing: error)
                }
                notice?.give()
                // Who was told may have stopped it.
                guard notice == nil || isWaiting else { return }
                pool.submit(self)
            }
        } onCancel: {
            fail(Self.cancelled)
        }
    }

    /// Takes the observed transaction of an exchange that ended before it was sent.
    func takeUnsent() -> ObservedTransaction? {
        call.withLock { _ in state.takeObserved() }
    }

    /// Takes the observed transaction, to be ended outside the lock, with what was noted of it;
    /// called under the lock.
    private func takeObserved(_ shared: Call.State, or record: TransactionRecord? = nil) -> ObservedTransaction? {
        guard let observed = state.takeObserved() else { return nil }
        if let record = shared.transactions.record(ofHop: hop) ?? record { observed.note(record) }
        return observed
    }

    private static let cancelled = NetworkingError(.cancelled, "The request was cancelled.")

    func cancel(with error: NetworkingError) {
        fail(error)
    }

    func suspensionChanged() {
        connection?.onLoop { $0.suspensionChanged(for: self) }
    }

    func priorityChanged() {
        if isWaiting { pool.move(self) } else { connection?.onLoop { $0.priorityChanged(for: self) } }
    }

    private var connection: PooledConnection? {
        call.withLock { _ in
            if case .onConnection(let connection) = state.stage { connection } else { nil }
        }
    }

    // MARK: The engine's side

    /// Hands over an informational response to who wants it now.
    func received(informational head: ResponseHead) {
        interim?.receive(head)
    }

    /// Puts the exchange on a connection; nil when it has ended meanwhile. The connection tells how
    /// it was made, to an exchange that it was made for, whether the server may send 100 Continue,
    /// and whether the whole request is sent now.
    func run(
        on connection: PooledConnection,
        _ establishment: Establishment?,
        knowsContinue: Bool,
        isSentAtOnce: Bool,
        now: NIODeadline
    ) -> ExchangeRun? {
        let isTaken = call.withLock { _ in
            guard case .waiting = state.stage else { return false }
            state.stage = .onConnection(connection)
            state.connection = connection.record
            state.isConnectionReused = establishment == nil
            state.isCoalesced = connection.route.origin != route.origin && !connection.route.isShared
            return true
        }
        guard isTaken else { return nil }
        return ExchangeRun(
            self,
            establishment: establishment,
            knowsContinue: knowsContinue,
            isSentAtOnce: isSentAtOnce,
            now: now
        )
    }

    /// Whether the connection that carries it, or did, was made for another origin.
    var isCoalesced: Bool { call.withLock { _ in state.isCoalesced } }

    /// The connection that carries it, or did, and whether that had carried others before.
    var usedConnection: (record: ConnectionRecord?, isReused: Bool) {
        call.withLock { _ in (state.connection, state.isConnectionReused) }
    }

    /// Notes that a connection is being made for it.
    func isBeingConnected(_ times: AttemptTimes) {
        call.withLock { _ in state.attempt = times }
    }

    /// The times of the connection that is being made for it, as far as that came.
    var attemptTimes: ConnectionTimes? { call.withLock { _ in state.attempt }?.value }

    /// Whether a response with 2xx turns its stream of HTTP/2 into a tunnel (RFC 9113 §8.5).
    var opensTunnel: Bool { request.upgrade != nil || request.method == .connect }

    /// Notes that a new connection could not take it. True for the third one.
    func isRefusedTooOften() -> Bool {
        call.withLock { _ in
            state.refusals += 1
            return state.refusals >= 3
        }
    }

    /// Whether it has not ended and is on no connection.
    var isWaiting: Bool {
        call.withLock { _ in
            if case .waiting = state.stage { true } else { false }
        }
    }

    /// Counts what has arrived of a response that the caller does not have yet, and notes its head.
    func note(_ head: ResponseHead, _ arrival: Call.Arrival) {
        let notice = call.withLock { shared -> Call.Traffic.Notice? in
            if case .finished = state.stage { return nil }
            shared.transactions.note(record(head, endedAt: nil))
            return call.count(arrival, &shared)
        }
        notice?.give()
    }

    /// Hands the caller the response head, with all of the body or a stream of it, and counts what
    /// has arrived.
    func deliver(_ response: TransportResponse, stream: BodyStream?, _ arrival: Call.Arrival) {
        let isCoded = decodesContent && response.hasContentEncoding && !call.settings.transactionObservers.isEmpty
        let response = isCoded ? awaitingDecoding(response) : response
        typealias Result = (
            Bool, SuspendedCaller<TransportResponse, any Error>?, RequestUpload?, Call.Traffic.Notice?,
            ObservedTransaction?
        )
        let (isOver, caller, upload, notice, observed) = call.withLock { shared -> Result in
            if case .finished = state.stage { return (true, nil, nil, nil, nil) }
            let notice = call.count(arrival, &shared)
            state.stream = stream
            guard stream == nil else {
                shared.transactions.note(record(response.head, endedAt: nil))
                return (false, state.takeCaller(), nil, notice, nil)
            }
            shared.transactions.note(whole(response))
            shared.detach(self)
            state.stage = .finished
            defer { state.upload = nil }
            return (false, state.takeCaller(), state.upload, notice, takeObserved(shared))
        }
        if isOver { return }
        notice?.give()
        observed?.end()
        guard let upload else {
            caller?.resume(returning: response)
            return
        }
        upload.whenEnded { caller?.resume(returning: response) }
    }

    /// The response with its transaction, which waits from now on until the body is decoded. As it
    /// is where nobody observes it, and where the body is not wanted.
    private func awaitingDecoding(_ response: TransportResponse) -> TransportResponse {
        guard response.body.wholeByteCount != 0, response.statusCode != 206, !ExchangeRun.isFollowed(response.head)
        else { return response }
        var response = response
        response.observed = call.withLock { _ in state.observed }
        response.observed?.awaitDecoding()
        return response
    }

    /// Ends a streamed body that is complete.
    func finishStream(trailers: HTTPFields, at: NIODeadline) {
        typealias Result = (Bool, BodyStream?, RequestUpload?, ObservedTransaction?)
        let (isOver, stream, upload, observed) = call.withLock { shared -> Result in
            if case .finished = state.stage { return (true, nil, nil, nil) }
            shared.detach(self)
            shared.transactions.note(record(nil, endedAt: at))
            state.stage = .finished
            defer { state.upload = nil }
            return (false, state.stream, state.upload, takeObserved(shared))
        }
        if isOver { return }
        observed?.end()
        guard let upload else {
            stream?.finish(trailers: trailers, at: at)
            return
        }
        upload.whenEnded { stream?.finish(trailers: trailers, at: at) }
    }

    /// Ends the exchange with an error, in any stage; later calls do nothing.
    func fail(_ error: NetworkingError) {
        let named = route.proxy.map { error.naming($0) } ?? error
        let error = named.completed(request: sent.request)
        let now = NIODeadline.now()
        typealias Result = (
            Stage, SuspendedCaller<TransportResponse, any Error>?, BodyStream?, RequestUpload?, ObservedTransaction?
        )
        let (stage, caller, stream, upload, observed) = call.withLock { shared -> Result in
            defer {
                state.stage = .finished
                state.upload = nil
            }
            shared.detach(self)
            if case .finished = state.stage { return (state.stage, nil, nil, state.upload, nil) }
            var observed: ObservedTransaction?
            // One that left its connection to others will be made again.
            if !RepeatableError.isSuspension(error) {
                let record = record(error.response, endedAt: now, error: error)
                if state.hasBegun { shared.transactions.note(record) }
                observed = takeObserved(shared, or: record)
            }
            let caller = state.takeCaller()
            if caller == nil, state.stream == nil { state.earlyFailure = error }
            return (state.stage, caller, state.stream, state.upload, observed)
        }
        upload?.stop()
        observed?.end()
        switch stage {
        case .finished: return
        case .waiting: pool.remove(self)
        case .onConnection(let connection): connection.onLoop { $0.abort(self) }
        }
        let seen = error.with(call.metrics)
        guard let upload else {
            stream?.fail(seen)
            caller?.resume(throwing: seen)
            return
        }
        upload.whenEnded {
            stream?.fail(seen)
            caller?.resume(throwing: seen)
        }
    }

    /// What is to be noted of it in the call when its response is whole; called under the lock.
    private func whole(_ response: TransportResponse) -> Call.WholeTransaction {
        Call.WholeTransaction(
            hop: hop,
            response: response,
            connection: state.connection,
            isConnectionReused: state.isConnectionReused,
            startedAt: waitsSince,
            marks: meter.marks,
            wireBytes: meter.bytes
        )
    }

    /// What is to be noted of it in the call; called under the lock.
    private func record(
        _ head: ResponseHead?,
        endedAt: NIODeadline?,
        error: NetworkingError? = nil
    ) -> TransactionRecord {
        let connection = state.connection ?? error?.connection
        // Of one that is being made, as far as that came.
        let attempt = connection == nil && error != nil ? state.attempt?.value : nil
        return TransactionRecord(
            hop: hop,
            sent: sent,
            head: head,
            error: error,
            startedAt: waitsSince,
            endedAt: endedAt,
            marks: meter.marks,
            connection: connection ?? attempt.map { ConnectionRecord(failed: $0, proxy: route.proxy) },
            isConnectionReused: state.isConnectionReused,
            wireBytes: meter.bytes
        )
    }

    /// Keeps the upload of this exchange, which ends with it.
    func began(_ upload: RequestUpload) {
        let isFinished = call.withLock { _ in
            if case .finished = state.stage { return true }
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
            connect: timeouts.connect,
            waiting: timeouts.waiting
        )
    }

    /// That of the task wins: it may have been changed since the request was made.
    var priority: RequestPriority { call.chosenPriority ?? request.properties.priority ?? .normal }

    var urgency: Int { priority.urgency }

    var ticket: Int {
        get { storedTicket.load(ordering: .relaxed) }
        set { storedTicket.store(newValue, ordering: .relaxed) }
    }
}

extension Exchange: BodyStream.Source {
    func continueReading() {
        connection?.onLoop { $0.readerHasRoom(for: self) }
    }

    func abandon() {
        fail(Self.cancelled)
    }
}
