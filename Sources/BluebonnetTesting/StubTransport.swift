public import Bluebonnet
import Synchronization

/// A transport that responds by itself, for tests of code that uses Bluebonnet: no network, no
/// ports, no waiting.
///
/// Everything above the network is real: serializers, interceptors, redirects, validation and
/// parsing.
///
/// <!-- snippet:
/// import Testing
/// -->
/// ```swift
/// let transport = StubTransport(routes: [
///     .get("/users/42"): .json(["id": 42, "name": "Ada"]),
///     .post("/users"): StubResponse(status: .created),
/// ])
/// let session = SessionManager(transport: transport)
/// let api = HTTPSessionManager(baseURL: "https://api.example.com", session: session)
///
/// let user: User = try await api.get("users/42")
/// #expect(transport.requests[0].url.path() == "/users/42")
/// ```
///
/// A closure responds to what a table cannot:
///
/// ```swift
/// let transport = StubTransport { request in
///     let isAuthorized = request.headerFields[.authorization] != nil
///     return isAuthorized ? .json(["ok": true]) : StubResponse(status: .unauthorized)
/// }
/// ```
///
/// No counterpart in AFNetworking or Alamofire, where tests register an `NSURLProtocol`.
public final class StubTransport: Transport {
    /// Returns the response to a request. The transport throws the error that it throws.
    public typealias Responder = @Sendable (_ request: Request) async throws -> StubResponse

    private struct Waiter {
        var count: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var requests: [StubRequest] = []
        var lastNumber = 0
        /// The callers that wait for a number of requests.
        var waiters: [Int: Waiter] = [:]
        /// The delays that run.
        var delays: [Int: Task<Void, any Error>] = [:]
        /// The number of calls of `invalidate()`.
        var invalidations = 0

        mutating func newNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let clock: any Clock<Duration>
    private let respond: Responder
    private let state = Mutex(State())

    /// Makes a transport that calls a closure for each response.
    ///
    /// - Parameters:
    ///   - clock: Measures ``StubResponse/delay``; a clock of your own makes delays take no
    ///     time. Default: the continuous clock.
    ///   - respond: Returns the response to each request; it runs several times at once when there
    ///     are several requests at once.
    public init(clock: any Clock<Duration> = ContinuousClock(), respond: @escaping Responder) {
        self.clock = clock
        self.respond = respond
    }

    /// Makes a transport that responds by a table.
    ///
    /// A request without a route fails with `NetworkingError.Code.invalidRequest`, and its message
    /// lists the routes.
    ///
    /// - Parameters:
    ///   - clock: Measures ``StubResponse/delay``. Default: the continuous clock.
    ///   - routes: The routes with their responses; the first that matches counts.
    public convenience init(
        clock: any Clock<Duration> = ContinuousClock(),
        routes: KeyValuePairs<StubRoute, StubResponse>
    ) {
        let table = routes.map { (route: $0.key, response: $0.value) }
        self.init(clock: clock) { request in
            if let entry = table.first(where: { $0.route.matches(request) }) { return entry.response }
            let known = table.map { $0.route.description }.joined(separator: ", ")
            throw NetworkingError(
                .invalidRequest,
                "No route of the stub matches \(request). The routes are: \(known.isEmpty ? "none" : known).",
                request: request
            )
        }
    }

    // MARK: Requests so far

    /// The requests so far, in the order in which they came.
    public var requests: [StubRequest] { state.withLock { $0.requests } }

    /// Waits until so many requests have come.
    ///
    /// - Parameter count: How many requests to wait for.
    /// - Returns: The requests so far: at least as many, or fewer when the waiting Swift task is
    ///   cancelled.
    public func requests(count: Int) async -> [StubRequest] {
        let number = state.withLock { $0.newNumber() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    guard state.requests.count < count, !Task.isCancelled else { return false }
                    state.waiters[number] = Waiter(count: count, continuation: continuation)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume()
        }
        return requests
    }

    // MARK: Transport

    /// Records the request and responds to it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Not looked at.
    /// - Returns: The response.
    /// - Throws: The error of the stub, what the closure throws, what reading the body throws, and
    ///   `NetworkingError.Code.cancelled` when the Swift task is cancelled during a delay.
    public func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
        let invalidations = record(StubRequest(request, body: try await request.body?.collect()))
        let stub = try await respond(request)
        if stub.delay > .zero { try await wait(stub.delay, unlessInvalidatedSince: invalidations) }
        if let error = stub.error { throw error }
        return TransportResponse(
            head: ResponseHead(status: stub.status, headerFields: stub.headerFields),
            body: stub.streamedBody ?? .data(stub.body, trailers: stub.trailers),
            request: request
        )
    }

    /// Ends the delays of all requests that have come so far with
    /// `NetworkingError.Code.sessionInvalidated`. The transport can go on serving another session.
    public func invalidate() {
        let delays = state.withLock { state in
            state.invalidations += 1
            defer { state.delays = [:] }
            return Array(state.delays.values)
        }
        for delay in delays { delay.cancel() }
    }

    /// Records a request; returns how often the transport had been invalidated by then.
    private func record(_ request: StubRequest) -> Int {
        let (ready, invalidations) = state.withLock { state in
            state.requests.append(request)
            let ready = state.waiters.filter { $0.value.count <= state.requests.count }
            for number in ready.keys { state.waiters[number] = nil }
            return (ready.values.map(\.continuation), state.invalidations)
        }
        for continuation in ready { continuation.resume() }
        return invalidations
    }

    /// Waits by the clock; throws early when the Swift task is cancelled or the transport is
    /// invalidated, also when that was before this call.
    private func wait(_ delay: Duration, unlessInvalidatedSince invalidations: Int) async throws {
        let begun = state.withLock { state in
            guard state.invalidations == invalidations else { return (Int, Task<Void, any Error>)?.none }
            let number = state.newNumber()
            let sleep = Task { [clock] in try await clock.sleep(for: delay) }
            state.delays[number] = sleep
            return (number, sleep)
        }
        guard let (number, sleep) = begun else {
            throw NetworkingError(.sessionInvalidated, "The session was invalidated.")
        }
        let result = await withTaskCancellationHandler {
            await sleep.result
        } onCancel: {
            sleep.cancel()
        }
        let isInvalidated = state.withLock { $0.delays.removeValue(forKey: number) } == nil
        guard case .failure(let error) = result else { return }
        if isInvalidated {
            throw NetworkingError(.sessionInvalidated, "The session was invalidated.", underlying: error)
        }
        throw NetworkingError(.cancelled, "The request was cancelled.", underlying: error)
    }
}
