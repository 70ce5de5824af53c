import NIOCore

/// Follows the bytes of a request, as a value without I/O: how many are unsent, and since when none
/// were sent.
///
/// Unsent bytes are those that the peer's system has not acknowledged: the ones in the channel, and
/// in the system's send buffer, which takes megabytes. No event tells that they were sent, only
/// another look at how many there are.
struct OutboundWatch {
    /// The unsent bytes at the last look.
    private(set) var waiting = 0
    /// The time at which bytes were last seen to be sent, or began to wait.
    private(set) var movedAt = NIODeadline.uptimeNanoseconds(0)
    /// The bytes handed over since the last look.
    private var handedOver = 0

    mutating func handOver(_ count: Int) {
        handedOver += count
    }

    /// Notes how many bytes are unsent now. Over TLS there are a few more than were handed over,
    /// and so a few sent bytes may be missed until the next look.
    ///
    /// - Returns: Whether some were sent since the last look.
    @discardableResult
    mutating func look(_ count: Int, now: NIODeadline) -> Bool {
        let hasMoved = count < waiting + handedOver
        if hasMoved || waiting == 0 { movedAt = now }
        waiting = count
        handedOver = 0
        return hasMoved
    }

    /// Starts the wait anew, because something else shows that the peer is there.
    mutating func restart(now: NIODeadline) {
        movedAt = now
    }

    /// The time of the next look, so that a peer that takes nothing is noticed soon after its time,
    /// and the first-byte clock starts soon after the last byte was sent. Nil when neither is
    /// limited.
    func nextLook(stall: CompactTime, firstByte: CompactTime, now: NIODeadline) -> NIODeadline? {
        var interval = TimeAmount.seconds(1)
        let (stallEnd, firstByteEnd) = (stall.deadline(after: now), firstByte.deadline(after: now))
        for end in [stallEnd, firstByteEnd] {
            if let end { interval = min(interval, .nanoseconds((end - now).nanoseconds / 4)) }
        }
        if let end = stall.deadline(after: movedAt) { return min(end, now + interval) }
        return firstByteEnd == nil ? nil : now + interval
    }

    /// Whether no byte was sent for too long.
    func isStalled(after stall: CompactTime, now: NIODeadline) -> Bool {
        guard waiting > 0, let end = stall.deadline(after: movedAt) else { return false }
        return end <= now
    }
}
