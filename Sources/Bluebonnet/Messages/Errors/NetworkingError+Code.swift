extension NetworkingError {
    /// The kind of a fault: a closed list inside, an open one outside, so that a new code breaks nobody's `switch`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        enum Value: String, CaseIterable, Sendable {
            case invalidURL = "invalid-url"
            case invalidRequest = "invalid-request"
            case unsupportedScheme = "unsupported-scheme"
            case unsupportedFeature = "unsupported-feature"
            case requestSerializationFailed = "request-serialization-failed"
            case requestBodyFailed = "request-body-failed"
            case requestBodyNotReplayable = "request-body-not-replayable"
            case requestBodyLengthMismatch = "request-body-length-mismatch"

            case dnsLookupFailed = "dns-lookup-failed"
            case connectFailed = "connect-failed"
            case waitingTimeout = "waiting-timeout"
            case connectTimeout = "connect-timeout"
            case firstByteTimeout = "first-byte-timeout"
            case betweenBytesTimeout = "between-bytes-timeout"
            case requestTimeout = "request-timeout"
            case connectionLost = "connection-lost"
            case tlsFailed = "tls-failed"

            case certificateUntrusted = "certificate-untrusted"
            case certificateExpired = "certificate-expired"
            case certificateNotYetValid = "certificate-not-yet-valid"
            case certificateHostMismatch = "certificate-host-mismatch"
            case invalidTrustConfiguration = "invalid-trust-configuration"

            case malformedStatusLine = "malformed-status-line"
            case unsupportedHTTPVersion = "unsupported-http-version"
            case malformedHeader = "malformed-header"
            case headerTooLarge = "header-too-large"
            case invalidContentLength = "invalid-content-length"
            case conflictingFraming = "conflicting-framing"
            case unsupportedTransferCoding = "unsupported-transfer-coding"
            case malformedChunk = "malformed-chunk"
            case truncatedResponse = "truncated-response"
            case unexpectedResponse = "unexpected-response"

            case tooManyRedirects = "too-many-redirects"
            case redirectRefused = "redirect-refused"
            case invalidRedirect = "invalid-redirect"
            case bodyTooLarge = "body-too-large"
            case contentDecodingFailed = "content-decoding-failed"
            case contentDecodingLimitExceeded = "content-decoding-limit-exceeded"
            case outputFailed = "output-failed"

            case unacceptableStatusCode = "unacceptable-status-code"
            case unacceptableContentType = "unacceptable-content-type"
            case responseRefused = "response-refused"
            case responseSerializationFailed = "response-serialization-failed"

            case cancelled = "cancelled"
            case sessionInvalidated = "session-invalidated"
            case interceptorFailed = "interceptor-failed"
            case requestAdaptationFailed = "request-adaptation-failed"
            case lineTooLong = "line-too-long"
        }

        let value: Value

        init(_ value: Value) {
            self.value = value
        }

        /// The code in kebab-case, as `bluebonnet batch` prints it: `connection-lost`.
        public var rawValue: String { value.rawValue }

        /// The same as ``rawValue``.
        public var description: String { value.rawValue }

        /// The code of a kebab-case name, or nil when there is no such code.
        ///
        /// - Parameter rawValue: A name such as `connection-lost`.
        public init?(rawValue: String) {
            guard let value = Value(rawValue: rawValue) else { return nil }
            self.value = value
        }

        /// Every code there is today.
        public static var all: [Code] { Value.allCases.map(Code.init) }
    }
}

extension NetworkingError.Code {
    // MARK: Invalid request

    /// The URL string is not a URL, lacks a host, or has a host for which no certificate can be.
    public static let invalidURL = Self(.invalidURL)
    /// The request cannot be put on the wire: a header with CR or LF, a length that contradicts the body.
    public static let invalidRequest = Self(.invalidRequest)
    /// The URL's scheme is not `http`, `https`, `http+unix` or `https+unix`.
    public static let unsupportedScheme = Self(.unsupportedScheme)
    /// The request asks for something this version cannot do.
    public static let unsupportedFeature = Self(.unsupportedFeature)
    /// The parameters could not be turned into a query or body. Nothing was sent. (AFNetworking: request domain.)
    public static let requestSerializationFailed = Self(.requestSerializationFailed)
    /// The file or sequence that the request body is read from failed.
    public static let requestBodyFailed = Self(.requestBodyFailed)
    /// A redirect or retry needs the body again, and its source can be read only once.
    public static let requestBodyNotReplayable = Self(.requestBodyNotReplayable)
    /// The request body was shorter or longer than its declared length.
    public static let requestBodyLengthMismatch = Self(.requestBodyLengthMismatch)

    /// A ``RequestAdapter`` or ``RequestCompression`` refused the request or failed. Nothing was sent.
    public static let requestAdaptationFailed = Self(.requestAdaptationFailed)

    // MARK: Transport

    /// The host name could not be resolved.
    public static let dnsLookupFailed = Self(.dnsLookupFailed)
    /// No connection could be made: refused, unreachable, no such socket.
    public static let connectFailed = Self(.connectFailed)
    /// All connections to the host were busy, and none became free within ``Timeouts/waiting``.
    public static let waitingTimeout = Self(.waitingTimeout)
    /// No connection, TLS included, was ready within ``Timeouts/connect``.
    public static let connectTimeout = Self(.connectTimeout)
    /// No byte of the response came within ``Timeouts/firstByte`` after the request was sent.
    public static let firstByteTimeout = Self(.firstByteTimeout)
    /// The response stopped for longer than ``Timeouts/betweenBytes``.
    public static let betweenBytesTimeout = Self(.betweenBytesTimeout)
    /// The whole exchange, body and redirects included, took longer than ``Timeouts/request``.
    public static let requestTimeout = Self(.requestTimeout)
    /// The connection was reset, or was closed before the response began.
    public static let connectionLost = Self(.connectionLost)
    /// The TLS handshake or the TLS stream failed for another reason than the certificate.
    public static let tlsFailed = Self(.tlsFailed)

    // MARK: Trust

    /// The server's certificate is self-signed, issued by an authority that is not trusted, or has names that cannot be read.
    public static let certificateUntrusted = Self(.certificateUntrusted)
    /// The server's certificate has expired.
    public static let certificateExpired = Self(.certificateExpired)
    /// The server's certificate is not valid yet.
    public static let certificateNotYetValid = Self(.certificateNotYetValid)
    /// The server's certificate is for other hosts than that of the URL (RFC 9525).
    public static let certificateHostMismatch = Self(.certificateHostMismatch)
    /// The trust roots or the client certificate of the session cannot be read.
    public static let invalidTrustConfiguration = Self(.invalidTrustConfiguration)

    // MARK: Protocol

    /// What came is not an HTTP/1 status line (RFC 9112 §4).
    public static let malformedStatusLine = Self(.malformedStatusLine)
    /// The response speaks an HTTP version that was not asked for.
    public static let unsupportedHTTPVersion = Self(.unsupportedHTTPVersion)
    /// A header field breaks RFC 9112 §5.
    public static let malformedHeader = Self(.malformedHeader)
    /// A header line or the header section exceeds its limit (64 KiB each by default).
    public static let headerTooLarge = Self(.headerTooLarge)
    /// Content-Length is not a number (RFC 9112 §6.3).
    public static let invalidContentLength = Self(.invalidContentLength)
    /// Two lengths that differ, or a length beside a transfer coding (RFC 9112 §6.1, §6.3).
    public static let conflictingFraming = Self(.conflictingFraming)
    /// A transfer coding other than `chunked`.
    public static let unsupportedTransferCoding = Self(.unsupportedTransferCoding)
    /// A chunk breaks RFC 9112 §7.1.
    public static let malformedChunk = Self(.malformedChunk)
    /// The connection ended before the response was complete (RFC 9112 §8).
    public static let truncatedResponse = Self(.truncatedResponse)
    /// A response that no request asked for: an unasked protocol switch, too many interim responses.
    public static let unexpectedResponse = Self(.unexpectedResponse)

    // MARK: Limits and redirects

    /// More redirects than the session allows (20 by default).
    public static let tooManyRedirects = Self(.tooManyRedirects)
    /// A redirect came and the request asked for ``RedirectPolicy/error``, or it leads from `https` to `http` with a body.
    public static let redirectRefused = Self(.redirectRefused)
    /// A redirect whose `Location` is not usable, or is several that differ.
    public static let invalidRedirect = Self(.invalidRedirect)
    /// The response body is larger than allowed in memory (1 GiB by default).
    public static let bodyTooLarge = Self(.bodyTooLarge)
    /// A line of ``ResponseBody/lines`` is longer than allowed (1 MiB by default).
    public static let lineTooLong = Self(.lineTooLong)
    /// The body is not what its Content-Encoding says, or ends too early.
    public static let contentDecodingFailed = Self(.contentDecodingFailed)
    /// The body grows beyond the allowed ratio or size while its content coding is undone.
    public static let contentDecodingLimitExceeded = Self(.contentDecodingLimitExceeded)
    /// The response body could not be written to its file.
    public static let outputFailed = Self(.outputFailed)

    // MARK: Validation and serialization

    /// The status code is not acceptable. (AFNetworking: -1011.)
    public static let unacceptableStatusCode = Self(.unacceptableStatusCode)
    /// The content type is not acceptable. (AFNetworking: -1016.)
    public static let unacceptableContentType = Self(.unacceptableContentType)
    /// A rule of yours refused the response; what it threw is ``NetworkingError/underlying``.
    public static let responseRefused = Self(.responseRefused)
    /// The body could not be parsed. (AFNetworking: response domain.)
    public static let responseSerializationFailed = Self(.responseSerializationFailed)

    // MARK: Ended from outside

    /// The task was cancelled. (AFNetworking: -999.)
    public static let cancelled = Self(.cancelled)
    /// The session was invalidated or released while the task ran, or before it began.
    public static let sessionInvalidated = Self(.sessionInvalidated)
    /// A user's interceptor or transport threw an error of its own, which is ``NetworkingError/underlying``.
    public static let interceptorFailed = Self(.interceptorFailed)
}
