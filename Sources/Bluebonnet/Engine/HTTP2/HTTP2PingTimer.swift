import NIOCore

/// The PINGs that callers ask for, as a value without I/O. One is under way at a time, and those
/// who ask meanwhile get its time too. They are no more than the answers of which the frame layer
/// takes so many for a flood.
struct HTTP2PingTimer {
    /// What is to be done for a caller.
    enum Decision: Equatable {
        /// To send a PING with these data.
        case send(UInt64)
        case wait
        case answer(Duration)
    }

    /// The time of the last answer is good for so long.
    static let pause = TimeAmount.milliseconds(50)
    /// The time after which an answer is not waited for any more. A connection that is dead is
    /// found earlier.
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
        if let last, now < last.sentAt + Self.pause { return .answer(last.time) }
        number += 1
        sentAt = now
        return .send(Self.firstNumber + number)
    }

    /// A PING was answered. Returns its time, where it is the one that is under way.
    mutating func answered(_ data: UInt64, now: NIODeadline) -> Duration? {
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
