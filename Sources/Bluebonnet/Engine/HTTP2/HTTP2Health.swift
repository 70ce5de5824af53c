import NIOCore

/// Whether a connection is still alive, as a value without I/O: when to send a PING (RFC 9113
/// §6.7), and when its acknowledgement is overdue. Whatever comes from the server counts as one.
///
/// A PING waits behind the bytes that were handed over before it, which may be megabytes. So the
/// patience begins when the peer's system has it, or when it has taken none of these bytes any
/// more. Since the peer's program may still have them to read then, it is at least as long as they
/// were on their way.
struct HTTP2Health {
    /// The consequence of time that has passed.
    enum Expiry: Equatable {
        case goOn
        case ping
        case dead
    }

    /// A PING that is under way.
    private struct Ping {
        let sentAt: NIODeadline
        /// The bytes of the connection up to this PING.
        let mark: Int
        /// The bytes of the connection that the peer's system had at the last look.
        var written: Int
        /// The time of the last look.
        var lookedAt: NIODeadline
        /// The time at which bytes in front of it were last seen to be sent.
        var movedAt: NIODeadline
        /// The time at which it was seen to be sent.
        var leftAt: NIODeadline?

        /// The time of the next look, or of the end of the patience.
        func deadline(_ patience: TimeAmount) -> NIODeadline {
            if let leftAt { return leftAt + max(patience, leftAt - sentAt) }
            return min(lookedAt + HTTP2Health.look, movedAt + patience)
        }
    }

    /// The time between two looks at whether a PING was sent.
    private static let look = TimeAmount.seconds(1)

    let times: HealthTimes
    private var heardAt: NIODeadline
    private var ping: Ping?

    init(_ times: HealthTimes = HealthTimes(), now: NIODeadline) {
        self.times = times
        heardAt = now
    }

    /// Something came from the server.
    mutating func heard(now: NIODeadline) {
        heardAt = now
        ping = nil
    }

    /// Whether a PING goes with a request that is about to be sent.
    func isDue(now: NIODeadline) -> Bool {
        mayPing && heardAt + times.pause <= now
    }

    /// Whether a PING may be sent to find out whether the connection is alive: one is enough.
    var mayPing: Bool { ping == nil }

    /// A PING was handed over.
    ///
    /// - Parameters:
    ///   - mark: The bytes of the connection up to this PING.
    ///   - written: Those that the peer's system has.
    ///   - now: The present time.
    mutating func sent(upTo mark: Int, written: Int, now: NIODeadline) {
        ping = Ping(sentAt: now, mark: mark, written: written, lookedAt: now, movedAt: now)
    }

    /// The time to decide again, while streams are open or a PING is under way.
    func nextDeadline(hasStreams: Bool) -> NIODeadline? {
        ping?.deadline(times.patience) ?? (hasStreams ? heardAt + times.silence : nil)
    }

    /// Decides what follows when time has passed.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - hasStreams: Whether a stream is open.
    ///   - written: Counts the bytes of the connection that the peer's system has.
    /// - Returns: What follows.
    mutating func expire(now: NIODeadline, hasStreams: Bool, written: () -> Int) -> Expiry {
        guard let deadline = nextDeadline(hasStreams: hasStreams), deadline <= now else { return .goOn }
        guard var ping else { return .ping }
        guard ping.leftAt == nil else { return .dead }
        let count = written()
        if count > ping.written { ping.movedAt = now }
        if count >= ping.mark { ping.leftAt = now }
        ping.written = count
        ping.lookedAt = now
        self.ping = ping
        return ping.deadline(times.patience) <= now ? .dead : .goOn
    }
}
