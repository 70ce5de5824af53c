/// The decisions about opening a WebSocket again, as a value without I/O.
struct WebSocketReconnecting {
    private let rules: WebSocketReconnection?
    private let policy: RetryPolicy
    /// The attempts in a row after which there was no lasting connection.
    private var failures = 0

    init(_ rules: WebSocketReconnection?, _ policy: RetryPolicy) {
        self.rules = rules
        self.policy = policy
    }

    /// The wait before the WebSocket is opened again after its connection has ended; nil where it
    /// is not.
    ///
    /// - Parameters:
    ///   - end: The end.
    ///   - time: The time that the connection has lasted.
    ///   - random: Returns a number from 0 to below 1.
    /// - Returns: The wait.
    mutating func wait(after end: WebSocketEnd, lasting time: Duration, random: () -> Double) -> Duration? {
        guard let rules else { return nil }
        let isWanted =
            switch end.error?.code {
            // The end of a connection without a close handshake. RFC 8441 §5: on HTTP/2, RST_STREAM
            // is the counterpart of RST.
            case .connectionLost?, .streamReset?, .webSocketPingTimeout?, .tlsFailed?: true
            default: rules.closeCodes.contains(end.closure.code)
            }
        guard isWanted else { return nil }
        if time > rules.backoff.longest ?? .seconds(20) { failures = 0 }
        return nextWait(rules, random)
    }

    /// The wait after an opening that has failed; nil where it is not repeated.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - retryAfter: The time that its response asks for (RFC 9110 §10.2.3); nil for none.
    ///   - random: Returns a number from 0 to below 1.
    /// - Returns: The wait.
    mutating func wait(
        after error: NetworkingError,
        retryAfter: Duration? = nil,
        random: () -> Double
    ) -> Duration? {
        guard let rules else { return nil }
        let isWanted =
            if error.code == .webSocketRefused {
                error.response.map { policy.statusCodes.contains($0.statusCode) } ?? false
            } else {
                policy.errorCodes.contains(error.code)
            }
        guard isWanted else { return nil }
        guard let longest = policy.longestRetryAfter, let retryAfter else { return nextWait(rules, random) }
        guard retryAfter <= longest else { return nil }
        return nextWait(rules, random).map { max($0, retryAfter) }
    }

    private mutating func nextWait(_ rules: WebSocketReconnection, _ random: () -> Double) -> Duration? {
        failures += 1
        if let most = rules.maximumAttempts, failures > most { return nil }
        return rules.backoff.wait(before: failures, random: random)
    }
}
