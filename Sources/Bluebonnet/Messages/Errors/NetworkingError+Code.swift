extension NetworkingError {
    // A new code is a line below, its name in `all`, and a row in
    // Bluebonnet.docc/ErrorsAndTimeouts.md; ErrorCodeTableTests compares the three.

    /// The kind of a fault. A struct, so that a new code does not break a `switch`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// A group of codes that callers may treat alike, whatever codes are added later.
        public struct Family: Sendable, Hashable, CustomStringConvertible {
            /// The name: `transport`.
            public let description: String

            /// The request cannot be sent as it is; trying again does not help.
            public static let request = Family(description: "request")
            /// No connection, or it broke.
            public static let transport = Family(description: "transport")
            /// One of ``Timeouts`` fired.
            public static let timeout = Family(description: "timeout")
            /// The server is not trusted, or trust is configured wrongly.
            public static let trust = Family(description: "trust")
            /// The server wants credentials, and there are none, or asking for them failed.
            public static let authentication = Family(description: "authentication")
            /// The bytes from the server are not HTTP.
            public static let framing = Family(description: "framing")
            /// A limit, a policy or the disk ended the request.
            public static let limit = Family(description: "limit")
            /// The response is whole, but not what was asked for.
            public static let validation = Family(description: "validation")
            /// The task was cancelled, or its session or an interceptor ended it.
            public static let ended = Family(description: "ended")
        }

        /// The code in kebab-case, as `bluebonnet batch` prints it: `connection-lost`.
        public let rawValue: String
        /// The family of the code.
        public let family: Family
        /// The number that AFNetworking reported; ``NetworkingError/number`` has the exceptions.
        let number: Int

        fileprivate init(_ rawValue: String, _ family: Family, _ number: Int) {
            self.rawValue = rawValue
            self.family = family
            self.number = number
        }

        /// The ``rawValue``.
        public var description: String { rawValue }

        /// The code of a kebab-case name, or nil when there is no such code.
        ///
        /// - Parameter rawValue: A name such as `connection-lost`.
        public init?(rawValue: String) {
            guard let code = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = code
        }

        /// Codes are equal when their names are.
        public static func == (left: Code, right: Code) -> Bool {
            left.rawValue == right.rawValue
        }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(rawValue)
        }

        /// Every code there is today.
        public static let all: [Code] = [
            .invalidURL, .invalidRequest, .unsupportedScheme, .unsupportedFeature,
            .requestSerializationFailed, .requestBodyFailed, .requestBodyNotReplayable,
            .requestBodyLengthMismatch, .requestAdaptationFailed, .responseBodyAlreadyRead,
            .invalidProxy, .proxyConnectFailed, .proxyTimeout, .proxyTLSFailed, .proxyUntrusted,
            .proxyAuthenticationFailed, .proxyRefused, .proxyResponseInvalid,
            .dnsLookupFailed, .connectFailed, .dnsLookupTimeout, .waitingTimeout, .connectTimeout,
            .firstByteTimeout, .betweenBytesTimeout, .requestTimeout, .connectionLost, .tlsFailed,
            .certificateUntrusted, .certificateExpired, .certificateNotYetValid,
            .certificateHostMismatch, .certificateInvalid, .certificateWeak, .certificateNotPinned,
            .certificateRefused, .certificateRevoked, .invalidTrustConfiguration,
            .authenticationFailed, .authenticationCancelled, .tooManyRefreshes,
            .malformedStatusLine, .unsupportedHTTPVersion, .malformedHeader, .headerTooLarge,
            .invalidContentLength, .conflictingFraming, .unsupportedTransferCoding,
            .malformedChunk, .truncatedResponse, .unexpectedContentRange, .unexpectedResponse,
            .protocolViolation, .tooManyFrames, .streamReset,
            .tooManyRedirects, .redirectRefused, .invalidRedirect, .bodyTooLarge, .lineTooLong,
            .contentDecodingFailed, .contentDecodingLimitExceeded, .outputFailed,
            .storeFailed, .storeInUse, .rateLimited, .notCached, .networkNotAllowed,
            .unacceptableStatusCode, .unacceptableContentType, .responseRefused,
            .digestMismatch, .responseSerializationFailed,
            .webSocketRefused, .webSocketProtocolError, .webSocketMessageTooLarge,
            .webSocketPingTimeout, .webSocketClosed,
            .cancelled, .becameDownload, .becameStream, .sessionInvalidated, .interceptorFailed,
        ]
    }
}

extension NetworkingError.Code {
    // MARK: Invalid request

    /// The URL string is not a URL, lacks a host, or has a host that no certificate can be for.
    public static let invalidURL = Self("invalid-url", .request, -1000)
    /// The request cannot be put on the wire: the name or the value of a header field that cannot
    /// be sent, which the message names, or a length that contradicts the body. Also
    /// ``UploadResumeData`` that cannot continue the upload of the request.
    ///
    /// `HTTPField` replaces CR, LF, NUL and other control characters of a value with spaces, and
    /// leaves out white space around it, before the library sees them.
    public static let invalidRequest = Self("invalid-request", .request, -1000)
    /// The URL's scheme is not `http`, `https`, `http+unix` or `https+unix`.
    public static let unsupportedScheme = Self("unsupported-scheme", .request, -1002)
    /// The request asks for something this version cannot do.
    public static let unsupportedFeature = Self("unsupported-feature", .request, -1002)
    /// The parameters could not be turned into a query or body. Nothing was sent. (AFNetworking:
    /// request domain.)
    public static let requestSerializationFailed = Self("request-serialization-failed", .request, -1016)
    /// The file or sequence that the request body is read from failed, or cannot be read from at
    /// all.
    public static let requestBodyFailed = Self("request-body-failed", .request, -1021)
    /// A redirect or retry needs the body again, and its source can be read only once.
    public static let requestBodyNotReplayable = Self("request-body-not-replayable", .request, -1021)
    /// The request body was shorter or longer than its declared length.
    public static let requestBodyLengthMismatch = Self("request-body-length-mismatch", .request, -1021)

    /// A ``RequestAdapter`` or ``RequestCompression`` refused the request or failed. Nothing was
    /// sent.
    public static let requestAdaptationFailed = Self("request-adaptation-failed", .request, -1)

    /// The body of a response was read before: a ``ResponseBody`` is read once.
    public static let responseBodyAlreadyRead = Self("response-body-already-read", .request, -1)

    // MARK: Transport

    /// The host name could not be resolved.
    public static let dnsLookupFailed = Self("dns-lookup-failed", .transport, -1003)
    /// No connection could be made: refused, unreachable, no such socket.
    public static let connectFailed = Self("connect-failed", .transport, -1004)
    /// The lookup of the host name had no result within ``Timeouts/connect``: its name server sends
    /// nothing.
    public static let dnsLookupTimeout = Self("dns-lookup-timeout", .timeout, -1001)
    /// All connections to the host were busy, and none became free within ``Timeouts/waiting``.
    public static let waitingTimeout = Self("waiting-timeout", .timeout, -1001)
    /// No connection, TLS included, was ready within ``Timeouts/connect``.
    public static let connectTimeout = Self("connect-timeout", .timeout, -1001)
    /// No byte of the response came within ``Timeouts/firstByte`` after the request was sent.
    public static let firstByteTimeout = Self("first-byte-timeout", .timeout, -1001)
    /// The response stopped for longer than ``Timeouts/betweenBytes``.
    public static let betweenBytesTimeout = Self("between-bytes-timeout", .timeout, -1001)
    /// The whole exchange, body and redirects included, took longer than ``Timeouts/request``.
    public static let requestTimeout = Self("request-timeout", .timeout, -1001)
    /// The connection was reset, or was closed before the response began.
    public static let connectionLost = Self("connection-lost", .transport, -1005)
    /// The TLS handshake or the TLS stream failed for another reason than the certificate.
    public static let tlsFailed = Self("tls-failed", .transport, -1200)

    // MARK: Proxies

    /// The proxy for the request is none: the scheme, the host or the port of its URL is wrong, or
    /// the closure that chooses it has failed. Nothing was sent.
    public static let invalidProxy = Self("invalid-proxy", .request, -1000)
    /// The proxy could not be reached: its name was not found, it refused the connection, or it
    /// closed the connection before the tunnel was open.
    public static let proxyConnectFailed = Self("proxy-connect-failed", .transport, -1004)
    /// The proxy was not reached, or did not open the tunnel, within ``Timeouts/connect``.
    public static let proxyTimeout = Self("proxy-timeout", .timeout, -1001)
    /// The TLS handshake with the proxy failed for another reason than its certificate.
    public static let proxyTLSFailed = Self("proxy-tls-failed", .transport, -1200)
    /// The certificate of the proxy was refused: ``NetworkingError/trustRefusal`` has the rule.
    public static let proxyUntrusted = Self("proxy-untrusted", .trust, -1202)
    /// The proxy wants a credential for the tunnel, and there is none that it accepts. The error
    /// has its response where it speaks HTTP: a 407.
    public static let proxyAuthenticationFailed = Self("proxy-authentication-failed", .authentication, -1013)
    /// The proxy refused to open a tunnel to the server. The error has its response with the body
    /// where it speaks HTTP.
    public static let proxyRefused = Self("proxy-refused", .transport, -1004)
    /// The bytes of the proxy are no answer to the request for a tunnel: not HTTP, or not SOCKS.
    public static let proxyResponseInvalid = Self("proxy-response-invalid", .framing, -1011)

    // MARK: Trust

    /// The server's certificate is self-signed, or no trusted authority has signed it.
    public static let certificateUntrusted = Self("certificate-untrusted", .trust, -1202)
    /// The server's certificate has expired.
    public static let certificateExpired = Self("certificate-expired", .trust, -1201)
    /// The server's certificate is not valid yet.
    public static let certificateNotYetValid = Self("certificate-not-yet-valid", .trust, -1204)
    /// The server's certificate is for other hosts than that of the URL (RFC 9525).
    public static let certificateHostMismatch = Self("certificate-host-mismatch", .trust, -1202)
    /// A certificate of the server or of an authority above it breaks a rule, which
    /// ``NetworkingError/trustRefusal`` names: it is not well-formed, is used for what it must not
    /// be used for (RFC 5280), or is in the scope of no list of revoked certificates where
    /// ``TLSSettings/revocationLists`` are required.
    public static let certificateInvalid = Self("certificate-invalid", .trust, -1202)
    /// A certificate of the server or of an authority above it, which lead to a trusted one, has a
    /// key that is too short, or a signature with SHA-1.
    public static let certificateWeak = Self("certificate-weak", .trust, -1202)
    /// The certificates of the server are good, and none is among the pins of the
    /// ``SecurityPolicy``.
    public static let certificateNotPinned = Self("certificate-not-pinned", .trust, -1202)
    /// The ``SecurityPolicy/decision`` of the session refused the server.
    public static let certificateRefused = Self("certificate-refused", .trust, -1202)
    /// A certificate of the server or of an authority above it is in one of the
    /// ``TLSSettings/revocationLists``.
    public static let certificateRevoked = Self("certificate-revoked", .trust, -1202)
    /// The trust roots or the client certificate of the session cannot be read, or its
    /// ``SecurityPolicy`` contradicts itself or the URL.
    public static let invalidTrustConfiguration = Self("invalid-trust-configuration", .trust, -1205)

    // MARK: Authentication

    /// No credentials could be had, or the server does not know them itself: a handler of
    /// challenges or an ``Authenticator`` failed, whose error is ``NetworkingError/underlying``, or
    /// a server proved with Digest that it does not have the password (RFC 7616 §3.5).
    public static let authenticationFailed = Self("authentication-failed", .authentication, -1013)
    /// The handler of challenges cancelled the authentication: ``ChallengeDisposition/cancel``.
    /// (AFNetworking: -999.)
    public static let authenticationCancelled = Self("authentication-cancelled", .authentication, -999)
    /// An ``AuthenticationInterceptor`` has refreshed its credential too often in a short time, and
    /// the server refuses each.
    public static let tooManyRefreshes = Self("too-many-refreshes", .authentication, -1013)

    // MARK: Protocol

    /// The response does not begin with an HTTP/1 status line (RFC 9112 §4).
    public static let malformedStatusLine = Self("malformed-status-line", .framing, -1011)
    /// The response has an HTTP version that was not asked for.
    public static let unsupportedHTTPVersion = Self("unsupported-http-version", .framing, -1011)
    /// A header field breaks RFC 9112 §5.
    public static let malformedHeader = Self("malformed-header", .framing, -1011)
    /// A header line or the header section exceeds its limit (64 KiB each by default).
    public static let headerTooLarge = Self("header-too-large", .framing, -1103)
    /// Content-Length is not a number (RFC 9112 §6.3).
    public static let invalidContentLength = Self("invalid-content-length", .framing, -1011)
    /// Two lengths that differ, or a length beside a transfer coding (RFC 9112 §6.1, §6.3).
    public static let conflictingFraming = Self("conflicting-framing", .framing, -1011)
    /// A transfer coding other than `chunked`.
    public static let unsupportedTransferCoding = Self("unsupported-transfer-coding", .framing, -1011)
    /// A chunk breaks RFC 9112 §7.1.
    public static let malformedChunk = Self("malformed-chunk", .framing, -1015)
    /// The connection ended before the response was complete (RFC 9112 §8).
    public static let truncatedResponse = Self("truncated-response", .framing, -1005)
    /// A response with another part of a file than the download asked for (RFC 9110 §14.4).
    public static let unexpectedContentRange = Self("unexpected-content-range", .framing, -1011)
    /// A response that no request asked for: a protocol switch, too many informational responses.
    public static let unexpectedResponse = Self("unexpected-response", .framing, -1011)

    /// The server broke a rule of HTTP/2 (RFC 9113 §5.4) for which there is no other code.
    public static let protocolViolation = Self("protocol-violation", .framing, -1011)
    /// The server sent so many HTTP/2 frames which bring nothing that the connection was ended (RFC
    /// 9113 §10.5).
    public static let tooManyFrames = Self("too-many-frames", .framing, -1011)
    /// The server ended the HTTP/2 stream of the request before its response was complete (RFC 9113
    /// §6.4); the message has its error code.
    public static let streamReset = Self("stream-reset", .framing, -1005)

    // MARK: Limits and redirects

    /// More redirects than the session allows (20 by default).
    public static let tooManyRedirects = Self("too-many-redirects", .limit, -1007)
    /// A redirect came and the request asked for ``RedirectPolicy/error``; or it leads from `https`
    /// to `http` with a body, or where ``SessionConfiguration/followsInsecureRedirects`` is false.
    public static let redirectRefused = Self("redirect-refused", .limit, -1010)
    /// A redirect whose `Location` cannot be used, or that has several which differ.
    public static let invalidRedirect = Self("invalid-redirect", .limit, -1010)
    /// The response body is larger than allowed in memory (1 GiB by default).
    public static let bodyTooLarge = Self("body-too-large", .limit, -1103)
    /// A line of ``ResponseBody/lines`` is longer than allowed (1 MiB by default), or a JSON line
    /// or a server-sent event (16 MiB by default).
    public static let lineTooLong = Self("line-too-long", .limit, -1103)
    /// The body is not what its Content-Encoding says, or ends too early.
    public static let contentDecodingFailed = Self("content-decoding-failed", .limit, -1015)
    /// The body grows beyond the allowed ratio or size while its content coding is undone.
    public static let contentDecodingLimitExceeded = Self("content-decoding-limit-exceeded", .limit, -1103)
    /// The response body could not be written to its file.
    public static let outputFailed = Self("output-failed", .limit, -3003)
    /// The store of the transfers, ``SessionConfiguration/transferJournal``, or of a cache cannot
    /// be opened, read or written: no permission, no space, a damaged database, or one of a newer
    /// version. No request fails because of its cache.
    public static let storeFailed = Self("store-failed", .limit, -3001)
    /// Another process has the store of the transfers, or another session of this one.
    public static let storeInUse = Self("store-in-use", .limit, -996)

    /// The request was not sent, because the ``SessionConfiguration/rateLimits`` of the session let
    /// it be sent only after the time of ``Timeouts/request``; or they name a host that is none.
    public static let rateLimited = Self("rate-limited", .limit, -1001)

    /// The policy of the request is ``CachePolicy/onlyIfCached``, and no stored response can be
    /// used. Nothing was sent. (`NSURLErrorResourceUnavailable`.)
    public static let notCached = Self("not-cached", .limit, -1008)

    /// The path to the host is over a network that the request does not allow
    /// (``RequestProperties/allowsExpensiveNetworkAccess``,
    /// ``RequestProperties/allowsCellularAccess``). Nothing was sent.
    /// (`NSURLErrorDataNotAllowed`.)
    public static let networkNotAllowed = Self("network-not-allowed", .limit, -1020)

    // MARK: Validation and serialization

    /// The status code is not acceptable. (AFNetworking: -1011.)
    public static let unacceptableStatusCode = Self("unacceptable-status-code", .validation, -1011)
    /// The content type is not acceptable. (AFNetworking: -1016.)
    public static let unacceptableContentType = Self("unacceptable-content-type", .validation, -1016)
    /// A rule of yours refused the response; what it threw is ``NetworkingError/underlying``.
    public static let responseRefused = Self("response-refused", .validation, -1011)
    /// The bytes of a download are not those of its ``Checksum``, or of the `Repr-Digest` or
    /// `Content-Digest` that its server sent (RFC 9530).
    public static let digestMismatch = Self("digest-mismatch", .validation, -1015)
    /// The body could not be parsed. (AFNetworking: response domain.)
    public static let responseSerializationFailed = Self("response-serialization-failed", .validation, -1016)

    // MARK: WebSocket

    /// The server has not opened the WebSocket: its response, which is in the error, has another
    /// status than a switch of protocols, or breaks a rule of the handshake (RFC 6455 §4.1).
    public static let webSocketRefused = Self("web-socket-refused", .validation, -1011)
    /// A frame or message of the server breaks RFC 6455 or RFC 7692: a reserved bit, a masked
    /// frame, text that is not UTF-8.
    public static let webSocketProtocolError = Self("web-socket-protocol-error", .framing, -1011)
    /// A frame or message of the server is larger than ``WebSocketOptions`` allow (16 MiB by
    /// default).
    public static let webSocketMessageTooLarge = Self("web-socket-message-too-large", .limit, -1103)
    /// No pong came within ``WebSocketOptions/pingTimeout``.
    public static let webSocketPingTimeout = Self("web-socket-ping-timeout", .timeout, -1001)
    /// The server has closed the WebSocket with another code than 1000 and 1001, or something was
    /// to be sent after the end. ``NetworkingError/webSocketClosure`` has code and reason.
    public static let webSocketClosed = Self("web-socket-closed", .ended, -1005)

    // MARK: Ended from outside

    /// The task was cancelled. (AFNetworking: -999.)
    public static let cancelled = Self("cancelled", .ended, -999)
    /// The data task became a download, which has its response: ``ResponseDisposition``.
    public static let becameDownload = Self("became-download", .ended, -999)
    /// The data task became a stream, which has its response: ``ResponseDisposition``.
    public static let becameStream = Self("became-stream", .ended, -999)
    /// The session was invalidated or released while the task ran, or before it began.
    public static let sessionInvalidated = Self("session-invalidated", .ended, -1)
    /// A user's interceptor or transport threw an error of its own, which is
    /// ``NetworkingError/underlying``.
    public static let interceptorFailed = Self("interceptor-failed", .ended, -1)
}
