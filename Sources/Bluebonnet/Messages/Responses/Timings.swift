/// The times of an exchange; after redirects, of the last hop, except ``total``. The time of
/// something that did not happen, such as a lookup on a reused connection, is nil.
///
/// Counterpart of the `NSURLSessionTaskMetrics` that `setTaskDidFinishCollectingMetricsBlock:` of
/// AFNetworking and Alamofire's `DataResponse` have.
public struct Timings: Sendable, Hashable {
    /// From the start to the moment a connection was there, or began to be made: the wait for a
    /// free one.
    public var queue: Duration?

    /// Name lookup.
    public var dns: Duration?

    /// TCP connect, without the lookup.
    public var connect: Duration?

    /// TLS to a proxy, and the opening of the tunnel through it; nil without a proxy.
    public var proxy: Duration?

    /// TLS handshake with the server.
    public var tls: Duration?

    /// From the start to the request having been handed to the socket, body included.
    public var requestSent: Duration?

    /// From the start to the first byte of the response.
    public var firstByte: Duration?

    /// From the start to the last byte of the response.
    public var lastByte: Duration?

    /// From the start of the task to its end: redirects, retries and parsing included.
    public var total: Duration?

    /// Whether the connection had served a request before.
    public var isConnectionReused = false

    /// Makes empty timings.
    public init() {}
}

extension Timings: CustomStringConvertible {
    /// The times that are known, in milliseconds: `firstByte 1.2 ms, total 1.4 ms`.
    public var description: String {
        let times: [(String, Duration?)] = [
            ("queue", queue), ("dns", dns), ("connect", connect), ("proxy", proxy), ("tls", tls),
            ("requestSent", requestSent),
            ("firstByte", firstByte), ("lastByte", lastByte), ("total", total),
        ]
        let known = times.compactMap { name, time in
            time.map { "\(name) \(($0 / .microseconds(100)).rounded() / 10) ms" }
        }
        return (known + (isConnectionReused ? ["reused"] : [])).joined(separator: ", ")
    }
}
