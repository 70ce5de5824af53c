extension HTTP1Connection {
    /// The decisions about one HTTP/1.1 connection, without I/O: may it be used again, and what does its end mean.
    struct StateMachine {
        enum RequestSide: Equatable {
            case idle
            /// The head is out, and the body waits for leave to follow (RFC 9110 §10.1.1).
            case awaitingContinue
            case sending
            case sent
            /// The response came before 100 Continue: the body is never sent.
            case withheld
        }

        enum ResponseSide: Equatable { case idle, awaitingHead, receivingBody }

        /// What follows the end of a response.
        enum AfterResponse: Equatable {
            /// The connection can take another exchange.
            case release
            /// The connection must not be used again.
            case close
        }

        private(set) var request = RequestSide.idle
        private(set) var response = ResponseSide.idle
        /// The connection has served at least one response completely.
        private(set) var hasServed = false
        /// An error was seen, or the end is near: never used again.
        private(set) var isDoomed = false
        /// The server has responded as HTTP/1.0, which knows no 100 Continue.
        private(set) var servesHTTP10 = false

        var isBusy: Bool { response != .idle }

        /// An exchange begins. False when the connection cannot take it.
        mutating func begin(sendsBodyLater: Bool, expectsContinue: Bool = false) -> Bool {
            guard !isDoomed, !isBusy else { return false }
            if sendsBodyLater {
                // RFC 9110 §10.1.1: nobody has to wait, and a server that speaks HTTP/1.0 would never say it.
                request = expectsContinue && !servesHTTP10 ? .awaitingContinue : .sending
            } else {
                request = .sent
            }
            response = .awaitingHead
            return true
        }

        /// 100 Continue came, or the wait for it is over. True when the body is to be sent now.
        mutating func continues() -> Bool {
            guard request == .awaitingContinue else { return false }
            request = .sending
            return true
        }

        mutating func requestSent() {
            if request == .sending { request = .sent }
        }

        /// The head of the final response.
        mutating func receivedHead(isHTTP10: Bool = false) {
            response = .receivingBody
            servesHTTP10 = isHTTP10
            if request == .awaitingContinue { request = .withheld }
        }

        /// The response is complete. RFC 9112 §9.3: the connection persists if both sides say so; §9.6: with bytes left over, or
        /// while the request is still being sent, or was not sent whole, it does not.
        mutating func receivedEnd(isKeepAlive: Bool, hasBytesLeft: Bool) -> AfterResponse {
            let isReusable = isKeepAlive && !hasBytesLeft && request == .sent && !isDoomed
            request = .idle
            response = .idle
            hasServed = true
            if !isReusable { isDoomed = true }
            return isReusable ? .release : .close
        }

        /// The exchange ended before anything was sent: nothing has happened.
        mutating func endedUnsent() {
            request = .idle
            response = .idle
        }

        /// The input has ended: what was sent may still have its response, but nothing more is sent.
        mutating func endIsNear() {
            isDoomed = true
        }

        /// An error, a cancellation or the end of the connection.
        mutating func doom() {
            isDoomed = true
            request = .idle
            response = .idle
        }

        /// Whether a connection that ended now ended as stale ones do: it had served before, and nothing of a response came.
        func isStale(hasReceivedBytes: Bool) -> Bool {
            hasServed && response == .awaitingHead && !hasReceivedBytes
        }
    }
}
