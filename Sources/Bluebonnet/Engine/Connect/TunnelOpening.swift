import NIOCore
import Synchronization

/// The opening of a tunnel over HTTP/2 for one connection: a ``TunnelRequest`` with the timeout and
/// the times of the attempt that goes on behind the tunnel.
final class TunnelOpening: Sendable {
    typealias Completion = @Sendable (Result<OpenedTunnel, NetworkingError>) -> Void

    private struct State {
        /// Nil before it begins, and when it is over.
        var completion: Completion?
        var task: Task<Void, Never>?
        var timer: Scheduled<Void>?
        /// The exchange under way.
        var exchange: Exchange?
    }

    private let request: TunnelRequest
    /// The way to the server.
    private let route: Route
    private let timeout: Duration?
    private let startedAt: NIODeadline
    private let attemptTimes: AttemptTimes
    private let state = Mutex(State())

    /// - Parameters:
    ///   - request: The request for the tunnel.
    ///   - route: The way to the server.
    ///   - timeout: The time for the connection to be ready; nil for no limit.
    ///   - startedAt: The time since which that runs.
    ///   - times: Those of the connection.
    init(_ request: TunnelRequest, for route: Route, timeout: Duration?, startedAt: NIODeadline, times: AttemptTimes) {
        self.request = request
        self.route = route
        self.timeout = timeout
        self.startedAt = startedAt
        attemptTimes = times
    }

    private var times: ConnectionTimes {
        get { attemptTimes.value }
        set { attemptTimes.value = newValue }
    }

    /// Begins. The handle cancels it; the completion is called once, on any thread.
    func run(by handle: AttemptHandle, completion: @escaping Completion) {
        // The proxy is not passed before the tunnel is open.
        times.proxy = .init(start: times.proxy?.start ?? .now())
        state.withLock { $0.completion = completion }
        handle.whenCancelled { self.cancel(with: $0) }
        let timer = timeout.map { time in
            StoppableCall.schedule(at: startedAt.advanced(by: time)) { self.timedOut() }
        }
        let task = Task { await open() }
        let isOver = state.withLock { state in
            if state.completion != nil { (state.task, state.timer) = (task, timer) }
            return state.completion == nil
        }
        guard isOver else { return }
        task.cancel()
        timer?.cancel()
    }

    /// Ends it with the error.
    func cancel(with error: NetworkingError) {
        end(.failure(error))
    }

    private func open() async {
        do throws(NetworkingError) {
            let opened = try await request.open { exchange in state.withLock { $0.exchange = exchange } }
            end(.success(opened))
        } catch {
            end(.failure(error))
        }
    }

    private func timedOut() {
        end(.failure(.connectTimedOut(route, timeout, timesSoFar)))
    }

    /// Ends it; only the first end counts. A tunnel that is open then is aborted by its release.
    private func end(_ result: Result<TunnelRequest.Opened, NetworkingError>) {
        typealias Parts = (Completion?, Task<Void, Never>?, Scheduled<Void>?)
        let (completion, task, timer) = state.withLock { state -> Parts in
            defer { (state.completion, state.task, state.timer) = (nil, nil, nil) }
            return (state.completion, state.task, state.timer)
        }
        guard let completion else { return }
        timer?.cancel()
        task?.cancel()
        switch result {
        case .success(let opened):
            var times = times
            if !opened.isConnectionReused, let connection = opened.connection { times.take(connection.times) }
            times.proxy?.end = .now()
            self.times = times
            completion(.success(opened.tunnel))
        case .failure(var error):
            let times = timesSoFar
            self.times = times
            error.connection = error.connection ?? ConnectionRecord(failed: times, proxy: route.proxy)
            completion(.failure(error))
        }
        state.withLock { $0.exchange = nil }
    }

    /// The times with those of a connection to the proxy that is being made for it.
    private var timesSoFar: ConnectionTimes {
        var times = times
        if let attempt = state.withLock({ $0.exchange })?.attemptTimes { times.take(attempt) }
        return times
    }
}

extension ConnectionTimes {
    /// Takes the phases of another connection over, on which this one is built.
    fileprivate mutating func take(_ carrier: ConnectionTimes) {
        nameLookup = carrier.nameLookup
        awaitedName = carrier.awaitedName
        connect = carrier.connect
        attempts = carrier.attempts
        if let start = carrier.proxy?.start { proxy?.start = start }
    }
}
