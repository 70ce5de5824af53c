/// The times of one entry, in milliseconds with three digits. They follow each other without gaps,
/// so that their sum is the time of the entry, as HAR 1.2 asks for: what is between two phases
/// belongs to the one before.
struct HARTimings {
    /// In microseconds, so that no sum is off by a rounding.
    private var blocked = -1
    private var dns = -1
    private var connect = -1
    private var ssl = -1
    private var send = 0
    private var wait = 0
    private var receive = 0

    init(_ transaction: TransactionMetrics) {
        let start = transaction.start
        /// The microseconds from the start to a time, no less than those to the one before.
        var last = 0
        func mark(_ time: Duration?) -> Int? {
            guard let time else { return nil }
            last = max(last, Int((time - start) / .microseconds(1)))
            return last
        }
        let (lookup, connection) = (mark(transaction.nameLookup?.start), mark(transaction.connect?.start))
        // HAR has no field for the way through a proxy: it is a part of the connection.
        _ = mark(transaction.proxyEntry?.start)
        let handshake = mark(transaction.tls?.start)
        let handshakeEnd = mark(transaction.tls?.end)
        let sending = mark(transaction.sending?.start)
        let first = transaction.receiving?.start
        // A response may begin before the request has ended, and then its end is not waited for.
        let sent = mark([transaction.sending?.end, first].compactMap(\.self).min())
        let received = mark(first)
        let end = mark(transaction.end ?? transaction.receiving?.end) ?? last

        // Of the phases that took place, each ends where the next one begins.
        let begun = [lookup, connection ?? handshake, sending, sent, received, end]
        func length(_ phase: Int) -> Int? {
            guard let start = begun[phase] else { return nil }
            return (begun[(phase + 1)...].lazy.compactMap(\.self).first ?? end) - start
        }
        blocked = begun.lazy.compactMap(\.self).first ?? 0
        dns = length(0) ?? -1
        connect = length(1) ?? -1
        if let handshake { ssl = (handshakeEnd ?? end) - handshake }
        send = length(2) ?? 0
        wait = length(3) ?? 0
        receive = length(4) ?? 0
    }

    /// The sum of all that took place. TLS is a part of the time to connect.
    var total: JSONValue {
        Self.milliseconds([blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max($1, 0) })
    }

    var json: JSONValue {
        [
            "blocked": Self.milliseconds(blocked),
            "dns": Self.milliseconds(dns),
            "connect": Self.milliseconds(connect),
            "ssl": Self.milliseconds(ssl),
            "send": Self.milliseconds(send),
            "wait": Self.milliseconds(wait),
            "receive": Self.milliseconds(receive),
        ]
    }

    /// A time in milliseconds with three digits.
    static func milliseconds(_ time: Duration) -> JSONValue {
        milliseconds(Int((time / .microseconds(1)).rounded()))
    }

    private static func milliseconds(_ microseconds: Int) -> JSONValue {
        microseconds < 0 ? -1 : JSONValue(Double(microseconds) / 1000)
    }
}
