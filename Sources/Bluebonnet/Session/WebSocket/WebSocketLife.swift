import FoundationEssentials
import NIOCore
import Synchronization

/// The life of a WebSocket task: it is opened, carries messages until its connection ends, and is
/// opened again where that is wanted. The task is not kept.
final class WebSocketLife: Sendable {
    typealias Opened = Result<WebSocketOpening, NetworkingError>

    private let session: SessionCore
    private let call: Call
    private let handshake: WebSocketHandshake
    let mailbox: WebSocketMailbox
    /// The result of the first opening.
    let opened = TaskEnding<Opened>()
    /// The end.
    let ended = TaskEnding<WebSocketEnd>()
    private let listeners = Mutex(Listeners())

    /// Those who want to hear of openings.
    private struct Listeners {
        var continuations: [Int: AsyncStream<WebSocketOpening>.Continuation] = [:]
        var lastNumber = 0
        var isOver = false
    }

    /// The beginning of the body of a refusal that the error has.
    private static let errorBodyLimit = 65_536

    init(_ call: Call, session: SessionCore, options: WebSocketOptions) {
        self.session = session
        self.call = call
        handshake = WebSocketHandshake(options: options)
        mailbox = WebSocketMailbox(options)
    }

    private var options: WebSocketOptions { handshake.options }

    /// Runs until the end.
    func run() async {
        let end: WebSocketEnd
        do {
            call.begin(at: .now())
            try session.begin(call)
            if call.hooks != nil { try await session.tellBeginning(call, context) }
            end = try await live()
        } catch {
            let failure = await session.failed(call, error)
            return finish(WebSocketEnd(closure: failure.webSocketClosure ?? .lost, error: failure))
        }
        guard let error = end.error else {
            do throws(NetworkingError) {
                try call.complete(nil, nil, CallResult(head: call.head))
                await call.hooks?.settle(call)
                return finish(end)
            } catch {
                return finish(WebSocketEnd(closure: end.closure, error: error))
            }
        }
        finish(WebSocketEnd(closure: end.closure, error: await session.failed(call, error)))
    }

    /// Ends what waits for the task, also where it was never started.
    func finish(_ end: WebSocketEnd) {
        mailbox.end(end)
        opened.end(.failure(end.error ?? .webSocketIsOver(end.closure)))
        let continuations = listeners.withLock { listeners in
            listeners.isOver = true
            defer { listeners.continuations = [:] }
            return listeners.continuations.values
        }
        for continuation in continuations { continuation.finish() }
        call.whenReported { [ended] in ended.end(end) }
    }

    /// Every opening from now on.
    var openings: AsyncStream<WebSocketOpening> {
        let (stream, continuation) = AsyncStream.makeStream(of: WebSocketOpening.self)
        let number = listeners.withLock { listeners -> Int? in
            guard !listeners.isOver else { return nil }
            listeners.lastNumber += 1
            listeners.continuations[listeners.lastNumber] = continuation
            return listeners.lastNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        // Of a stream that nobody reads any more, nothing is kept.
        continuation.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    private func tell(_ opening: WebSocketOpening) {
        opened.end(.success(opening))
        for continuation in listeners.withLock({ $0.continuations.values }) { continuation.yield(opening) }
    }

    /// A context for each opening, which has the whole time of the request for itself.
    private var context: ExchangeContext { session.context(of: call, collectsBody: false) }

    // MARK: Openings

    /// Opens the WebSocket, and again, until an end that is one.
    private func live() async throws -> WebSocketEnd {
        let timing = session.settings.configuration.retryTiming
        let policy = call.originalRequest.retryPolicy ?? session.settings.configuration.retryPolicy ?? .standard
        var decisions = WebSocketReconnecting(options.reconnection, policy)
        var (count, attempts) = (0, 0)
        while true {
            attempts += 1
            let (hop, startedAt) = (call.lastHop, timing.now())
            let wait: Duration?
            let outcome: Result<WebSocketEnd, any Error>
            do {
                let (response, agreement, tunnel) = try await open()
                let openedAt = timing.now()
                count += 1
                mailbox.opened()
                let opening = WebSocketOpening(response.head, agreement, number: count)
                let server = (try? response.request.target)?.host ?? ""
                let end = await WebSocketConnection.run(
                    over: tunnel,
                    mailbox,
                    call,
                    agreement,
                    options,
                    server: server,
                    whenAttached: { self.tell(opening) }
                )
                wait = decisions.wait(after: end, lasting: timing.now().since(openedAt), random: timing.random)
                outcome = .success(end)
            } catch {
                let failure = NetworkingError.wrapping(error)
                let retryAfter = failure.response.flatMap { RetryAfter.time(in: $0, now: timing.date()) }
                wait = decisions.wait(after: failure, retryAfter: retryAfter, random: timing.random)
                outcome = .failure(error)
            }
            guard let wait, call.error == nil, !mailbox.isClosing else { return try outcome.get() }
            let attempt = RetryAttempt(
                number: attempts,
                request: call.originalRequest,
                outcome: shown(outcome),
                duration: timing.now().since(startedAt),
                mayHaveBeenProcessed: call.transactions(afterHop: hop)?.contains(where: \.mayHaveBeenProcessed) ?? true
            )
            // Only the openings have the time of a request.
            let context = ExchangeContext(call: call, end: nil, collectsBody: false)
            try await context.tell(TaskRetry(taskIdentifier: call.identifier, attempt: attempt, delay: wait))
            try await timing.sleep(context, wait)
        }
    }

    /// The outcome of an attempt as those see it who are told of the next one: a refusal is a
    /// response, as for a request, and the end of a connection is an error.
    private func shown(_ outcome: Result<WebSocketEnd, any Error>) -> Result<ResponseHead, NetworkingError> {
        var error: NetworkingError
        switch outcome {
        case .success(let end): error = end.error ?? .webSocketIsOver(end.closure)
        case .failure(let failure): error = .wrapping(failure)
        }
        if error.code == .webSocketRefused, let head = error.response { return .success(head) }
        error.metrics = error.metrics ?? call.metrics
        return .failure(error)
    }

    private typealias Open = (TransportResponse, WebSocketHandshake.Agreement, OpenedTunnel)

    /// Sends the opening request, and checks its response.
    private func open() async throws -> Open {
        let request = try handshake.request(call.originalRequest)
        let response = try await session.send(request, context: context)
        session.received(response, for: call)
        guard let tunnel = response.tunnel else { throw await refusal(response) }
        do throws(WebSocketHandshakeFault) {
            return (response, try handshake.agreement(response.head, to: response.request), tunnel)
        } catch {
            // The tunnel is aborted when it is released: RFC 6455 §4.1 fails the connection.
            throw NetworkingError(
                .webSocketRefused,
                "\(call.originalRequest.url.redactedDescription) did not open a WebSocket. \(error.sentence)",
                request: response.request,
                response: response.head
            )
        }
    }

    /// The error of a response that is not a switch of protocols.
    private func refusal(_ response: TransportResponse) async -> NetworkingError {
        let beginning = await response.body.beginning(upTo: Self.errorBodyLimit, within: .seconds(1))
        return NetworkingError(
            .webSocketRefused,
            """
            \(call.originalRequest.url.redactedDescription) did not open a WebSocket: \
            the status is \(response.statusCode).
            """,
            request: response.request,
            response: response.head,
            body: Data(taking: beginning.bytes)
        )
    }
}

extension WebSocketClosure {
    /// The connection ended without a close handshake (RFC 6455 §7.1.5).
    static let lost = WebSocketClosure(code: .abnormalClosure)
}
