import NIOCore
import NIOPosix
import NIOSSL

/// The errors for the engine's faults.
extension NetworkingError {
    static func timeout(_ code: Code, _ exchange: Exchange) -> NetworkingError {
        let server = exchange.route.origin.description
        let message =
            switch code {
            case .firstByteTimeout:
                "\(server) did not begin its response within \(exchange.timeouts.firstByte.duration.sentence)."
            case .betweenBytesTimeout:
                "No byte was sent to \(server) or received within \(exchange.timeouts.betweenBytes.duration.sentence)."
            default:
                "The request to \(server) was not complete within \(exchange.timeouts.request.duration.sentence)."
            }
        return NetworkingError(code, message)
    }

    /// No connection became free for an exchange: all `open` ones are busy, and `refusal` is the
    /// error with which another one could not be made.
    static func waitedTooLong(_ exchange: Exchange, behind open: Int, refusal: NetworkingError?) -> NetworkingError {
        let server = exchange.route.origin.description
        let busy = open == 1 ? "The only connection to \(server) is" : "All \(open) connections to \(server) are"
        let reason = refusal.map { " Another one could not be made: \($0.message)" } ?? ""
        return NetworkingError(
            .waitingTimeout,
            "\(busy) busy, and did not become free within \(exchange.timeouts.waiting.duration.sentence).\(reason)",
            underlying: refusal
        )
    }

    /// A connection was free for the request of a suspended task.
    static func suspended(_ origin: Origin) -> NetworkingError {
        let message = "The request to \(origin.description) was not sent, because its task was suspended."
        return RepeatableError.marking(NetworkingError(.connectionLost, message), .suspended)
    }

    /// The connection broke under an exchange. `isSilent` says that it never had a byte of a
    /// response.
    static func lost(
        _ origin: Origin,
        _ cause: any Error,
        hasResponse: Bool,
        isSilent: Bool
    ) -> NetworkingError {
        let moment = hasResponse ? "in the middle of the response" : "before the response began"
        if cause is NIOSSLError || cause is BoringSSLError {
            let failure = TLSFailure(cause)
            return NetworkingError(
                .tlsFailed,
                "The TLS connection to \(origin.description) failed \(moment): \(failure.sentence)",
                underlying: failure
            )
        }
        let reason = (cause as? IOError).map { ": \($0.errnoCode.reason)" } ?? ""
        return NetworkingError(
            .connectionLost,
            "The connection to \(origin.description) was lost \(moment)\(reason)." + (isSilent ? origin.hint : ""),
            underlying: cause
        )
    }

    /// Several new connections have ended before they took a request.
    static func endedUnused(_ origin: Origin) -> NetworkingError {
        NetworkingError(
            .connectionLost,
            "Each new connection to \(origin.description) was closed, or brought bytes, before the request was sent."
        )
    }

    /// The connection broke under a tunnel.
    static func tunnelLost(_ origin: Origin, _ cause: any Error) -> NetworkingError {
        let server = origin.description
        if cause is NIOSSLError || cause is BoringSSLError {
            let failure = TLSFailure(cause)
            let message = "The TLS connection to \(server) failed after the switch of protocols: \(failure.sentence)"
            return NetworkingError(.tlsFailed, message, underlying: failure)
        }
        let reason = (cause as? IOError).map { ": \($0.errnoCode.reason)" } ?? ""
        let message = "The connection to \(server) was lost after the switch of protocols\(reason)."
        return NetworkingError(.connectionLost, message, underlying: cause)
    }

    /// The received bytes are not a valid HTTP/1.1 response.
    init(_ error: HTTP1ParseError, from origin: Origin) {
        let code: Code =
            switch error.fault {
            case .malformedStatusLine, .tlsRecord: .malformedStatusLine
            case .unsupportedVersion: .unsupportedHTTPVersion
            case .malformedHeader: .malformedHeader
            case .headerLineTooLarge, .headerSectionTooLarge, .tooManyHeaders: .headerTooLarge
            case .invalidContentLength: .invalidContentLength
            case .conflictingContentLength, .conflictingFraming: .conflictingFraming
            case .unsupportedTransferCoding: .unsupportedTransferCoding
            case .malformedChunk: .malformedChunk
            case .truncatedHead, .truncatedBody, .truncatedChunkedBody: .truncatedResponse
            case .closedBeforeResponse: .connectionLost
            case .tooManyInformational: .unexpectedResponse
            }
        // A connection that ended like this had no response before; the others are stale.
        let hint = error.fault == .closedBeforeResponse ? origin.hint : ""
        self.init(code, "The response from \(origin.description) could not be read. \(error.description)\(hint)")
    }
}

extension Origin {
    /// What may be wrong where a server ends a connection without a byte. Most servers that speak
    /// TLS do that to a request without TLS; the others send an alert.
    fileprivate var hint: String {
        guard !isSecure, case .host = endpoint else { return "" }
        return " If the server speaks TLS, its URLs begin with https://."
    }
}

extension NetworkingError {
    /// The server does not speak HTTP/2, and nothing else is wanted.
    static func withoutHTTP2(_ origin: Origin) -> NetworkingError {
        NetworkingError(.unsupportedHTTPVersion, "\(origin.description) does not speak HTTP/2.")
    }

    /// The event loops of the session were shut down.
    static func eventLoopShutDown(_ origin: Origin) -> NetworkingError {
        NetworkingError(
            .connectFailed,
            "\(origin.description) could not be reached: the event loop group of the session was shut down.",
            underlying: EventLoopError.shutdown
        )
    }
}
