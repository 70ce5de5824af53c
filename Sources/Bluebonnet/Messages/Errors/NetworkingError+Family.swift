extension NetworkingError.Code {
    /// What a caller may want to treat alike, whatever code is added later.
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
        /// What the server sent is not HTTP.
        public static let framing = Family(description: "framing")
        /// A limit, a policy or the disk ended it.
        public static let limit = Family(description: "limit")
        /// The response is whole, but not what was asked for.
        public static let validation = Family(description: "validation")
        /// It was ended from outside.
        public static let ended = Family(description: "ended")
    }

    /// The family of the code.
    public var family: Family {
        switch value {
        case .invalidURL, .invalidRequest, .unsupportedScheme, .unsupportedFeature, .requestSerializationFailed,
            .requestBodyFailed, .requestBodyNotReplayable, .requestBodyLengthMismatch, .requestAdaptationFailed:
            .request
        case .dnsLookupFailed, .connectFailed, .connectionLost, .tlsFailed: .transport
        case .waitingTimeout, .connectTimeout, .firstByteTimeout, .betweenBytesTimeout, .requestTimeout: .timeout
        case .certificateUntrusted, .certificateExpired, .certificateNotYetValid, .certificateHostMismatch,
            .invalidTrustConfiguration:
            .trust
        case .malformedStatusLine, .unsupportedHTTPVersion, .malformedHeader, .headerTooLarge, .invalidContentLength,
            .conflictingFraming, .unsupportedTransferCoding, .malformedChunk, .truncatedResponse, .unexpectedResponse:
            .framing
        case .tooManyRedirects, .redirectRefused, .invalidRedirect, .bodyTooLarge, .contentDecodingFailed,
            .contentDecodingLimitExceeded, .outputFailed, .lineTooLong:
            .limit
        case .unacceptableStatusCode, .unacceptableContentType, .responseRefused, .responseSerializationFailed:
            .validation
        case .cancelled, .sessionInvalidated, .interceptorFailed: .ended
        }
    }
}
