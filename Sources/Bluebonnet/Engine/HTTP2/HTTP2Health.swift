import NIOCore

/// Whether a connection is still alive, as a value without I/O: when to send a PING (RFC 9113
/// §6.7), and when its acknowledgement is overdue. Whatever comes from the server counts as one.
struct HTTP2Health {
    /// The consequence of time that has passed.
    enum Expiry: Equatable {
        case goOn
        case ping
        case dead
    }

    /// The seconds without a byte after which a connection that is used again is tested.
    static let pause: Int64 = 10
    /// The seconds without a byte after which a connection with streams is tested.
    static let silence: Int64 = 20
    /// The seconds within which a PING must be answered.
    static let patience: Int64 = 10

    private var heardAt: NIODeadline
    private var pingedAt: NIODeadline?

    init(now: NIODeadline) {
        heardAt = now
    }

    /// Something came from the server.
    mutating func heard(now: NIODeadline) {
        heardAt = now
        pingedAt = nil
    }

    /// A request is about to be sent. Returns whether a PING goes with it.
    mutating func begin(now: NIODeadline) -> Bool {
        guard pingedAt == nil, heardAt + .seconds(Self.pause) <= now else { return false }
        pingedAt = now
        return true
    }

    /// A PING was asked for. Returns whether it is to be sent: one is enough.
    mutating func test(now: NIODeadline) -> Bool {
        guard pingedAt == nil else { return false }
        pingedAt = now
        return true
    }

    /// The time to decide again, while streams are open or a PING is under way.
    func nextDeadline(hasStreams: Bool) -> NIODeadline? {
        if let pingedAt { return pingedAt + .seconds(Self.patience) }
        return hasStreams ? heardAt + .seconds(Self.silence) : nil
    }

    /// Decides what follows when time has passed.
    mutating func expire(now: NIODeadline, hasStreams: Bool) -> Expiry {
        guard let deadline = nextDeadline(hasStreams: hasStreams), deadline <= now else { return .goOn }
        guard pingedAt == nil else { return .dead }
        pingedAt = now
        return .ping
    }
}
