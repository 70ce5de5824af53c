import NIOCore

/// A connection as the pool and the exchanges use it, whatever its protocol. Everything happens on
/// the connection's event loop.
protocol HTTPConnection: AnyObject {
    /// Sends the request of the exchange. An exchange that the connection cannot take is given back
    /// to the pool. The pool then sends it no other one, and the connection must close when its
    /// running exchanges have ended.
    func start(_ exchange: Exchange)
    /// Stays idle until the idle timeout, because no request waits for the connection.
    func becomeIdle(at now: NIODeadline)
    /// The exchange ended from outside: cancelled, timed out, dropped.
    func abort(_ exchange: Exchange)
    /// The task of the exchange was suspended or resumed.
    func suspensionChanged(for exchange: Exchange)
    /// The reader of the response body has room again.
    func readerHasRoom(for exchange: Exchange)
    /// The source of the request body has brought more, or its end.
    func uploadHasMore(for exchange: Exchange)
    /// The priority of the exchange's task has changed.
    func priorityChanged(for exchange: Exchange)
    /// Sends a PING for a caller, which finds this connection for that origin.
    func ping(_ caller: PingCaller, of origin: Origin)
    /// Ends what is under way with the error, and the connection with it.
    func fail(_ error: NetworkingError)
    /// Closes a connection on which nothing is under way.
    func close()
}

extension HTTPConnection {
    /// HTTP/1.1 has none.
    func ping(_ caller: PingCaller, of origin: Origin) {
        caller.end(.failure(.noHTTP2Connection(origin)))
    }
}

/// The times of making a connection, and when it was ready: reported by its first exchange, and by
/// others that waited for it.
struct Establishment {
    let timings: ExchangeTimings
    let readyAt: NIODeadline

    /// The timings of an exchange that begins on the connection now. One that came while the
    /// connection was being made has only the part of each phase for which it waited.
    func timings(since startedAt: NIODeadline, now: NIODeadline) -> ExchangeTimings {
        var timings = ExchangeTimings()
        var left = max(.zero, readyAt.since(startedAt))
        var queue = now.since(startedAt)
        for phase in [\ExchangeTimings.tls, \.proxy, \.connect, \.dns] {
            guard let whole = self.timings[keyPath: phase].duration, left > .zero else { continue }
            let part = min(whole, left)
            timings[keyPath: phase] = CompactTime(part)
            left -= part
            queue -= part
        }
        timings.queue = CompactTime(max(.zero, queue))
        return timings
    }
}
