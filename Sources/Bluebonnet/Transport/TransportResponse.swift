public import FoundationEssentials
import HTTPTypes
import NIOCore

/// A response as the engine returns it: the head is there, the body may still be coming.
///
/// No counterpart: AFNetworking and Alamofire hand over head and body one after the other.
public struct TransportResponse: Sendable {
    private struct Contents: Sendable {
        var head: ResponseHead
        var body: ResponseBody
        var informational: [ResponseHead]
        var sent: SentRequest
        var redirects: [URL] = []
        var retries = 0
        var timings = ExchangeTimings()
        var isRequestBodyUntouched = false
        var startedAt: NIODeadline?
        var hop = 0
        var observed: ObservedTransaction?
        var tunnel: OpenedTunnel?
        /// Behind a reference: few responses have one.
        var cacheStatus: CopyOnWrite<CacheStatus>?
    }

    /// One reference: responses are handed from layer to layer.
    private var contents: CopyOnWrite<Contents>

    /// Status and header fields.
    public var head: ResponseHead {
        get { contents.value.head }
        _modify { yield &contents.unique.value.head }
    }

    /// The body, to be read once.
    public var body: ResponseBody {
        get { contents.value.body }
        _modify { yield &contents.unique.value.body }
    }

    /// The 1xx responses that came before the head.
    public var informational: [ResponseHead] {
        get { contents.value.informational }
        _modify { yield &contents.unique.value.informational }
    }

    /// The request of the response. Interceptors that send another request set it.
    public var request: Request {
        get { contents.value.sent.request }
        set { contents.value.sent = SentRequest(newValue) }
    }

    /// The URLs that redirects led to, in order.
    public var redirects: [URL] {
        get { contents.value.redirects }
        _modify { yield &contents.unique.value.redirects }
    }

    /// The number of times that the request was sent again: by a ``RetryPolicy`` or a ``Retrier``,
    /// and by the engine because a pooled connection was stale, or without an expectation that the
    /// server refused with 417.
    public var retries: Int {
        get { contents.value.retries }
        _modify { yield &contents.unique.value.retries }
    }

    /// The timings up to the head. ``ResponseBody`` knows when the last byte came.
    public var timings: Timings {
        get { Timings(contents.value.timings) }
        set { contents.unique.value.timings = ExchangeTimings(newValue) }
    }

    /// What has happened so far for the task of the response; all of it when its body has come to
    /// the end. Nil for interceptors, which get the response before its task has it.
    public var metrics: TaskMetrics? { body.metrics }

    /// The part of the session's cache in the response: a hit, or why the request was sent. Nil in
    /// a session without a cache.
    public var cacheStatus: CacheStatus? {
        get { contents.value.cacheStatus?.value }
        set { contents.unique.value.cacheStatus = newValue.map { CopyOnWrite($0) } }
    }

    /// ``cacheStatus``, without a copy of it.
    var sharedCacheStatus: CopyOnWrite<CacheStatus>? {
        get { contents.value.cacheStatus }
        set { contents.unique.value.cacheStatus = newValue }
    }

    /// ``timings`` as the engine counts.
    var exchangeTimings: ExchangeTimings { contents.value.timings }

    /// Whether the response came before the source of the request body was asked for its first
    /// byte: the source can still be read.
    var isRequestBodyUntouched: Bool { contents.value.isRequestBodyUntouched }

    /// The time at which the engine began with the request of the response.
    var startedAt: NIODeadline? { contents.value.startedAt }

    /// The number of its transaction in the call; 0 where it is not known.
    var hop: Int {
        get { contents.value.hop }
        set { contents.value.hop = newValue }
    }

    /// Its transaction, where somebody observes it and it ends when the body is decoded.
    var observed: ObservedTransaction? {
        get { contents.value.observed }
        set { contents.unique.value.observed = newValue }
    }

    /// The tunnel that the response has opened, where the request asked for one by
    /// ``Request/upgrade``. A response that replaces this one loses it.
    var tunnel: OpenedTunnel? {
        get { contents.value.tunnel }
        set { contents.unique.value.tunnel = newValue }
    }

    /// ``request``, put together only when it is read.
    var sent: SentRequest { contents.value.sent }

    /// The status code of the head.
    var statusCode: Int { contents.value.head.statusCode }

    /// Whether the head has a field with this name.
    func contains(_ name: HTTPField.Name) -> Bool { contents.value.head.contains(name) }

    /// Whether the head has a `Content-Encoding`.
    var hasContentEncoding: Bool { contents.value.head.hasContentEncoding }

    /// The whole body where it is here already; nil where it is still coming.
    ///
    /// - Throws: ``NetworkingError/Code/bodyTooLarge``.
    func wholeBody(upTo limit: Int) throws(NetworkingError) -> Data? { try contents.value.body.whole(upTo: limit) }

    /// Puts what was read of the body in its place, with the time of its last byte.
    mutating func noteWhole(_ bytes: Data) {
        let body = contents.value.body
        if let last = body.lastByteAt, let startedAt {
            contents.unique.value.timings.lastByte = CompactTime(from: startedAt, to: last)
        }
        contents.unique.value.body = body.collected(bytes)
    }

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - head: Status and header fields.
    ///   - body: The body. Default: empty.
    ///   - request: The request of the response.
    ///   - informational: The 1xx responses before it. Default: none.
    public init(
        head: ResponseHead,
        body: ResponseBody = .data(Data()),
        request: Request,
        informational: [ResponseHead] = []
    ) {
        contents = CopyOnWrite(
            Contents(head: head, body: body, informational: informational, sent: SentRequest(request))
        )
    }

    /// Makes the response of an exchange.
    init(
        head: ResponseHead,
        body: ResponseBody,
        sent: SentRequest,
        informational: [ResponseHead],
        timings: ExchangeTimings,
        startedAt: NIODeadline,
        isRequestBodyUntouched: Bool,
        hop: Int,
        cacheStatus: CopyOnWrite<CacheStatus>? = nil
    ) {
        contents = CopyOnWrite(
            Contents(
                head: head,
                body: body,
                informational: informational,
                sent: sent,
                timings: timings,
                isRequestBodyUntouched: isRequestBodyUntouched,
                startedAt: startedAt,
                hop: hop,
                cacheStatus: cacheStatus
            )
        )
    }
}

extension TransportResponse: CustomStringConvertible {
    /// Status, media type, size of the body where it is here already, and request:
    /// `200 OK, text/event-stream, GET http://example.com/events`; without credentials and query
    /// values.
    public var description: String { head.summary(byteCount: body.wholeByteCount, request) }
}
