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
        if let timeouts { return ExchangeTimeouts(timeouts) }
        guard let interval = timeoutInterval, interval > .zero else { return session }
        let time = CompactTime(interval)
        var timeouts = session
        timeouts.connect = timeouts.connect.shorter(time)
        timeouts.firstByte = time
        timeouts.betweenBytes = time
        return timeouts
    }
}
