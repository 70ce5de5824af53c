import NIOCore

/// The PINGs that callers ask for, as a value without I/O. One is under way at a time, and those
/// who ask meanwhile get its time too. So there are fewer acknowledgements than the
/// frame layer takes for a flood.
struct HTTP2PingTimer {
    /// What is to be done for a caller.
    enum Decision: Equatable {
        /// To send a PING with these data.
        case send(UInt64)
        case wait
        /// To take the time of the last one.
        case reuse(Duration)
    }

    /// The time of the last PING is good for so long.
    static let pause = TimeAmount.milliseconds(50)
    /// The time after which a PING is given up. A connection that is dead is found earlier.
    static let patience = TimeAmount.seconds(60)

    private var number: UInt64 = 0
    private var sentAt: NIODeadline?
    private var last: (time: Duration, sentAt: NIODeadline)?

    /// The data of PINGs for other purposes are below this.
    private static let firstNumber: UInt64 = 1 << 32

    /// The end of the wait; nil where none is under way.
    var deadline: NIODeadline? { sentAt.map { $0 + Self.patience } }

    /// A caller asks for the time of a round trip.
    mutating func ask(now: NIODeadline) -> Decision {
        if sentAt != nil { return .wait }
        if let last, now < last.sentAt + Self.pause { return .reuse(last.time) }
        number += 1
        sentAt = now
        return .send(Self.firstNumber + number)
    }

    /// A PING was acknowledged. Returns its time, where it is the one that is under way.
    mutating func acknowledged(_ data: UInt64, now: NIODeadline) -> Duration? {
        guard let sentAt, data == Self.firstNumber + number else { return nil }
        self.sentAt = nil
        let time = now.since(sentAt)
        last = (time, sentAt)
        return time
    }

    /// Returns whether the wait has ended.
    mutating func expire(now: NIODeadline) -> Bool {
        guard let deadline, deadline <= now else { return false }
        sentAt = nil
        return true
    }
}
