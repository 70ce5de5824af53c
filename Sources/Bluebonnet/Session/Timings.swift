/// Where the time of an exchange went; after redirects, of the last hop, except ``total``. Everything that did not happen, such as a lookup on a reused connection, is nil.
public struct Timings: Sendable, Hashable {
    /// From the start to the moment a connection was there, or began to be made: the wait for a free one.
    public var queue: Duration? {
        get { queueTime.duration }
        set { queueTime = Time(newValue) }
    }

    /// Name lookup.
    public var dns: Duration? {
        get { dnsTime.duration }
        set { dnsTime = Time(newValue) }
    }

    /// TCP connect, without the lookup.
    public var connect: Duration? {
        get { connectTime.duration }
        set { connectTime = Time(newValue) }
    }

    /// TLS handshake.
    public var tls: Duration? {
        get { tlsTime.duration }
        set { tlsTime = Time(newValue) }
    }

    /// From the start to the request having been handed to the socket, body included.
    public var requestSent: Duration? {
        get { requestSentTime.duration }
        set { requestSentTime = Time(newValue) }
    }

    /// From the start to the first byte of the response.
    public var firstByte: Duration? {
        get { firstByteTime.duration }
        set { firstByteTime = Time(newValue) }
    }

    /// From the start to the last byte of the response.
    public var lastByte: Duration? {
        get { lastByteTime.duration }
        set { lastByteTime = Time(newValue) }
    }

    /// From the start of the task to its end: redirects, retries and parsing included.
    public var total: Duration? {
        get { totalTime.duration }
        set { totalTime = Time(newValue) }
    }

    /// Whether the connection had served a request before.
    public var isConnectionReused = false

    private var queueTime = Time()
    private var dnsTime = Time()
    private var connectTime = Time()
    private var tlsTime = Time()
    private var requestSentTime = Time()
    private var firstByteTime = Time()
    private var lastByteTime = Time()
    private var totalTime = Time()

    /// Makes empty timings.
    public init() {}

    /// An optional duration in eight bytes.
    private struct Time: Sendable, Hashable {
        private var nanoseconds: Int64 = -1

        init() {}

        init(_ duration: Duration?) {
            guard let (seconds, attoseconds) = duration?.components else { return }
            nanoseconds = max(0, seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
        }

        var duration: Duration? { nanoseconds < 0 ? nil : .nanoseconds(nanoseconds) }
    }
}

extension Timings: CustomStringConvertible {
    /// The times that are known, in milliseconds: `firstByte 1.2 ms, total 1.4 ms`.
    public var description: String {
        let times: [(String, Duration?)] = [
            ("queue", queue), ("dns", dns), ("connect", connect), ("tls", tls), ("requestSent", requestSent),
            ("firstByte", firstByte), ("lastByte", lastByte), ("total", total),
        ]
        let known = times.compactMap { name, time in
            time.map { "\(name) \(($0 / .microseconds(100)).rounded() / 10) ms" }
        }
        return (known + (isConnectionReused ? ["reused"] : [])).joined(separator: ", ")
    }
}
