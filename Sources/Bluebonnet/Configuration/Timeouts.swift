/// The five times a request may take. Each really fires, also in the middle of a body; nil means no
/// limit. A sixth one, ``continueWait``, is not a failure.
///
/// Counterpart of `timeoutInterval` (60 s between bytes in AFNetworking) and
/// `timeoutIntervalForResource`.
public struct Timeouts: Sendable, Hashable {
    /// The longest time a request waits for a connection to become free, while connections to its
    /// host are open and none of them takes a waiting request of its priority. Default: 60 seconds.
    ///
    /// Every request that gets a connection starts this time anew for those of its priority, so
    /// that a long queue in front of a server that responds does not fail; a request behind
    /// downloads and streams that do not end, or behind ever more requests of higher priority,
    /// fails with ``NetworkingError/Code/waitingTimeout``. Without an open
    /// connection, ``connect`` holds instead.
    public var waiting: Duration?

    /// The time to a ready connection: name lookup, TCP and TLS. Default: 10 seconds.
    ///
    /// It runs while no connection to the host is open, whether the one that is being made was
    /// begun for this request or for another, and for a connection that is made for this request
    /// beside others. A name that is not found until then is
    /// ``NetworkingError/Code/dnsLookupTimeout``.
    public var connect: Duration?

    /// The time from the request being sent to the first byte of the response. Default: 60 seconds.
    ///
    /// It begins anew after each informational response, such as `100 Continue`, `103 Early Hints`
    /// or `104 Upload Resumption Supported`: the response itself has not begun then.
    ///
    /// The request is sent when the server's system has acknowledged all of it, as far as this
    /// system can tell.
    public var firstByte: Duration?

    /// The longest pause inside the response, or while a request body is sent: the time in which no
    /// byte is received and none is sent. Default: 60 seconds. It does not run while the task is
    /// suspended or the response is not read.
    ///
    /// A slow upload goes on for as long as bytes of it are sent. The source of the body may take
    /// any time before the response has begun. That a server takes nothing is noticed a quarter of
    /// this time late at most.
    public var betweenBytes: Duration?

    /// The time of the whole exchange: waiting for a connection, redirects, retries and the body.
    /// Default: none.
    public var request: Duration?

    /// The time that a body with `Expect: 100-continue` waits for `100 Continue`; then it is sent
    /// without, because many servers never send that (RFC 9110 §10.1.1). Default: 1 second, as
    /// curl. nil waits as long as for the first byte of the response, and fails like it.
    public var continueWait: Duration?

    /// Makes timeouts.
    ///
    /// - Parameters:
    ///   - waiting: The longest wait for a connection to become free. Default: 60 seconds.
    ///   - connect: The time to a ready connection. Default: 10 seconds.
    ///   - firstByte: The time to the first byte. Default: 60 seconds.
    ///   - betweenBytes: The longest pause inside the response. Default: 60 seconds.
    ///   - request: The time of the whole exchange. Default: none.
    ///   - continueWait: How long a body waits for 100 Continue. Default: 1 second.
    public init(
        waiting: Duration? = .seconds(60),
        connect: Duration? = .seconds(10),
        firstByte: Duration? = .seconds(60),
        betweenBytes: Duration? = .seconds(60),
        request: Duration? = nil,
        continueWait: Duration? = .seconds(1)
    ) {
        self.waiting = waiting
        self.connect = connect
        self.firstByte = firstByte
        self.betweenBytes = betweenBytes
        self.request = request
        self.continueWait = continueWait
    }
}
