import Synchronization

/// Those who wait for the acknowledgement of a PING: until it comes, its connection ends, or their
/// Swift task is cancelled.
typealias PingCaller = TaskEnding<Result<Duration, NetworkingError>>

extension ConnectionPool {
    /// Sends a PING on an HTTP/2 connection that carries the requests to an origin, and returns the
    /// time of its round trip.
    func ping(_ origin: Origin) async throws(NetworkingError) -> Duration {
        let route = route(to: origin, through: nil, switchesProtocols: false)
        let connection = state.withLock { state in
            // That of another origin may carry its requests, and a proxy may be between them.
            let entries = state.entries.filter { $0.key.origin == origin }.map { Optional($0.value) }
            return ([state.entry(serving: route)] + entries).lazy
                .compactMap { $0?.queue.firstConnection(where: \.speaksHTTP2) }.first
        }
        guard let connection else { throw .noHTTP2Connection(origin) }
        let caller = PingCaller()
        connection.ping(caller, of: origin)
        return try await caller.outcome {
            caller.end(.failure(NetworkingError(.cancelled, "The wait for a PING was cancelled.")))
        }
        .get()
    }
}

extension NetworkingError {
    /// There is nothing to send a PING on.
    static func noHTTP2Connection(_ origin: Origin) -> NetworkingError {
        NetworkingError(.connectionLost, "There is no HTTP/2 connection to \(origin.description).")
    }

    /// The connection has ended before it acknowledged a PING.
    static func pingLost(_ origin: Origin) -> NetworkingError {
        NetworkingError(
            .connectionLost,
            "The HTTP/2 connection to \(origin.description) ended before a PING was acknowledged."
        )
    }
}
