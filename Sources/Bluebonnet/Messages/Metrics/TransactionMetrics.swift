public import FoundationEssentials
import NIOCore

/// One request that was sent and its response: what happened, when, on which connection, and how
/// many bytes it took.
///
/// The phases follow each other: ``queue``, ``nameLookup``, ``connect``, ``proxyEntry``, ``tls``,
/// ``sending``, ``waiting``, ``receiving``. One that did not take place, such as a lookup on a
/// connection that was used before, is nil. A request that came while a connection was being made
/// has only the part of each phase for which it waited.
///
/// Of a request that a transport of your own has sent, the beginning, the end and the messages are
/// known, and no phase.
///
/// Counterpart of `NSURLSessionTaskTransactionMetrics`. Its `isCellular` and its like are facts of
/// a telephone.
public struct TransactionMetrics: Sendable {
    private let record: TransactionRecord
    private let taskStart: NIODeadline
    private let dayOffset: Int64

    /// Its number in the task, from 0: how many were sent before it.
    public let number: Int

    init(_ record: TransactionRecord, number: Int, taskStart: NIODeadline, dayOffset: Int64) {
        self.record = record
        self.number = number
        self.taskStart = taskStart
        self.dayOffset = dayOffset
    }

    // MARK: The messages

    /// The request as it was sent.
    public var request: Request { record.sent.request }

    /// Status and header fields of the response; nil when none came.
    public var response: ResponseHead? { record.head }

    /// The error that ended it, without a body; nil where the response came whole, and while it is
    /// under way.
    public var error: NetworkingError? { record.error }

    /// The place that the response came from: the server, or the cache of the session, and then
    /// nothing was sent. A response that the server has confirmed came from the server.
    ///
    /// Counterpart of `resourceFetchType`.
    public var resourceFetchType: ResourceFetchType { record.isLocal ? .localCache : .networkLoad }

    /// The place that a response came from. A struct, so that a new one does not break a `switch`.
    ///
    /// Counterpart of `NSURLSessionTaskMetricsResourceFetchType`, whose `serverPush` browsers have
    /// given up.
    public struct ResourceFetchType: Sendable, Hashable, CustomStringConvertible {
        /// The name: `networkLoad`.
        public let description: String

        /// The server has sent it.
        public static let networkLoad = ResourceFetchType(description: "networkLoad")
        /// It was stored in the cache of the session.
        public static let localCache = ResourceFetchType(description: "localCache")
    }

    // MARK: The times

    /// A part of a transaction. Its times count from the beginning of the task.
    ///
    /// Counterpart of each pair of dates of `NSURLSessionTaskTransactionMetrics`.
    public struct Phase: Sendable, Hashable {
        /// The time at which it began.
        public var start: Duration
        /// The time at which it ended; nil when the transaction failed in it, and while it is under
        /// way.
        public var end: Duration?

        /// Makes a phase.
        ///
        /// - Parameters:
        ///   - start: The time at which it began.
        ///   - end: The time at which it ended. Default: nil, it has not.
        public init(start: Duration, end: Duration? = nil) {
            self.start = start
            self.end = end
        }

        /// The time from its start to its end; nil without an end.
        public var duration: Duration? { end.map { $0 - start } }
    }

    /// The time at which the request was ready to be sent, since the beginning of the task.
    ///
    /// Counterpart of `fetchStartDate`.
    public var start: Duration { time(record.startedAt) }

    /// The time at which the response was there, or at which it failed; nil while it is under way.
    public var end: Duration? { record.endedAt.map(time) }

    /// The time from ``start`` to ``end``.
    public var duration: Duration? { end.map { $0 - start } }

    /// The time of day of ``start``.
    public var startDate: Date { DayClock.date(of: record.startedAt, offset: dayOffset) }

    /// The wait for a connection: until one was free, or began to be made. Before the first secure
    /// one, the trusted authorities are read in it.
    public var queue: Phase? {
        guard let first = setUp.first?.start ?? record.marks.requestStart ?? record.endedAt else { return nil }
        let isOver = setUp.first != nil || record.marks.requestStart != nil
        return Phase(start: start, end: isOver ? time(max(first, record.startedAt)) : nil)
    }

    /// The lookup of the host's name; with a proxy, of the proxy's.
    ///
    /// Counterpart of `domainLookupStartDate` and `domainLookupEndDate`.
    public var nameLookup: Phase? { phase(\.nameLookup) }

    /// The making of the connection to the server or to the proxy, without the lookup and without
    /// TLS.
    ///
    /// Counterpart of `connectStartDate` and `secureConnectionStartDate`, which is the end of TCP's
    /// part there.
    public var connect: Phase? { phase(\.connect) }

    /// From the connection to a proxy to the time at which it let the session reach the server: TLS
    /// to the proxy, and the tunnel by CONNECT or SOCKS. Nil without a proxy.
    public var proxyEntry: Phase? { phase(\.proxy) }

    /// The TLS handshake with the server.
    ///
    /// Counterpart of `secureConnectionStartDate` and `secureConnectionEndDate`.
    public var tls: Phase? { phase(\.tls) }

    /// The handing over of the request to the connection, body included; the connection may wait
    /// for the network with the last of it. A response that comes early may leave it without an
    /// end.
    ///
    /// Counterpart of `requestStartDate` and `requestEndDate`.
    public var sending: Phase? { phase(record.marks.requestStart, record.marks.requestEnd) }

    /// From the end of the request to the first byte of the response. Nil when the response came
    /// before the end of the request.
    public var waiting: Phase? {
        guard let sent = record.marks.requestEnd else { return nil }
        let first = record.marks.firstByte
        return first.map { $0 >= sent } ?? true ? phase(sent, first) : nil
    }

    /// From the first byte of the response to the last one.
    ///
    /// Counterpart of `responseStartDate` and `responseEndDate`.
    public var receiving: Phase? { phase(record.marks.firstByte, record.marks.lastByte) }

    /// The attempts to connect to the addresses of the host, in the order in which they began
    /// (RFC 8305 §5). Empty for a connection that was used before.
    public var addressAttempts: [AddressAttempt] {
        guard !record.isConnectionReused, let attempts = record.connection?.times.attempts else { return [] }
        return attempts.map { attempt in
            // One whose time was over may not have been ended yet.
            let isAbandoned = attempt.outcome == .pending && record.endedAt != nil
            return AddressAttempt(
                endpoint: attempt.endpoint,
                phase: Phase(start: time(attempt.start), end: (attempt.end ?? record.endedAt).map(time)),
                outcome: isAbandoned ? .abandoned : .init(attempt.outcome)
            )
        }
    }

    // MARK: The connection

    /// Whether the connection had served another request before.
    ///
    /// Counterpart of `isReusedConnection`.
    public var isConnectionReused: Bool { record.isConnectionReused }

    /// Whether the connection goes through a proxy.
    ///
    /// Counterpart of `isProxyConnection`.
    public var isProxyConnection: Bool { record.connection?.proxy != nil }

    /// The proxy that the connection goes through, without its credential; nil for none.
    public var proxy: Proxy? {
        var proxy = record.connection?.proxy
        proxy?.credential = nil
        return proxy
    }

    /// The protocol that the proxy is spoken to, by its registered name (RFC 7301 §6): `h2` or
    /// `http/1.1`. Nil without a proxy, and for SOCKS.
    public var proxyProtocolName: String? { record.connection?.proxyProtocol?.rawValue }

    /// A number that no other connection of the process has; nil when there was none.
    public var connectionIdentifier: Int? { record.connection.flatMap { $0.isOpen ? $0.identifier : nil } }

    /// The number of the HTTP/2 stream (RFC 9113 §5.1.1); nil with another version.
    public var streamIdentifier: Int? { record.marks.stream == 0 ? nil : record.marks.stream }

    /// The protocol by its registered name (RFC 7301 §6): `h2`, `http/1.1` or `http/1.0`; nil
    /// without a response.
    ///
    /// Counterpart of `networkProtocolName`.
    public var protocolName: String? {
        record.head.map { $0.httpVersion == .http2 ? "h2" : "http/\($0.httpVersion)" }
    }

    /// The own end of the connection.
    ///
    /// Counterpart of `localAddress` and `localPort`.
    public var localEndpoint: NetworkEndpoint? { record.connection?.local }

    /// The server's end of the connection; with a proxy, that of the proxy.
    ///
    /// Counterpart of `remoteAddress` and `remotePort`.
    public var remoteEndpoint: NetworkEndpoint? { record.connection?.remote }

    /// The version of TLS to the server; nil without TLS.
    ///
    /// Counterpart of `negotiatedTLSProtocolVersion`.
    public var tlsVersion: TLSVersion? { record.connection?.tls?.version }

    /// The cipher suite of the connection; nil without TLS, and when the server spread the message
    /// with its choice over several records.
    ///
    /// Counterpart of `negotiatedTLSCipherSuite`.
    public var tlsCipherSuite: TLSCipherSuite? { record.connection?.tls?.cipherSuite }

    /// The bytes that were sent and received.
    public var bytes: Bytes { record.bytes }

    /// How much shorter its content coding made the body; nil where none was undone.
    package var bytesSavedByCoding: Int? {
        record.decodedCount.map { $0 - record.wireBytes.decodedResponseBody }
    }

    // MARK: From instants to times

    private var setUp: [(start: NIODeadline, end: NIODeadline?)] {
        [\ConnectionTimes.nameLookup, \.connect, \.proxy, \.tls].compactMap(part)
    }

    /// The part of a phase of making the connection for which the request waited.
    private func part(
        _ phase: KeyPath<ConnectionTimes, ConnectionTimes.Phase?>
    ) -> (start: NIODeadline, end: NIODeadline?)? {
        guard !record.isConnectionReused, let whole = record.connection?.times[keyPath: phase],
            whole.end.map({ $0 > record.startedAt }) ?? true
        else { return nil }
        return (max(whole.start, record.startedAt), whole.end)
    }

    private func phase(_ phase: KeyPath<ConnectionTimes, ConnectionTimes.Phase?>) -> Phase? {
        part(phase).map { Phase(start: time($0.start), end: $0.end.map(time)) }
    }

    private func phase(_ start: NIODeadline?, _ end: NIODeadline?) -> Phase? {
        start.map { Phase(start: time($0), end: end.map(time)) }
    }

    private func time(_ instant: NIODeadline) -> Duration {
        .nanoseconds((instant - taskStart).nanoseconds)
    }
}

extension TransactionMetrics {
    /// The bytes of one or several transactions, without those of TLS and of what is below it.
    ///
    /// Counterpart of the `countOf…` properties of `NSURLSessionTaskTransactionMetrics`.
    public struct Bytes: Sendable, Hashable {
        /// The request line and header fields that were sent.
        ///
        /// Counterpart of `countOfRequestHeaderBytesSent`.
        public var requestHead = 0
        /// The request body as it was sent, with the framing of chunks.
        ///
        /// Counterpart of `countOfRequestBodyBytesSent`.
        public var requestBody = 0
        /// The status line and header fields that were received, those of informational responses
        /// (1xx) included.
        ///
        /// Counterpart of `countOfResponseHeaderBytesReceived`.
        public var responseHead = 0
        /// The response body as it was received, with its content coding, the framing of chunks and
        /// trailers.
        ///
        /// Counterpart of `countOfResponseBodyBytesReceived`.
        public var responseBody = 0
        /// The response body without that framing, its content coding undone where the session has
        /// undone it: of a stream, when it was read to its end.
        ///
        /// Counterpart of `countOfResponseBodyBytesAfterDecoding`.
        public var decodedResponseBody = 0

        /// Makes counts of zero.
        public init() {}

        /// All that was sent.
        public var sent: Int { requestHead + requestBody }

        /// All that was received.
        public var received: Int { responseHead + responseBody }

        static func += (sum: inout Bytes, more: Bytes) {
            sum.requestHead += more.requestHead
            sum.requestBody += more.requestBody
            sum.responseHead += more.responseHead
            sum.responseBody += more.responseBody
            sum.decodedResponseBody += more.decodedResponseBody
        }
    }
}

extension TransactionMetrics: CustomStringConvertible {
    /// Request, status or error, and time: `GET http://example.com/users: 200, 12.1 ms`; without
    /// credentials and query values.
    public var description: String {
        let outcome = error.map { $0.code.rawValue } ?? response.map { String($0.statusCode) } ?? "no response"
        return "\(request): \(outcome)" + (duration.map { ", \($0.millisecondsText)" } ?? "")
    }
}
