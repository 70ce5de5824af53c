import NIOCore

/// The end of a WebSocket connection.
struct WebSocketEnd: Sendable {
    let closure: WebSocketClosure
    /// Nil where the close handshake was complete, with a code that is no error, or this side has
    /// begun it.
    let error: NetworkingError?
}

extension WebSocketConnection {
    /// The decisions of an open WebSocket, without I/O: its close handshake (RFC 6455 §7), its
    /// pings, and what their clocks mean.
    struct StateMachine {
        enum Stage: Equatable {
            /// Then any of the others.
            case open
            /// This side has sent a Close frame, and the peer's is to come (§7.1.2). Then `closed`,
            /// `failed` or `over`.
            case closing(until: NIODeadline)
            /// Both have sent one, and the server ends the connection (§7.1.1). Then `over`.
            case closed(WebSocketClosure, isOwn: Bool, until: NIODeadline)
            /// The peer has broken the protocol and was told; what it still sends is dropped
            /// (§7.1.7). Then `over`.
            case failed(WebSocketFault, until: NIODeadline)
            /// The last stage.
            case over
        }

        /// The consequence of something that came.
        enum Action: Equatable {
            case none
            /// Sends a Close frame with the code; nil for one without. Nothing else follows.
            case sendClose(WebSocketCloseCode?)
            case sendPong
        }

        /// The consequence of time that has passed.
        enum Expiry: Equatable {
            case goOn
            /// Sends the ping with this number.
            case sendPing(UInt64)
            /// No pong came to a ping.
            case pingTimedOut
            /// The peer has not done its part of the close handshake.
            case closeTimedOut
            /// This side wants the end, and the peer does not take what is to be sent before it, or
            /// the Close frame.
            case sendingStopped
        }

        private struct Ping {
            let number: UInt64
            let sentAt: NIODeadline
            let isOwn: Bool
            /// The number of bytes that were written before it.
            let position: Int
        }

        private(set) var stage = Stage.open
        private let pingInterval: Duration?
        private let pingTimeout: Duration
        private let closeTimeout: Duration
        private var lastPing: UInt64 = 0
        private var nextPingAt: NIODeadline?
        /// The time by which a close that is wanted has to be on its way, unless the peer takes
        /// bytes.
        private var closeBy: NIODeadline?
        /// The pings without a pong, the oldest first.
        private var pings: [Ping] = []
        /// The time since which the peer can be heard; nil while nothing is read.
        private var readingSince: NIODeadline?
        private var written = 0
        /// Of them those that the peer's system had acknowledged, when that was last looked at.
        private var acknowledged = 0
        private var lookedAt: NIODeadline
        /// Whether the peer's system has acknowledged everything up to the Close frame of this
        /// side; nil where nobody has looked since that was sent.
        private(set) var isAllAcknowledged: Bool?

        init(_ options: WebSocketOptions, now: NIODeadline) {
            pingInterval = options.pingInterval.map { max($0, .milliseconds(1)) }
            pingTimeout = max(options.pingTimeout, .zero)
            closeTimeout = max(options.closeTimeout, .zero)
            nextPingAt = pingInterval.map { now.advanced(by: $0) }
            readingSince = now
            lookedAt = now
        }

        /// Whether messages may be sent: not behind a Close frame (§5.5.1).
        var maySend: Bool { stage == .open }

        /// Whether this side wants the end, and the peer's Close frame is to come. It is read also
        /// where messages have no room: the peer may take nothing before somebody reads what it has
        /// sent.
        var isClosing: Bool {
            switch stage {
            case .open: closeBy != nil
            case .closing: true
            case .closed, .failed, .over: false
            }
        }

        /// Whether received messages count: until the peer's Close frame (§5.5.1).
        var mayReceive: Bool {
            switch stage {
            case .open, .closing: true
            case .closed, .failed, .over: false
            }
        }

        // MARK: What comes

        /// §5.5.2: a ping has its pong, unless the peer has sent a Close frame.
        func received(ping: Void) -> Action { mayReceive ? .sendPong : .none }

        /// A Close frame came. §5.5.1: it is answered with one of the same code, unless this side
        /// has sent one.
        mutating func received(_ closure: WebSocketClosure, now: NIODeadline) -> Action {
            let until = now.advanced(by: closeTimeout)
            switch stage {
            case .open:
                stage = .closed(closure, isOwn: false, until: until)
                return .sendClose(closure.code == .noStatus ? nil : closure.code)
            case .closing:
                stage = .closed(closure, isOwn: true, until: until)
                return .none
            case .closed, .failed, .over: return .none
            }
        }

        /// The peer has broken the protocol (§7.1.7).
        mutating func fail(_ fault: WebSocketFault, now: NIODeadline) -> Action {
            let mustTell = maySend
            guard mayReceive else { return .none }
            stage = .failed(fault, until: now.advanced(by: closeTimeout))
            return mustTell ? .sendClose(fault.closeCode) : .none
        }

        // MARK: What this side does

        /// This side will begin the close handshake, behind what it has to send.
        mutating func wantsToClose(now: NIODeadline) {
            if stage == .open, closeBy == nil { closeBy = now.advanced(by: closeTimeout) }
        }

        /// This side begins the close handshake. Returns whether it may: it has not before, and the
        /// peer has not.
        mutating func close(now: NIODeadline) -> Bool {
            guard stage == .open else { return false }
            stage = .closing(until: now.advanced(by: closeTimeout))
            return true
        }

        /// The connection has ended, or is ended now.
        mutating func end() {
            stage = .over
        }

        // MARK: Pings

        /// The number of a ping that is sent now.
        ///
        /// - Parameters:
        ///   - isOwn: Whether it is one of those that are sent by themselves.
        ///   - now: The present time.
        /// - Returns: The number.
        mutating func sendPing(isOwn: Bool = false, now: NIODeadline) -> UInt64 {
            lastPing += 1
            pings.append(Ping(number: lastPing, sentAt: now, isOwn: isOwn, position: written))
            if isOwn { nextPingAt = pingInterval.map { now.advanced(by: $0) } }
            return lastPing
        }

        /// A pong came. §5.5.3: it may be the one to several pings. Returns the numbers of the
        /// pings that had none, with their times; none for a pong that nobody asked for.
        mutating func received(pong number: UInt64, now: NIODeadline) -> [(number: UInt64, time: Duration)] {
            guard let index = pings.lastIndex(where: { $0.number == number }) else { return [] }
            defer { pings.removeFirst(index + 1) }
            return pings[...index].map { ($0.number, now.since($0.sentAt)) }
        }

        /// Something came: a peer that sends is there, also where its pong is still to come. No
        /// pong can come inside a frame (§5.4).
        mutating func heard(now: NIODeadline) {
            if readingSince != nil { readingSince = now }
        }

        /// Bytes were written. A ping that is sent later is behind them.
        mutating func wrote(_ count: Int) {
            written += count
        }

        /// So many of the written bytes are not acknowledged by the peer's system. Where it has
        /// acknowledged others since the last look, the peer is there. A ping behind them cannot
        /// have its pong yet, and a close has its time from now on: the Close frame is behind all
        /// messages (§5.5.1), however slow the peer takes them.
        mutating func looked(unsent: Int, now: NIODeadline) {
            let before = acknowledged
            acknowledged = max(before, written - unsent)
            lookedAt = now
            if case .closing = stage { isAllAcknowledged = acknowledged == written }
            guard acknowledged > before else { return }
            if let first = pings.first, before < first.position { heard(now: now) }
            if closeBy != nil { closeBy = now.advanced(by: closeTimeout) }
            if case .closing = stage { stage = .closing(until: now.advanced(by: closeTimeout)) }
        }

        /// Reading begins or stops: the clock of the pongs runs only while they
        /// can be read.
        mutating func setReading(_ isReading: Bool, now: NIODeadline) {
            guard isReading != (readingSince != nil) else { return }
            readingSince = isReading ? now : nil
        }

        // MARK: Time

        private var pongDeadline: NIODeadline? {
            guard let readingSince, let first = pings.first else { return nil }
            return max(first.sentAt, readingSince).advanced(by: pingTimeout)
        }

        /// The time of the next look at what the peer takes while this side wants the end: no
        /// event tells of it. Four in the time of the close show in time that the peer has stopped.
        private var nextLook: NIODeadline? {
            guard isClosing, acknowledged < written else { return nil }
            return lookedAt.advanced(by: max(closeTimeout / 4, .milliseconds(1)))
        }

        /// The earliest time at which something follows.
        var nextDeadline: NIODeadline? {
            switch stage {
            case .open: [nextPingAt, pongDeadline, closeBy, nextLook].compactMap(\.self).min()
            case .closing(let until): nextLook.map { min($0, until) } ?? until
            case .closed(_, _, let until), .failed(_, let until): until
            case .over: nil
            }
        }

        /// Decides what follows when time has passed.
        mutating func expire(now: NIODeadline) -> Expiry {
            switch stage {
            case .open:
                if let closeBy, closeBy <= now { return .sendingStopped }
                if let pongDeadline, pongDeadline <= now { return .pingTimedOut }
                guard let nextPingAt, nextPingAt <= now else { return .goOn }
                // One at a time: a second one would tell nothing that the first does not.
                guard !pings.contains(where: \.isOwn) else {
                    self.nextPingAt = pingInterval.map { now.advanced(by: $0) }
                    return .goOn
                }
                return .sendPing(sendPing(isOwn: true, now: now))
            case .closing(let until):
                guard until <= now else { return .goOn }
                return acknowledged < written ? .sendingStopped : .closeTimedOut
            case .closed(_, _, let until), .failed(_, let until):
                return until <= now ? .closeTimedOut : .goOn
            case .over: return .goOn
            }
        }
    }
}
