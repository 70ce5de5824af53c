import NIOCore

extension HTTP1Connection {
    /// The decisions of one HTTP/1.1 connection, without I/O: what its bytes mean, whether it may
    /// be used again, and what its end means.
    struct StateMachine {
        enum Stage: Equatable {
            /// No exchange is under way. Then `awaitingHead`.
            case idle
            /// Then `receivingBody`, or `idle` when the exchange ends without its response.
            case awaitingHead
            /// Then `complete`, or `idle` when the exchange ends inside its response.
            case receivingBody
            /// The response is complete, and not all bytes that came with it have been looked at.
            /// Then `idle`.
            case complete(isReusable: Bool)
            /// The connection has switched to another protocol. The last stage.
            case tunnel
        }

        /// The use of the connection after a response.
        enum Next: Equatable {
            /// The connection can take another exchange.
            case release
            /// The connection must not be used again.
            case close
        }

        /// The use of received bytes.
        enum Received: Equatable {
            case parse
            /// The task is suspended: the bytes are parsed when it is resumed.
            case hold
            /// The response is complete: the connection is closed as soon as that has been handed
            /// over.
            case ignore
            /// No request is under way (RFC 9112 §9.2), so the bytes are not a response.
            case close
            /// They are those of the protocol that the connection has switched to.
            case pass
        }

        private(set) var stage = Stage.idle
        private var parser: HTTP1ResponseParser
        /// The connection has served at least one response completely.
        private(set) var hasServed = false
        /// Whether it is never used again, because an error was seen or it is about to end.
        private(set) var isDoomed = false
        /// The server has responded as HTTP/1.0, which has no 100 Continue.
        private(set) var servesHTTP10 = false
        /// Whether the pool was told that the connection leaves it.
        private var hasLeftPool = false
        /// The bytes that a read under way brought after the task was suspended.
        private var held = CircularBuffer<ByteBuffer>()
        /// Whether the channel asked to read, and must not yet.
        private var hasPendingRead = false

        init(limits: HTTP1Limits = HTTP1Limits()) {
            parser = HTTP1ResponseParser(limits: limits)
        }

        /// An exchange is under way.
        var isBusy: Bool { stage == .awaitingHead || stage == .receivingBody }

        // MARK: Exchanges

        /// Begins an exchange. False when the connection cannot take it.
        mutating func begin(_ kind: HTTP1ResponseParser.RequestKind = .ordinary) -> Bool {
            guard !isDoomed, stage == .idle else { return false }
            stage = .awaitingHead
            parser.begin(kind)
            return true
        }

        /// Ends an exchange of which nothing was sent: the connection is as good as before.
        mutating func endUnsent() {
            stage = .idle
        }

        /// The response is complete. RFC 9112 §9.3: the connection persists if both sides say so;
        /// §9.6: with bytes left over, or while the request is still being sent, or was not sent
        /// whole, it does not. Bytes that were held back, or not read, while the task was suspended
        /// are left over as well.
        mutating func end(hasBytesLeft: Bool, isRequestSent: Bool, asksForClose: Bool) {
            let isLast = !hasBytesLeft && held.isEmpty && !hasPendingRead
            let isKeepAlive = parser.isKeepAlive && !asksForClose
            stage = .complete(isReusable: isKeepAlive && isLast && isRequestSent && !isDoomed)
            hasServed = true
            dropHeld()
        }

        /// The connection switches to another protocol (RFC 9110 §15.2.2), with the bytes that were
        /// held back.
        mutating func switchProtocols() -> [ByteBuffer] {
            stage = .tunnel
            isDoomed = true
            defer { dropHeld() }
            return Array(held)
        }

        /// The use of the connection, when all bytes that came with a complete response have been
        /// looked at. Nil without a complete response.
        mutating func settle() -> Next? {
            guard case .complete(let isReusable) = stage else { return nil }
            stage = .idle
            guard isReusable, !isDoomed else {
                isDoomed = true
                return .close
            }
            return .release
        }

        /// The time that the server keeps an idle connection, as it said last.
        var keepAliveTime: CompactTime { parser.keepAliveTime }

        // MARK: Reading

        /// The next event of a response: ``HTTP1ResponseParser/next(_:)``.
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
            case .tunnel:
                return .pass
            case .complete:
                stage = .complete(isReusable: false)
                return .ignore
            case .awaitingHead, .receivingBody:
                // Held bytes go first.
                guard isSuspended || holdsBytes else { return .parse }
                held.append(bytes)
                return .hold
            }
        }

        var holdsBytes: Bool { !held.isEmpty }

        /// Takes the first held bytes; nothing once the exchange is over.
        mutating func takeHeld() -> ByteBuffer? {
            isBusy ? held.popFirst() : nil
        }

        private mutating func dropHeld() {
            if !held.isEmpty { held.removeAll() }
        }

        /// Asks for a read. Returns whether it is made now; otherwise it is remembered.
        mutating func requestRead(mayRead: Bool) -> Bool {
            if !mayRead { hasPendingRead = true }
            return mayRead
        }

        /// Returns whether a read was put off, which is to be made now.
        mutating func takePendingRead() -> Bool {
            defer { hasPendingRead = false }
            return hasPendingRead
        }

        // MARK: The end

        /// Notes the end of the input: a request that was sent may still have its response, but
        /// nothing more is sent.
        mutating func inputEnded() {
            isDoomed = true
        }

        /// The event of the response under way at the end of the input:
        /// ``HTTP1ResponseParser/finish()``.
        mutating func finish() throws(HTTP1ParseError) -> HTTP1ResponseParser.Event? {
            try parser.finish()
        }

        /// Rules out further use, after an error, a cancellation or the end of the connection. A
        /// response that is complete is still handed over.
        mutating func doom() {
            isDoomed = true
            if isBusy { stage = .idle }
            dropHeld()
        }

        /// Returns whether the pool is to be told that the connection leaves it: once.
        mutating func leavePool() -> Bool {
            defer { hasLeftPool = true }
            return !hasLeftPool
        }

        /// Whether a connection that ended now ended as stale ones do: it had served before, and
        /// nothing of a response came.
        var isStale: Bool { hasServed && isSilent }

        /// Whether nothing of the response came yet.
        var isSilent: Bool { stage == .awaitingHead && !parser.hasReceivedBytes }
    }
}
