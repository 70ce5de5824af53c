import NIOCore

/// A rule of HTTP/2 that the server has broken: what is sent to it, and what the caller learns.
struct HTTP2Fault: Error, Equatable {
    enum Kind {
        /// A field section that breaks RFC 9113 §8.2 or §8.3.
        case malformedFields
        /// A field section that is larger than the limit.
        case fieldsTooLarge
        /// A content-length that is not a number (RFC 9110 §8.6).
        case invalidContentLength
        /// More or less content than content-length says (RFC 9113 §8.1.1), or several values that
        /// differ.
        case lengthMismatch
        /// Frames that cost more than they bring (RFC 9113 §10.5).
        case flood
        /// An informational response too many, or one that was not asked for.
        case unexpectedResponse
        /// Everything else.
        case violation
    }

    let kind: Kind
    /// The error code of the RST_STREAM or GOAWAY with which the server learns of it.
    let code: HTTP2Code
    /// A clause about the server: "sent …".
    let clause: String

    init(_ kind: Kind, sending code: HTTP2Code = .protocolError, clause: String) {
        self.kind = kind
        self.code = code
        self.clause = clause
    }

    /// A field section that is so large that it ends the connection (RFC 9113 §10.5.1).
    static let sectionTooLarge = Self(
        .fieldsTooLarge,
        sending: .enhanceYourCalm,
        clause: "sent a field section that is too large (\(HTTP2Code.enhanceYourCalm))"
    )
}

/// The server has ended a stream or a connection: the cause of errors whose sentence says so.
struct HTTP2End: Error, CustomStringConvertible {
    let code: HTTP2Code

    var description: String { code.description }
}

extension NetworkingError {
    /// The server has broken a rule of HTTP/2.
    init(_ fault: HTTP2Fault, from origin: Origin) {
        let code: Code =
            switch fault.kind {
            case .malformedFields: .malformedHeader
            case .fieldsTooLarge: .headerTooLarge
            case .invalidContentLength: .invalidContentLength
            case .lengthMismatch: .conflictingFraming
            case .flood: .tooManyFrames
            case .unexpectedResponse: .unexpectedResponse
            case .violation: .protocolViolation
            }
        self.init(code, "\(origin.description) \(fault.clause).", underlying: fault)
    }

    /// The server has ended a stream. Where it has not processed the request (RFC 9113 §8.7), that
    /// may be sent again.
    static func reset(_ route: Route, _ code: HTTP2Code, hasResponse: Bool) -> NetworkingError {
        let moment = hasResponse ? "in the middle of the response" : "before the response began"
        let error = NetworkingError(
            .streamReset,
            "\(route.origin.description) ended the HTTP/2 stream \(moment) with \(code).",
            underlying: HTTP2End(code: code)
        )
        guard !hasResponse, code == .refusedStream || code == .http11Required else { return error }
        return repeatable(error, along: route, after: code)
    }

    /// The server is ending the connection, and has not processed the request (RFC 9113 §6.8).
    static func notProcessed(_ route: Route, _ code: HTTP2Code) -> NetworkingError {
        let reason = code == .noError ? "" : " with \(code)"
        let error = NetworkingError(
            .connectionLost,
            "\(route.origin.description) ended the HTTP/2 connection\(reason) before it processed the request.",
            underlying: code == .noError ? nil : HTTP2End(code: code)
        )
        return repeatable(error, along: route, after: code)
    }

    /// Marks an error after which the request is sent again at once, unless that would be in vain.
    private static func repeatable(
        _ error: NetworkingError,
        along route: Route,
        after code: HTTP2Code
    ) -> NetworkingError {
        switch code {
        // §7: the server wants the request over HTTP/1.1, which this session does not speak to it.
        // A proxy gets it from now on.
        case .http11Required where route.versions != .automatic && route.passage?.forwardingProxy == nil: error
        // §7: the server has too much to do. A repetition at once would add to it; one after a
        // pause is up to the policy of the session.
        case .enhanceYourCalm: error
        default: RepeatableError.marking(error, .notProcessed)
        }
    }

    /// The server opens no tunnels over HTTP/2 (RFC 8441 §3), and got no request.
    static func withoutTunnels(_ route: Route) -> NetworkingError {
        let message = "\(route.origin.description) switches to no other protocol over HTTP/2"
        guard route.versions.requiresHTTP2(to: route.origin) else {
            return RepeatableError.marking(NetworkingError(.connectionLost, "\(message)."), .notProcessed)
        }
        return NetworkingError(.unsupportedHTTPVersion, "\(message), and the session does not speak HTTP/1.1 to it.")
    }

    /// Other things came, but no acknowledgement of a PING that a caller has asked for.
    static func pingUnacknowledged(_ origin: Origin) -> NetworkingError {
        let time = Duration.nanoseconds(HTTP2PingTimer.patience.nanoseconds)
        return NetworkingError(
            .firstByteTimeout,
            "\(origin.description) did not acknowledge a PING within \(Optional(time).sentence)."
        )
    }

    /// Nothing came for long, and no acknowledgement of a PING (RFC 9113 §6.7).
    static func dead(_ origin: Origin, after patience: TimeAmount) -> NetworkingError {
        NetworkingError(
            .connectionLost,
            "The HTTP/2 connection to \(origin.description) is dead: a PING was not acknowledged within "
                + "\(Optional(Duration.nanoseconds(patience.nanoseconds)).sentence)."
        )
    }
}
