/// The four times a request may take. Each really fires, also in the middle of a body; nil means no limit. A fifth one,
/// ``continueWait``, is no failure.
///
/// Answers to `timeoutInterval` (60 s between bytes in AFNetworking) and `timeoutIntervalForResource`.
public struct Timeouts: Sendable, Hashable {
    /// The time to a ready connection: name lookup, TCP and TLS. Default: 10 seconds.
    public var connect: Duration? {
        get { connectTime.duration }
        set { connectTime = CompactTime(newValue) }
    }

    /// The time from the request having left to the first byte of the response. Default: 60 seconds.
    ///
    /// The request has left when the server's system has acknowledged all of it, as far as this one can tell.
    public var firstByte: Duration? {
        get { firstByteTime.duration }
        set { firstByteTime = CompactTime(newValue) }
    }

    /// The longest pause inside the response, or while a request body is sent: the time in which no byte comes and none leaves.
    /// Default: 60 seconds. Stands still while the task is suspended or nobody reads.
    ///
    /// A slow upload goes on for as long as bytes of it leave. The source of the body may take any time before the response has
    /// begun. That a server takes nothing is noticed a quarter of this time late at most.
    public var betweenBytes: Duration? {
        get { betweenBytesTime.duration }
        set { betweenBytesTime = CompactTime(newValue) }
    }

    /// The time of the whole exchange: waiting for a connection, redirects, retries and the body. Default: none.
    public var request: Duration? {
        get { requestTime.duration }
        set { requestTime = CompactTime(newValue) }
    }

    /// How long a body that announced itself with `Expect: 100-continue` waits for the server's leave; it is sent then, because
    /// many servers never answer the announcement (RFC 9110 §10.1.1). Default: 1 second, as curl. nil waits as long as for the
    /// first byte of the response, and fails like it.
    public var continueWait: Duration? {
        get { continueWaitTime.duration }
        set { continueWaitTime = CompactTime(newValue) }
    }

    private(set) var connectTime: CompactTime
    private(set) var firstByteTime: CompactTime
    private(set) var betweenBytesTime: CompactTime
    private(set) var requestTime: CompactTime
    private(set) var continueWaitTime: CompactTime

    /// Makes timeouts.
    ///
    /// - Parameters:
    ///   - connect: The time to a ready connection. Default: 10 seconds.
    ///   - firstByte: The time to the first byte. Default: 60 seconds.
    ///   - betweenBytes: The longest pause inside the response. Default: 60 seconds.
    ///   - request: The time of the whole exchange. Default: none.
    ///   - continueWait: How long a body waits for leave to be sent. Default: 1 second.
    public init(
        connect: Duration? = .seconds(10),
        firstByte: Duration? = .seconds(60),
        betweenBytes: Duration? = .seconds(60),
        request: Duration? = nil,
        continueWait: Duration? = .seconds(1)
    ) {
        connectTime = CompactTime(connect)
        firstByteTime = CompactTime(firstByte)
        betweenBytesTime = CompactTime(betweenBytes)
        requestTime = CompactTime(request)
        continueWaitTime = CompactTime(continueWait)
    }
}
