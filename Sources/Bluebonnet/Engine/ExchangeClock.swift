import NIOCore

/// The times of an exchange on a connection, as a value without I/O: how far the sending of its
/// request is, what it waits for now, and what follows when that takes too long.
struct ExchangeClock {
    /// The progress of sending the request.
    enum Sending: Equatable {
        /// The head is sent, and the body waits for 100 Continue (RFC 9110 §10.1.1). Then
        /// `underWay` or `withheld`.
        case awaitingContinue
        /// Then `complete`.
        case underWay
        /// The last state, as is `withheld`.
        case complete
        /// The response came before 100 Continue: the body is never sent.
        case withheld
    }

    /// The consequence of time that has passed.
    enum Expiry: Equatable {
        case goOn
        /// 100 Continue did not come in time: the body is sent without.
        case sendBody
        case fail(NetworkingError.Code)
    }

    private let timeouts: ExchangeTimeouts
    /// The time at which the whole exchange must be over.
    private let end: NIODeadline?
    private(set) var sending: Sending
    private var hasFirstByte = false
    private var hasHead = false
    private var outbound = OutboundWatch()
    /// The end of the present wait, with the code of its timeout; the code is nil when the exchange
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

    /// Counts bytes of the request that were handed to the channel.
    mutating func handOver(_ count: Int) {
        outbound.handOver(count)
    }

    /// Ends the wait for 100 Continue, which came or did not. True when the body is to be sent now.
    mutating func endContinueWait() -> Bool {
        guard sending == .awaitingContinue else { return false }
        sending = .underWay
        // What came was 100 Continue, not the response.
        hasFirstByte = false
        return true
    }

    /// Notes that the last of the request was handed over; false when it was already, or never will
    /// be.
    mutating func markRequestSent() -> Bool {
        guard sending == .underWay else { return false }
        sending = .complete
        return true
    }

    /// The first byte of a response came, or an informational response (RFC 9110 §15.2), after
    /// which the final one has not begun.
    mutating func firstByte(isInformational: Bool = false) {
        hasFirstByte = !isInformational
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
    /// None runs while the response may not be read. While the source of the body is slow, the
    /// pause inside a response that has begun is limited as ever; before that the peer has nothing
    /// to say.
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

    /// Starts the clock anew: bytes came, or a suspended task was resumed.
    mutating func restart(mayRead: Bool, now: NIODeadline) {
        outbound.restart(now: now)
        start(mayRead: mayRead, now: now)
    }

    /// Starts the clock after something was written.
    ///
    /// - Parameters:
    ///   - unsent: The bytes that were written and that the peer's system has not acknowledged.
    ///   - mayRead: Whether more of the response may be read.
    ///   - now: The present time.
    mutating func follow(unsent: Int, mayRead: Bool, now: NIODeadline) {
        outbound.look(unsent, now: now)
        start(mayRead: mayRead, now: now)
    }

    /// Decides what follows when time has passed. If the exchange goes on, its clock is started.
    ///
    /// - Parameters:
    ///   - mayRead: Whether more of the response may be read.
    ///   - now: The present time.
    ///   - unsent: Counts the bytes that were written and that the peer's system has not
    ///     acknowledged.
    /// - Returns: What follows.
    mutating func expire(mayRead: Bool, now: NIODeadline, unsent: () -> Int) -> Expiry {
        if let end, end <= now { return .fail(.requestTimeout) }
        guard mayRead, let phase, phase.at <= now else { return .goOn }
        guard let code = phase.code else { return .sendBody }
        let goesOn: Bool
        if outbound.waiting > 0 {
            outbound.look(unsent(), now: now)
            goesOn = !outbound.isStalled(after: stallTimeout.0, now: now)
        } else {
            // A request that was sent in one piece is looked at for the first time: before all of
            // it has arrived, it is too early to wait for a response.
            goesOn = code == .firstByteTimeout && outbound.look(unsent(), now: now) && outbound.waiting > 0
        }
        guard goesOn else { return .fail(code) }
        start(mayRead: mayRead, now: now)
        return .goOn
    }

    private mutating func setPhase(_ time: CompactTime, _ code: NetworkingError.Code?, now: NIODeadline) {
        phase = time.deadline(after: now).map { ($0, code) }
    }

    /// The longest time in which the peer takes no bytes. Bytes that were handed over must be taken
    /// some time, also where pauses are not limited.
    private var stallTimeout: (CompactTime, NetworkingError.Code) {
        sending == .underWay || timeouts.betweenBytes != .none
            ? (timeouts.betweenBytes, .betweenBytesTimeout) : (timeouts.firstByte, .firstByteTimeout)
    }
}
