import FoundationEssentials
public import HTTPTypes
import NIOCore

/// Which requests are sent again after a failure, how often, and how long the session waits before.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.retryPolicy = .standard
/// ```
///
/// An attempt ends with a response or an error, and includes the redirects that it follows. It is
/// repeated before anything of its response reaches the caller. Where the task collects the body,
/// as data tasks and uploads do, one that breaks off is such an error too; what a download or a
/// stream has handed out is not fetched again. A ``Retrier`` decides before the policy.
///
/// Counterpart of Alamofire's `RetryPolicy`; AFNetworking has none.
public struct RetryPolicy: Sendable, Hashable {
    /// The most times that a request is sent again. Default: 2, so that it is sent three times.
    /// Zero or less: never. More than 100 counts as 100.
    public var maximumRetries = 2

    /// The methods of requests that may be sent again although the server may have processed them.
    /// Default: the idempotent ones of RFC 9110 §9.2.2, which are DELETE, GET, HEAD, OPTIONS, PUT
    /// and TRACE.
    ///
    /// The methods that were sent count, also those that interceptors and redirects chose: a POST
    /// that was redirected to a GET was a POST.
    public var methods: Set<HTTPRequest.Method> = [.delete, .get, .head, .options, .put, .trace]

    /// The status codes after which a request is sent again. Default: 408, 425, 429, 500, 502, 503
    /// and 504.
    public var statusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

    /// The errors after which a request is sent again. Default: those of name lookup, of a
    /// connection to the server or to a proxy that could not be made or was lost, of an HTTP/2
    /// stream that the server has reset, and of a response that did not come in time.
    ///
    /// The end of a task is none of them, whatever is here: one that was cancelled, and one whose
    /// ``Timeouts/request`` is over, sends nothing more.
    public var errorCodes: Set<NetworkingError.Code> = [
        .dnsLookupFailed, .connectFailed, .dnsLookupTimeout, .connectTimeout, .connectionLost, .truncatedResponse,
        .streamReset, .firstByteTimeout, .betweenBytesTimeout, .proxyConnectFailed, .proxyTimeout,
    ]

    /// Whether a request that cannot have reached a server, because there was no connection to it,
    /// is sent again whatever its method. Default: true.
    public var retriesUnsentRequests = true

    /// Whether a POST or PATCH without a field `Idempotency-Key` gets one
    /// (draft-ietf-httpapi-idempotency-key-header). Default: false.
    ///
    /// The key is made once for a request and is the same in each attempt, so that a server that
    /// knows the field processes the request once. A request with such a field, also with one of
    /// yours, may be sent again as if its method were among ``methods``.
    public var usesIdempotencyKeys = false

    /// The waits before the attempts. Default: at random up to 0.5 seconds, then up to twice the
    /// time before, 20 seconds at most.
    public var backoff = RetryBackoff()

    /// The longest time of a `Retry-After` (RFC 9110 §10.2.3) that is waited for; a response that
    /// asks for more goes to the caller at once. Nil ignores the field. Default: 60 seconds.
    public var longestRetryAfter: Duration? = .seconds(60)

    /// Makes the policy of ``standard``.
    public init() {}

    /// Three attempts for idempotent requests, and for others that cannot have reached a server.
    public static let standard = RetryPolicy()

    /// The defaults of Alamofire's `RetryPolicy`: two retries after 0.5 and 1 seconds, of the
    /// methods DELETE, GET, HEAD, OPTIONS, PUT and TRACE, after 408, 500, 502, 503 and 504 and
    /// the errors that Alamofire retries. `Retry-After` is ignored.
    public static let alamofire = {
        var policy = RetryPolicy()
        policy.statusCodes = [408, 500, 502, 503, 504]
        policy.errorCodes = [
            .dnsLookupFailed, .connectFailed, .connectionLost, .truncatedResponse, .streamReset, .tlsFailed,
            .dnsLookupTimeout, .waitingTimeout, .connectTimeout, .firstByteTimeout, .betweenBytesTimeout,
            .certificateExpired, .certificateNotYetValid,
            // Their counterparts at a proxy, and `dataNotAllowed`.
            .proxyConnectFailed, .proxyRefused, .proxyTimeout, .proxyTLSFailed, .networkNotAllowed,
            // `badServerResponse`
            .malformedStatusLine, .unsupportedHTTPVersion, .malformedHeader, .invalidContentLength,
            .conflictingFraming, .unsupportedTransferCoding, .unexpectedResponse, .protocolViolation,
            .tooManyFrames, .proxyResponseInvalid,
        ]
        policy.retriesUnsentRequests = false
        policy.backoff = RetryBackoff(first: .milliseconds(500), factor: 2, longest: nil, isRandom: false)
        policy.longestRetryAfter = nil
        return policy
    }()

    /// No retries: for a request of a session that has a policy.
    public static let never = {
        var policy = RetryPolicy()
        policy.maximumRetries = 0
        return policy
    }()
}

/// The waits before the attempts of a request: each is longer than the one before by a factor.
///
/// Counterpart of `exponentialBackoffBase` and `exponentialBackoffScale` of Alamofire's
/// `RetryPolicy`.
public struct RetryBackoff: Sendable, Hashable {
    /// The wait before the first retry. Default: 0.5 seconds. Less than zero counts as zero.
    public var first: Duration

    /// The factor from one wait to the next. Default: 2. Less than 1 counts as 1.
    public var factor: Double

    /// The longest wait. Default: 20 seconds. Nil: no limit.
    public var longest: Duration?

    /// Whether a wait is a random part of its time, from zero to the whole, so that clients that
    /// failed together do not come back together (“full jitter”). Default: true.
    public var isRandom: Bool

    /// Makes waits.
    ///
    /// - Parameters:
    ///   - first: The wait before the first retry. Default: 0.5 seconds.
    ///   - factor: The factor from one wait to the next. Default: 2.
    ///   - longest: The longest wait; nil for no limit. Default: 20 seconds.
    ///   - isRandom: Whether a wait is a random part of its time. Default: true.
    public init(
        first: Duration = .milliseconds(500),
        factor: Double = 2,
        longest: Duration? = .seconds(20),
        isRandom: Bool = true
    ) {
        self.first = first
        self.factor = factor
        self.longest = longest
        self.isRandom = isRandom
    }

    /// The longest time that is counted with: about 292 years.
    private static let most = Duration.nanoseconds(Int64.max)

    /// The wait before a retry.
    ///
    /// - Parameters:
    ///   - retry: The number of the retry, from 1.
    ///   - random: Returns a number from 0 to below 1.
    /// - Returns: The wait.
    func wait(before retry: Int, random: () -> Double) -> Duration {
        let limit = min(max(longest ?? Self.most, .zero), Self.most) / .seconds(1)
        let factor = factor > 1 ? factor : 1
        var seconds = max(first, .zero) / .seconds(1)
        var number = 1
        while number < retry, seconds < limit, seconds > 0, factor > 1 {
            seconds *= factor
            number += 1
        }
        seconds = min(seconds, limit)
        return min(.seconds(isRandom ? seconds * random() : seconds), Self.most)
    }
}

/// The clocks, the waits and the random numbers of retries, which tests replace.
struct RetryTiming: Sendable {
    /// Returns the present by the clock of the event loops.
    var now: @Sendable () -> NIODeadline = { .now() }
    /// Returns the time of day.
    var date: @Sendable () -> Date = { Date() }
    /// Returns a number from 0 to below 1.
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// Waits until the time is over, or the task is stopped.
    var sleep: @Sendable (ExchangeContext, Duration) async throws -> Void = { context, time in
        try await context.sleep(for: time)
    }
}
