public import FoundationEssentials
public import HTTPTypes

/// The result of a request: the parsed value and everything that was received with it.
///
/// Counterpart of the `NSURLResponse` and the `responseObject` that AFNetworking's blocks get, and
/// of Alamofire's `DataResponse`. That one also holds the error of a request that failed; here it
/// is thrown, or in ``DataTask/Outcome``.
public struct Response<Value: Sendable>: Sendable {
    /// The value that the response serializer made of the body.
    public var value: Value
    var sent: SentRequest
    /// The request of the last hop, as it was sent.
    public var request: Request {
        get { sent.request }
        set { sent = SentRequest(newValue) }
    }
    /// Status and header fields.
    public var head: ResponseHead
    /// The body bytes, content coding undone.
    public var body: Data
    /// Header fields that came after the body (RFC 9110 §6.5).
    public var trailers: HTTPFields
    /// The 1xx responses that came before, 100 and 103 for example (RFC 9110 §15.2).
    public var informational: [ResponseHead]
    /// The URLs that the redirects led to, in order; empty without redirects. The last one is the
    /// URL of ``request``.
    public var redirects: [URL]
    /// The number of times the request was sent again: on a new connection because a pooled one was
    /// stale, or without an expectation that the server refused with 417.
    public var retries: Int
    var exchangeTimings: ExchangeTimings
    /// The times of the exchange.
    public var timings: Timings {
        get { Timings(exchangeTimings) }
        set { exchangeTimings = ExchangeTimings(newValue) }
    }
    var sharedCacheStatus: CopyOnWrite<CacheStatus>?
    /// The part of the session's cache in the response: a hit, or why the request was sent. Nil in
    /// a session without a cache.
    ///
    /// Counterpart of `resourceFetchType` of `NSURLSessionTaskTransactionMetrics`.
    public var cacheStatus: CacheStatus? {
        get { sharedCacheStatus?.value }
        set { sharedCacheStatus = newValue.map { CopyOnWrite($0) } }
    }
    /// Whether the body is one that was stored in the cache: of a hit, or of a response that the
    /// server has confirmed.
    public var isFromCache: Bool { sharedCacheStatus?.value.isFromCache ?? false }
    /// What happened until the response was there: each redirect and each retry with its timings,
    /// bytes and connection.
    public var metrics: TaskMetrics

    /// The status code and reason.
    public var status: HTTPResponse.Status { head.status }
    /// The header fields.
    public var headerFields: HTTPFields { head.headerFields }
    /// The URL of the response, after redirects.
    public var url: URL { request.url }

    /// The same response with another value.
    ///
    /// - Parameter transform: Makes the new value of the old one.
    /// - Returns: The response with the new value.
    /// - Throws: What `transform` throws.
    public func map<New, Failure: Error>(
        _ transform: (Value) throws(Failure) -> New
    ) throws(Failure) -> Response<New> {
        Response<New>(
            value: try transform(value),
            sent: sent,
            head: head,
            body: body,
            trailers: trailers,
            informational: informational,
            redirects: redirects,
            retries: retries,
            exchangeTimings: exchangeTimings,
            sharedCacheStatus: sharedCacheStatus,
            metrics: metrics
        )
    }
}

extension Response: CustomStringConvertible {
    /// Status, media type, size of the body and request:
    /// `200 OK, application/json, 5 bytes, GET http://example.com/users`; neither the value nor
    /// header fields, because they may be secret, and no credentials and query values.
    public var description: String { head.summary(byteCount: body.count, request) }
}
