/// The four times a request may take. Each really fires, also in the middle of a body; nil means no limit.
///
/// Answers to `timeoutInterval` (60 s between bytes in AFNetworking) and `timeoutIntervalForResource`.
public struct Timeouts: Sendable, Hashable {
    /// The time to a ready connection: name lookup, TCP and TLS. Default: 10 seconds.
    public var connect: Duration?

    /// The time from the request being sent to the first byte of the response. Default: 60 seconds.
    public var firstByte: Duration?

    /// The longest pause inside the response. Default: 60 seconds. Stands still while the task is suspended or nobody reads.
    public var betweenBytes: Duration?

    /// The time of the whole exchange: waiting for a connection, redirects, retries and the body. Default: none.
    public var request: Duration?

    /// Makes timeouts.
    ///
    /// - Parameters:
    ///   - connect: The time to a ready connection. Default: 10 seconds.
    ///   - firstByte: The time to the first byte. Default: 60 seconds.
    ///   - betweenBytes: The longest pause inside the response. Default: 60 seconds.
    ///   - request: The time of the whole exchange. Default: none.
    public init(
        connect: Duration? = .seconds(10),
        firstByte: Duration? = .seconds(60),
        betweenBytes: Duration? = .seconds(60),
        request: Duration? = nil
    ) {
        self.connect = connect
        self.firstByte = firstByte
        self.betweenBytes = betweenBytes
        self.request = request
    }
}
