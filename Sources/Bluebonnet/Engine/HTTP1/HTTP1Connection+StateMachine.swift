import NIOCore

extension HTTP1Connection {
    /// Everything one HTTP/1.1 connection has to decide, without I/O: what the bytes say that come,
    /// may it be used again, and what does its end mean.
    struct StateMachine {
        enum Stage: Equatable {
            case idle
            case awaitingHead
            case receivingBody
            /// The response is complete, and not all that came with it has been looked at.
            case complete(isReusable: Bool)
        }

        /// What follows the end of a response.
        enum Next: Equatable {
            /// The connection can take another exchange.
            case release
            /// The connection must not be used again.
            case close
        }

        enum Received: Equatable {
            case parse
            /// The task is suspended: they are looked at when it goes on.
            case hold
            /// The response is complete: the connection is closed as soon as that has been handed
            /// over.
            case ignore
            /// Nobody asked for anything (RFC 9112 §9.2), so whatever comes is not a response.
            case close
        }

        private(set) var stage = Stage.idle
        private var parser: HTTP1ResponseParser
        /// The connection has served at least one response completely.
        private(set) var hasServed = false
        /// An error was seen, or the end is near: never used again.
        private(set) var isDoomed = false
        /// The server has responded as HTTP/1.0, which knows no 100 Continue.
        private(set) var servesHTTP10 = false
        /// The pool counts on it no longer.
        private var hasLeftPool = false
        /// What a read under way brought after the task was suspended.
        private var held = CircularBuffer<ByteBuffer>()
        /// The channel wants to read, and must not yet.
        private var hasPendingRead = false

        init(limits: HTTP1Limits = HTTP1Limits()) {
            parser = HTTP1ResponseParser(limits: limits)
        }

        /// An exchange is under way.
        var isBusy: Bool { stage == .awaitingHead || stage == .receivingBody }

        // MARK: Exchanges

        /// An exchange begins. False when the connection cannot take it.
        mutating func begin(_ kind: HTTP1ResponseParser.RequestKind = .ordinary) -> Bool {
            guard !isDoomed, stage == .idle else { return false }
            stage = .awaitingHead
            parser.begin(kind)
            return true
        }

        /// The exchange ended before anything was sent: nothing has happened.
        mutating func endedUnsent() {
            stage = .idle
        }

        /// The response is complete. RFC 9112 §9.3: the connection persists if both sides say so;
        /// §9.6: with bytes left over, or while the request is still being sent, or was not sent
        /// whole, it does not. What was held back, or not read, while the task was suspended lies
        /// behind the response as well.
        mutating func end(hasBytesLeft: Bool, isRequestSent: Bool, asksForClose: Bool) {
            let isLast = !hasBytesLeft && held.isEmpty && !hasPendingRead
            let isKeepAlive = parser.isKeepAlive && !asksForClose
            stage = .complete(isReusable: isKeepAlive && isLast && isRequestSent && !isDoomed)
            hasServed = true
            dropHeld()
        }

        /// Everything that came with a complete response has been looked at. Nil where there is
        /// none.
        mutating func settle() -> Next? {
            guard case .complete(let isReusable) = stage else { return nil }
            stage = .idle
            guard isReusable, !isDoomed else {
                isDoomed = true
                return .close
            }
            return .release
        }

        /// How long the server keeps the connection when nothing is sent, as it said last.
        var keepAliveTime: CompactTime { parser.keepAliveTime }

        // MARK: Reading

        /// What comes next of a response: ``HTTP1ResponseParser/next(_:)``.
        mutating func next(_ bytes: inout ByteBuffer) throws(HTTP1ParseError) -> HTTP1ResponseParser.Event? {
            let event = try parser.next(&bytes)
            if case .head(let head, _)? = event {
                stage = .receivingBody
                servesHTTP10 = head.httpVersion == .http1_0
            }
            return event
        }

        mutating func received(_ bytes: ByteBuffer, isSuspended: Bool) -> Received {
            switch stage {
            case .idle:
                return .close
            case .complete:
                stage = .complete(isReusable: false)
                return .ignore
            case .awaitingHead, .receivingBody:
                // What is held goes first.
                guard isSuspended || holdsBytes else { return .parse }
                held.append(bytes)
                return .hold
            }
        }

        var holdsBytes: Bool { !held.isEmpty }

        /// Takes what was held first; nothing once the exchange is over.
        mutating func takeHeld() -> ByteBuffer? {
            isBusy ? held.popFirst() : nil
        }

        private mutating func dropHeld() {
            if !held.isEmpty { held.removeAll() }
        }

        /// The channel wants to read. Returns whether it does now; otherwise that is remembered.
        mutating func reads(mayRead: Bool) -> Bool {
            if !mayRead { hasPendingRead = true }
            return mayRead
        }

        /// Whether a read was put off, which is now made.
        mutating func takePendingRead() -> Bool {
            defer { hasPendingRead = false }
            return hasPendingRead
        }

        // MARK: The end

        /// The input has ended: what was sent may still have its response, but nothing more is
        /// sent.
        mutating func inputEnded() {
            isDoomed = true
        }

        /// What the end of the input means for the response under way:
        /// ``HTTP1ResponseParser/finish()``.
        mutating func finish() throws(HTTP1ParseError) -> HTTP1ResponseParser.Event? {
            try parser.finish()
        }

        /// An error, a cancellation or the end of the connection. A response that is complete is
        /// still handed over.
        mutating func doom() {
            isDoomed = true
            if isBusy { stage = .idle }
            dropHeld()
        }

        /// The pool is told that the connection goes: once.
        mutating func leavesPool() -> Bool {
            defer { hasLeftPool = true }
            return !hasLeftPool
        }

        /// Whether a connection that ended now ended as stale ones do: it had served before, and
        /// nothing of a response came.
        var isStale: Bool { hasServed && stage == .awaitingHead && !parser.hasReceivedBytes }
    }
}
