public import FoundationEssentials

/// Makes and runs tasks over one pool of connections.
///
/// Nothing has to be shut down: when the last reference is released, running tasks fail with
/// ``NetworkingError/Code/sessionInvalidated`` and the connections close. Share one; every session
/// has connections of its own. ``withSession(configuration:transport:_:)`` makes one for a limited
/// time.
///
/// A noun names the request with `for:` (`response(for:as:)`, `data(for:)`, `dataTask(for:as:)`); a
/// verb takes it without a label (`open(_:)`). All of them send the request as it is, and none
/// applies the rules of an ``HTTPSessionManager``.
///
/// Counterpart of `AFURLSessionManager`, and of Alamofire's `Session`.
public final class SessionManager: Sendable {
    /// A session with the default configuration, shared by all managers without a session of their
    /// own. It cannot be ended: ``invalidate(cancellingTasks:)`` and ``shutdown()`` do nothing to
    /// it, as `invalidateAndCancel` does nothing to `URLSession.shared`.
    public static let shared = SessionManager(SessionCore(configuration: SessionConfiguration()), isShared: true)

    let core: SessionCore
    /// Whether nobody may end it.
    private let isShared: Bool

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - configuration: Timeouts, limits, trust, interceptors. Default: the default
    ///     configuration.
    ///   - transport: The transport that sends the requests. Default: the engine.
    public convenience init(
        configuration: SessionConfiguration = SessionConfiguration(),
        transport: (any Transport)? = nil
    ) {
        self.init(SessionCore(configuration: configuration, transport: transport))
    }

    init(_ core: SessionCore, isShared: Bool = false) {
        self.core = core
        self.isShared = isShared
        if core.hookCalls != nil { core.keep(self) }
        core.restoreTransfers()
    }

    deinit {
        core.invalidate(
            cancellingTasks: true,
            error: NetworkingError(
                .sessionInvalidated,
                "The session was released while the request was under way: keep its SessionManager until the end."
            ),
            isRelease: true
        )
    }

    /// The configuration the session was made with.
    public var configuration: SessionConfiguration { core.configuration }

    /// The tasks that are not complete, in the order they were made: those under way, streams
    /// included, and those that were made and not started, for as long as they are referenced.
    ///
    /// A call that is awaited without a task object is a task too: it can be suspended, resumed,
    /// cancelled, and given another priority. It is listed by its verb, whatever it sends: an
    /// `upload` among ``uploadTasks``, a `download` among ``downloadTasks``, a `stream` and
    /// ``open(_:)`` among ``streamTasks``, and every other, such as a `post` of a file, among
    /// ``dataTasks``.
    ///
    /// None of the lists waits for anything, as those of AFNetworking do.
    public var tasks: [any SessionTask] { core.tasks() }

    /// The tasks among ``tasks`` that are neither uploads nor downloads nor streams: each
    /// ``DataTask``, and calls without a task object.
    public var dataTasks: [any SessionTask] { core.tasks(.data) }

    /// The uploads among ``tasks``: each is an ``UploadTask`` of some type of value.
    public var uploadTasks: [any SessionTask] { core.tasks(.upload) }

    /// The streams among ``tasks``: each ``StreamTask``, and streams without a task object.
    public var streamTasks: [any SessionTask] { core.tasks(.stream) }

    /// The events of the tasks from now on, until the session ends. Every call makes a new stream;
    /// the newest 1,024 events wait for a slow reader. ``events(keepingNewest:withResults:)`` has
    /// other limits.
    public var events: AsyncStream<SessionEvent> { core.events(keepingNewest: 1024, wantsResults: false) }

    /// The events of the tasks from now on, until the session ends. Every call makes a new stream.
    ///
    /// - Parameters:
    ///   - limit: The most events that wait for a slow reader, who misses the oldest of more; less
    ///     than 1 counts as 1. Nil loses none.
    ///   - withResults: Whether the events have the bodies and values of responses, which are in
    ///     memory until the reader has them. Default: false.
    /// - Returns: The events.
    public func events(keepingNewest limit: Int?, withResults: Bool = false) -> AsyncStream<SessionEvent> {
        core.events(keepingNewest: limit, wantsResults: withResults)
    }

    // MARK: Tasks

    /// Makes a task that is not started. Only the serializer validates its response, never a
    /// manager's rules.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The task, not started.
    public func dataTask<Serializer: ResponseSerializer>(
        for request: Request,
        as serializer: Serializer
    ) -> DataTask<Serializer.Output> {
        DataTask(request, session: core, serializer: serializer) { received throws(NetworkingError) in
            try serializer.serialize(received)
        }
    }

    /// Makes a task that is not started and returns the body as it is: nothing is validated, and a
    /// response of any status is returned.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The task, not started.
    public func dataTask(for request: Request) -> DataTask<Data> {
        DataTask(request, session: core) { received throws(NetworkingError) in received.body }
    }

    /// Sends a request and returns the parsed response. Only the serializer validates it, never a
    /// manager's rules. Cancelling the Swift task cancels the request.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - serializer: Makes the value of the response.
    /// - Returns: The response with its value.
    /// - Throws: ``NetworkingError``.
    public func response<Serializer: ResponseSerializer>(
        for request: Request,
        as serializer: Serializer
    ) async throws(NetworkingError) -> Response<Serializer.Output> {
        try await perform(request, as: serializer)
    }

    /// Does the same as a data task that is awaited at once, without the task object.
    func perform<Serializer: ResponseSerializer>(
        _ request: Request,
        as serializer: Serializer
    ) async throws(NetworkingError) -> Response<Serializer.Output> {
        let call = Call(request, core: core, isStarted: true)
        if core.hasListeners { call.note(serializer: serializer) }
        let received = try await core.receive(call)
        let isLengthy = serializer.isLengthy
        guard call.isFinishedElsewhere(received, isLengthy: isLengthy, caller: #isolation) else {
            return try call.finish(received) { received throws(NetworkingError) in
                Response(value: try serializer.serialize(received), received)
            }
        }
        return try await call.finishElsewhere(received, isLengthy: isLengthy) { received throws(NetworkingError) in
            Response(value: try serializer.serialize(received), received)
        }
    }

    /// Sends a request and returns the body as it is: nothing is validated, and a response of any
    /// status is returned. Cancelling the Swift task cancels the request.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response; its value is the body.
    /// - Throws: ``NetworkingError``, but never for a status.
    public func data(for request: Request) async throws(NetworkingError) -> Response<Data> {
        let call = Call(request, core: core, isStarted: true)
        let received = try await core.receive(call)
        guard call.hooks == nil else {
            return try await call.finishElsewhere(received) { Response(value: $0.body, $0) }
        }
        return try call.finish(received) { Response(value: $0.body, $0) }
    }

    // MARK: Streaming

    /// Sends a request now and returns with the head of its response; the body is read from the
    /// result, with back-pressure. Nothing is validated, and a response of any status is returned:
    /// ``ResponseStream/init(_:session:validation:)`` refuses other statuses than 2xx.
    ///
    /// Cancelling the Swift task cancels the request, also while the body is read. It is one of
    /// ``streamTasks`` until its body has come to the end, failed or been dropped.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response; its body is still to be read.
    /// - Throws: ``NetworkingError``, but never for a status.
    public func open(_ request: Request) async throws(NetworkingError) -> TransportResponse {
        try await open(request, validations: [], errorBodyLimit: 0)
    }

    /// Does the same as ``open(_:)`` for a response that rules accept; see
    /// ``TransportResponse/accepted(by:errorBodyLimit:)``.
    func open(
        _ request: Request,
        validations: [ResponseValidation],
        errorBodyLimit: Int
    ) async throws(NetworkingError) -> TransportResponse {
        let call = Call(request, core: core, kind: .stream, isWatched: true, isStarted: true)
        return try await core.open(call) { response throws(NetworkingError) in
            try await response.keeping(self, call).accepted(
                by: validations,
                errorBodyLimit: errorBodyLimit
            )
        }
    }

    /// Makes a task that is not started, and whose response is read while it comes.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - validation: The responses that are accepted. Default: every 2xx.
    /// - Returns: The task, not started.
    public func streamTask(for request: Request, validation: ResponseValidation = .default) -> StreamTask {
        StreamTask(request, session: self, validations: [validation])
    }

    // MARK: The end

    /// Cancels all ``tasks``: those under way fail with ``NetworkingError/Code/cancelled``, those
    /// that have not started never start. The session stays usable. In ``shared`` these are also
    /// the tasks of other code.
    ///
    /// Counterpart of Alamofire's `cancelAllRequests()`.
    public func cancelAllTasks() {
        for task in tasks { task.cancel() }
    }

    /// Ends the session: no new task starts, and every later request fails with
    /// ``NetworkingError/Code/sessionInvalidated``. Does nothing to ``shared``, which other code
    /// uses too; cancel its ``tasks`` one by one.
    ///
    /// - Parameter cancellingTasks: Whether running tasks and streams fail now; otherwise they are
    ///   completed first. Default: true.
    public func invalidate(cancellingTasks: Bool = true) {
        guard !isShared else { return }
        core.invalidate(
            cancellingTasks: cancellingTasks,
            error: NetworkingError(.sessionInvalidated, "The session was invalidated.")
        )
    }

    /// Returns when the tasks of a session that was invalidated are over and their last hooks have
    /// returned, or when the Swift task is cancelled.
    package func waitForTasks() async {
        await core.waitForTasks()
    }

    /// Ends the session and returns when its last connection has closed, and another session can
    /// have its ``SessionConfiguration/transferJournal``. Its ``SessionConfiguration/cookieJar`` is
    /// written by then. Returns at once for ``shared``, which does not end.
    ///
    /// It waits for the ``SessionHooks`` that are being called, and for none of them longer than
    /// two seconds: the Swift task of a hook is cancelled after the first one. Where another
    /// process keeps the lock on the store of the cookies, it waits ten seconds for that, and one
    /// second in a Swift task that is cancelled.
    public func shutdown() async {
        guard !isShared else { return }
        invalidate()
        await (core.transport as? Engine)?.waitUntilClosed()
        await core.chain.end.cache?.waitUntilIdle()
        await core.transfers?.waitUntilIdle()
        await synchronizeTransfers()
        await core.hookCalls?.waitUntilEnded()
        // Nobody is there to be told of an error: the jar keeps what it could not write.
        try? await core.settings.configuration.cookieJar?.flush()
    }
}

/// Makes a session, runs the closure with it, and shuts it down: its running tasks fail, and its
/// last connection is closed when this returns, also when the closure throws or the Swift task is
/// cancelled.
///
/// ```swift
/// let data = try await withSession { session in
///     try await session.data(for: request).value
/// }
/// ```
///
/// For tests and programs with an end; a service keeps one ``SessionManager``. No counterpart: a
/// session of AFNetworking or Alamofire is invalidated by hand.
///
/// - Parameters:
///   - configuration: Timeouts, limits, trust, interceptors. Default: the default configuration.
///   - transport: The transport that sends the requests. Default: the engine.
///   - body: Uses the session, which fails every request after the end.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
public func withSession<Output, Failure: Error>(
    configuration: SessionConfiguration = SessionConfiguration(),
    transport: (any Transport)? = nil,
    _ body: (SessionManager) async throws(Failure) -> Output
) async throws(Failure) -> Output {
    let session = SessionManager(configuration: configuration, transport: transport)
    do throws(Failure) {
        let output = try await body(session)
        await session.shutdown()
        return output
    } catch {
        await session.shutdown()
        throw error
    }
}
