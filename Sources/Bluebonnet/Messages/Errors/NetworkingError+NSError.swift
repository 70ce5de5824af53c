extension NetworkingError {
    /// The `NSError` domain that AFNetworking reported this fault in.
    ///
    /// `NSURLErrorDomain`, `com.alamofire.error.serialization.request` or `com.alamofire.error.serialization.response`.
    public var domain: String {
        switch code.value {
        case .requestSerializationFailed: "com.alamofire.error.serialization.request"
        case .unacceptableStatusCode, .unacceptableContentType, .responseRefused, .responseSerializationFailed:
            "com.alamofire.error.serialization.response"
        default: "NSURLErrorDomain"
        }
    }

    /// The number that AFNetworking reported in ``domain``, for example -1011, -1016, -1202 or -999.
    public var number: Int {
        switch code.value {
        case .cancelled: -999
        case .invalidURL, .invalidRequest: -1000
        case .waitingTimeout, .connectTimeout, .firstByteTimeout, .betweenBytesTimeout, .requestTimeout: -1001
        case .unsupportedScheme, .unsupportedFeature: -1002
        case .dnsLookupFailed: -1003
        case .connectFailed: -1004
        case .connectionLost, .truncatedResponse: -1005
        case .tooManyRedirects: -1007
        case .redirectRefused, .invalidRedirect: -1010
        case .unacceptableStatusCode, .responseRefused, .malformedStatusLine, .unsupportedHTTPVersion, .malformedHeader,
            .invalidContentLength, .conflictingFraming, .unsupportedTransferCoding, .unexpectedResponse:
            -1011
        case .contentDecodingFailed, .malformedChunk: -1015
        case .unacceptableContentType, .requestSerializationFailed, .responseSerializationFailed: -1016
        case .requestBodyFailed, .requestBodyNotReplayable, .requestBodyLengthMismatch: -1021
        case .bodyTooLarge, .headerTooLarge, .contentDecodingLimitExceeded, .lineTooLong: -1103
        case .tlsFailed: -1200
        case .certificateExpired: -1201
        case .certificateUntrusted, .certificateHostMismatch: -1202
        case .certificateNotYetValid: -1204
        case .invalidTrustConfiguration: -1205
        case .outputFailed: -3003
        case .sessionInvalidated, .interceptorFailed, .requestAdaptationFailed: -1
        }
    }
}
