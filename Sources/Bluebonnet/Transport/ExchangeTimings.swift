/// The timings of one exchange as the engine counts; users see them as ``Timings``.
struct ExchangeTimings: Sendable, Hashable {
    var queue = CompactTime.none
    var dns = CompactTime.none
    var connect = CompactTime.none
    var proxy = CompactTime.none
    var tls = CompactTime.none
    var requestSent = CompactTime.none
    var firstByte = CompactTime.none
    var lastByte = CompactTime.none
    var total = CompactTime.none
    var isConnectionReused = false
}

extension ExchangeTimings {
    init(_ timings: Timings) {
        queue = CompactTime(timings.queue)
        dns = CompactTime(timings.dns)
        connect = CompactTime(timings.connect)
        proxy = CompactTime(timings.proxy)
        tls = CompactTime(timings.tls)
        requestSent = CompactTime(timings.requestSent)
        firstByte = CompactTime(timings.firstByte)
        lastByte = CompactTime(timings.lastByte)
        total = CompactTime(timings.total)
        isConnectionReused = timings.isConnectionReused
    }
}

extension Timings {
    init(_ timings: ExchangeTimings) {
        queue = timings.queue.duration
        dns = timings.dns.duration
        connect = timings.connect.duration
        proxy = timings.proxy.duration
        tls = timings.tls.duration
        requestSent = timings.requestSent.duration
        firstByte = timings.firstByte.duration
        lastByte = timings.lastByte.duration
        total = timings.total.duration
        isConnectionReused = timings.isConnectionReused
    }
}
