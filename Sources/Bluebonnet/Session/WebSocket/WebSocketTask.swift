/// A WebSocket (RFC 6455): an asynchronous sequence of the messages that its server sends, and a
/// way to send others.
///
/// ```swift
/// let socket = session.webSocket(URL(string: "wss://example.com/feed")!)
/// try await socket.send("hello")
/// for try await message in socket {
///     switch message {
///     case .text(let text): print(text)
///     case .binary(let bytes): print(bytes.count)
///     }
/// }
/// ```
///
/// A task made by a factory is not started. ``resume()`` starts it, and so does whoever first
/// reads, sends, or awaits ``value``.
///
/// The sequence ends when the server has closed the WebSocket with 1000, 1001 or no code, and when
/// this side has closed it; every other end throws. Each message goes to one reader. A reader that
/// is slow slows the server down (``WebSocketOptions/receiveBuffer``), and a server that is slow
/// the sender (``WebSocketOptions/sendBuffer``). Cancelling a Swift task that reads or sends ends
/// its wait, not the WebSocket. A task that is released is cancelled.
///
/// Counterpart of `URLSessionWebSocketTask`.
public final class WebSocketTask: SessionTask {
    /// The result of the opening: the agreement with the server, or the error.
    public typealias Outcome = Result<WebSocketOpening, NetworkingError>

    private let call: Call
    private let session: SessionManager
    private let life: WebSocketLife

    init(_ request: Request, session: SessionManager, options: WebSocketOptions) {
        self.session = session
        call = Call(request, core: session.core, kind: .webSocket, isWatched: true)
        life = WebSocketLife(call, session: session.core, options: options)
        call.present(as: self, serializer: nil)
        session.core.made(self, .webSocket)
    }

    deinit {
        session.core.released(call.identifier)
        cancel()
    }

    // MARK: What is known of it

    /// A number that no other task of the session has.
    public var identifier: Int { call.identifier }

    /// The request that the task was made with; its URL has the scheme `http` or `https`.
    public var originalRequest: Request { call.originalRequest }

    /// The state of the task.
    public var state: TaskState { call.state }

    /// The state now, and each new one until the task is over: ``TaskState/completed`` is the last
    /// one. A slow reader gets the newest. The task is not kept: of one that is released before it
    /// was started, the states end without that.
    public var states: AsyncStream<TaskState> { call.states }

    /// The request of the last hop, after interceptors and redirects; the original one before the
    /// first response.
    public var currentRequest: Request { call.currentRequest }

    /// Status and header fields of the response of the last opening, once they are there.
    public var head: ResponseHead? { call.head }

    /// The progress of the messages: the bytes of those that were sent and received.
    public var currentProgress: TaskProgress { call.currentProgress }

    /// The progress of the messages, until the task is over: at the first bytes, then at most ten
    /// times a second, and at the end. A slow reader gets the newest.
    public var progress: AsyncStream<TaskProgress> { call.progress }

    /// What has happened so far in its openings; all of it when the task is over. Nil before it was
    /// started.
    public var metrics: TaskMetrics? { call.metrics }

    /// The urgency of the opening request; see ``SessionTask/priority``.
    public var priority: RequestPriority {
        get { call.priority }
        set { call.priority = newValue }
    }

    /// Code and reason of the end; nil before it.
    ///
    /// Counterpart of `closeCode` and `closeReason` of `URLSessionWebSocketTask`.
    public var closure: WebSocketClosure? { life.mailbox.end?.closure }

    /// Calls the closure with the progress as often as ``progress`` has one, on no particular
    /// thread of Swift's tasks, which it must not block. Its last call comes before those of
    /// ``whenComplete(_:)``.
    ///
    /// - Parameter body: Gets the progress.
    public func onProgress(_ body: @escaping @Sendable (TaskProgress) -> Void) {
        call.onProgress(body)
    }

    // MARK: The opening

    /// The agreement with the server; starts the task if it was not started. Cancelling the Swift
    /// task that awaits cancels this task.
    ///
    /// - Throws: ``NetworkingError``: ``NetworkingError/Code/webSocketRefused`` for a response that
    ///   does not open a WebSocket, with its head and the beginning of its body; otherwise as a
    ///   request.
    public var value: WebSocketOpening {
        get async throws(NetworkingError) { try await result.get() }
    }

    /// The agreement or the error, as one value; see ``value``.
    public var result: Outcome {
        get async {
            start()
            return await life.opened.outcome(onCancel: cancel)
        }
    }

    /// The openings from now on, until the task is over: one, and after each reconnection another
    /// one. What a server must know anew then can be sent.
    public var openings: AsyncStream<WebSocketOpening> { life.openings }

    // MARK: Messages

    /// The next message; nil at an end that is no error. Starts the task if it was not started.
    ///
    /// - Throws: ``NetworkingError``: ``NetworkingError/Code/webSocketClosed`` where the server has
    ///   closed with an error, ``NetworkingError/Code/connectionLost``,
    ///   ``NetworkingError/Code/webSocketProtocolError`` and the other ends; and
    ///   ``NetworkingError/Code/cancelled`` where the Swift task was cancelled.
    public func receive() async throws(NetworkingError) -> WebSocketMessage? {
        start()
        return try await life.mailbox.next()
    }

    /// Sends a message behind those that were sent before; starts the task if it was not started.
    ///
    /// It returns when the message is on its way, or waits for a connection: not more than
    /// ``WebSocketOptions/sendBuffer`` bytes do. A message that was on its way when the connection
    /// was lost may be lost, also where the WebSocket is opened again.
    ///
    /// - Parameter message: The message; a string literal is text.
    /// - Throws: ``NetworkingError``: the error that ended the WebSocket,
    ///   ``NetworkingError/Code/webSocketClosed`` where it is closed, and
    ///   ``NetworkingError/Code/cancelled`` where the Swift task was cancelled: then the message is
    ///   not sent.
    public func send(_ message: WebSocketMessage) async throws(NetworkingError) {
        start()
        try await life.mailbox.send(message)
    }

    /// Sends a ping and returns the time until its pong. Starts the task if it was not started.
    ///
    /// - Returns: The round trip.
    /// - Throws: ``NetworkingError``, as ``send(_:)``; also
    ///   ``NetworkingError/Code/webSocketPingTimeout``, which is the end of the WebSocket.
    @discardableResult
    public func ping() async throws(NetworkingError) -> Duration {
        start()
        return try await life.mailbox.ping()
    }

    // MARK: Control

    /// Starts a new task, or resumes a suspended one.
    public func resume() {
        if !start() { call.resume() }
    }

    /// Stops sending and reading messages, so that the server is slowed down, until ``resume()`` or
    /// ``close(_:reason:)``. A task that was not started stays so.
    public func suspend() {
        call.suspend()
    }

    /// Closes the WebSocket behind the messages that were sent, and returns when it is closed
    /// (RFC 6455 §7.1.2): when the server has taken them, however long that lasts, and
    /// ``WebSocketOptions/closeTimeout`` twice after that at the latest. A server that stops taking
    /// them is an error, ``NetworkingError/Code/connectionLost``, for ``receive()``, the sequence
    /// and ``whenComplete(_:)``.
    ///
    /// What the server sends meanwhile can still be read, as far as
    /// ``WebSocketOptions/receiveBuffer`` has room; the rest is dropped. Of a task that is
    /// suspended, both directions go on for it. Before it is open, this cancels the task.
    ///
    /// - Parameters:
    ///   - code: The code; one that no Close frame can have counts as 1000. Default: 1000.
    ///   - reason: A reason for people who look for a fault. It is cut at 123 bytes of UTF-8.
    ///     Default: none.
    /// - Returns: Code and reason of the end: those of the server.
    @discardableResult
    public func close(_ code: WebSocketCloseCode = .normalClosure, reason: String = "") async -> WebSocketClosure {
        let code = code.isAllowedInFrame ? code : .normalClosure
        if !life.mailbox.close(WebSocketClosure(code: code, reason: reason)) { cancel() }
        return await life.ended.outcome(onCancel: cancel).closure
    }

    /// Fails the task with ``NetworkingError/Code/cancelled``, unless it is over. The server gets a
    /// Close frame with 1001, and is not waited for.
    public func cancel() {
        call.cancel()
        // No other code completes a task that never started.
        guard call.markUnstarted() else { return }
        life.finish(WebSocketEnd(closure: .lost, error: call.failed(CancellationError(), nil)))
    }

    /// Calls the closure once when the task is over, on no particular thread; at once if it is
    /// over. A task that is released is cancelled.
    ///
    /// - Parameter body: Gets the error that ended the task; nil for an end that is no error.
    public func whenComplete(_ body: @escaping @Sendable (NetworkingError?) -> Void) {
        life.ended.whenThere { body($0.error) }
    }

    @discardableResult
    private func start() -> Bool {
        call.start { [life] in await life.run() }
    }
}

extension WebSocketTask: AsyncSequence {
    /// The messages of a WebSocket.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let task: WebSocketTask

        fileprivate init(_ task: WebSocketTask) {
            self.task = task
        }

        /// The next message; nil at an end that is no error.
        ///
        /// - Throws: As ``WebSocketTask/receive()``.
        public mutating func next() async throws(NetworkingError) -> WebSocketMessage? {
            try await task.receive()
        }

        /// Does the same as ``next()``, for `for try await`.
        ///
        /// - Throws: As ``WebSocketTask/receive()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkingError) -> WebSocketMessage? {
            try await task.receive()
        }
    }

    /// Makes an iterator, which keeps the task.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}
