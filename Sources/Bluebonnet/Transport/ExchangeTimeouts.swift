/// The timeouts of one exchange as the engine counts: a session makes them once, and a request only
/// where it has its own.
struct ExchangeTimeouts: Sendable, Hashable {
    var waiting: CompactTime
    var connect: CompactTime
    var firstByte: CompactTime
    var betweenBytes: CompactTime
    var request: CompactTime
    var continueWait: CompactTime

    init(_ timeouts: Timeouts) {
        waiting = CompactTime(timeouts.waiting)
        connect = CompactTime(timeouts.connect)
        firstByte = CompactTime(timeouts.firstByte)
        betweenBytes = CompactTime(timeouts.betweenBytes)
        request = CompactTime(timeouts.request)
        continueWait = CompactTime(timeouts.continueWait)
    }
}

extension Request {
    /// The timeouts that hold for this request, its own over those of the session.
    func effectiveTimeouts(over session: ExchangeTimeouts) -> ExchangeTimeouts {
        var effective = session
        if let timeouts {
            effective = ExchangeTimeouts(timeouts)
        } else if let interval = timeoutInterval, interval > .zero {
            let time = CompactTime(interval)
            effective.connect = effective.connect.shorter(time)
            effective.firstByte = time
            effective.betweenBytes = time
        }
        if let whole = requestTimeout { effective.request = CompactTime(max(whole, .zero)) }
        return effective
    }
}
