import NIOCore

/// The times of an exchange on a connection, as a value without I/O: how far its request is, what
/// is waited for now, and what follows when that lasts too long.
struct ExchangeClock {
    /// How far the sending of the request is.
    enum Sending: Equatable {
        /// The head is out, and the body waits for 100 Continue (RFC 9110 §10.1.1).
        case awaitingContinue
        case underWay
        case complete
        /// The response came before 100 Continue: the body is never sent.
        case withheld
    }

    /// What follows when time has passed.
    enum Expiry: Equatable {
        case goOn
        /// 100 Continue did not come in the time there was for it: the body is sent without.
        case sendBody
        case fail(NetworkingError.Code)
    }

    private let timeouts: ExchangeTimeouts
    /// When the whole exchange must be over.
    private let end: NIODeadline?
    private(set) var sending: Sending
    private var hasFirstByte = false
    private var hasHead = false
    private var outbound = OutboundWatch()
    /// The end of what is waited for now. The code is that of the timeout; nil when the exchange
    /// goes on then.
    private var phase: (at: NIODeadline, code: NetworkingError.Code?)?

    init(timeouts: ExchangeTimeouts, end: NIODeadline?, sending: Sending) {
        self.timeouts = timeouts
        self.end = end
        self.sending = sending
    }

    /// The earliest point in time at which something follows.
    var nextDeadline: NIODeadline? {
        switch (phase?.at, end) {
        case (let phase?, let end?): min(phase, end)
        case (let phase?, nil): phase
        case (nil, let end): end
        }
    }

    // MARK: What happens

    /// Bytes of the request were handed to the channel.
    mutating func handOver(_ count: Int) {
        outbound.handOver(count)
    }

    /// 100 Continue came, or the wait for it is over. True when the body is to be sent now.
    mutating func continues() -> Bool {
        guard sending == .awaitingContinue else { return false }
        sending = .underWay
        // What came was 100 Continue, not the response.
        hasFirstByte = false
        return true
    }

    /// The last of the request was handed over; false when it was already, or never will be.
    mutating func requestIsSent() -> Bool {
        guard sending == .underWay else { return false }
        sending = .complete
        return true
    }

    /// The first byte of a response came, or 100 Continue, after which the response has not begun.
    mutating func firstByte(isContinue: Bool = false) {
        hasFirstByte = !isContinue
    }

    /// The head of the response came.
    mutating func headCame() {
        hasHead = true
        if sending == .awaitingContinue { sending = .withheld }
    }

    // MARK: The clock

    /// Starts the clock of what is waited for now: that the peer takes bytes, that it sends 100
    /// Continue, or its response.
    ///
    /// None runs while nobody reads. While the source of the body is slow, the pause inside a
    /// response that has begun is limited as ever; before that the peer has nothing to say.
    mutating func start(mayRead: Bool, now: NIODeadline) {
        if !mayRead {
            phase = nil
        } else if sending == .awaitingContinue, timeouts.continueWait != .none {
            setPhase(timeouts.continueWait, nil, now: now)
        } else if outbound.waiting > 0 {
            let (time, code) = stallTimeout
            let look = outbound.nextLook(stall: time, firstByte: timeouts.firstByte, now: now)
            phase = look.map { ($0, code) }
        } else if sending == .underWay, !hasHead {
            phase = nil
        } else if !hasHead, !hasFirstByte {
            setPhase(timeouts.firstByte, .firstByteTimeout, now: now)
        } else {
            setPhase(timeouts.betweenBytes, .betweenBytesTimeout, now: now)
        }
    }

    /// Starts the clock anew: bytes came, or a task goes on that was suspended.
    mutating func restart(mayRead: Bool, now: NIODeadline) {
        outbound.restart(now: now)
        start(mayRead: mayRead, now: now)
    }

    /// Starts the clock after something was written.
    ///
    /// - Parameters:
    ///   - unsent: What has been written and the peer's system has not acknowledged.
    ///   - mayRead: Whether more of the response may be read.
    ///   - now: The present time.
    mutating func follow(unsent: Int, mayRead: Bool, now: NIODeadline) {
        outbound.look(unsent, now: now)
        start(mayRead: mayRead, now: now)
    }

    /// Time has passed. What goes on has its clock started.
    ///
    /// - Parameters:
    ///   - mayRead: Whether more of the response may be read.
    ///   - now: The present time.
    ///   - unsent: Looks at what has been written and the peer's system has not acknowledged.
    /// - Returns: What follows.
    mutating func expire(mayRead: Bool, now: NIODeadline, unsent: () -> Int) -> Expiry {
        if let end, end <= now { return .fail(.requestTimeout) }
        guard let phase, phase.at <= now else { return .goOn }
        guard let code = phase.code else { return .sendBody }
        let goesOn: Bool
        if outbound.waiting > 0 {
            outbound.look(unsent(), now: now)
            goesOn = !outbound.isStalled(after: stallTimeout.0, now: now)
        } else {
            // A request that went out in one piece is looked at for the first time: while it is
            // still on its way, it is too early to wait for a response.
            goesOn = code == .firstByteTimeout && outbound.look(unsent(), now: now) && outbound.waiting > 0
        }
        guard goesOn else { return .fail(code) }
        start(mayRead: mayRead, now: now)
        return .goOn
    }

    private mutating func setPhase(_ time: CompactTime, _ code: NetworkingError.Code?, now: NIODeadline) {
        phase = time.deadline(after: now).map { ($0, code) }
    }

    /// How long the peer may take nothing. What is out of our hands must leave some time, also
    /// where pauses are not limited.
    private var stallTimeout: (CompactTime, NetworkingError.Code) {
        sending == .underWay || timeouts.betweenBytes != .none
            ? (timeouts.betweenBytes, .betweenBytesTimeout) : (timeouts.firstByte, .firstByteTimeout)
    }
}
