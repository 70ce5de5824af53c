import NIOCore

/// Follows the bytes of a request on their way out, as a value without I/O: whether any wait to
/// leave, and since when none have left.
///
/// What waits is what the peer's system has not acknowledged: what lies in the channel, and in the
/// system's send buffer, which takes megabytes. Nothing says how much of that has left but looking
/// at how much is there.
struct OutboundWatch {
    /// What waited at the last look.
    private(set) var waiting = 0
    /// When bytes were last seen to move, or began to wait.
    private(set) var movedAt = NIODeadline.uptimeNanoseconds(0)
    /// What was handed over since the last look.
    private var handedOver = 0

    mutating func handOver(_ count: Int) {
        handedOver += count
    }

    /// Takes note of what waits now. Over TLS that is a little more than was handed over: of bytes
    /// that left meanwhile a few may go unseen, until the next look.
    ///
    /// - Returns: Whether some have left since the last look.
    @discardableResult
    mutating func look(_ count: Int, now: NIODeadline) -> Bool {
        let hasMoved = count < waiting + handedOver
        if hasMoved || waiting == 0 { movedAt = now }
        waiting = count
        handedOver = 0
        return hasMoved
    }

    /// Something else shows that the peer is there: the wait begins anew.
    mutating func restart(now: NIODeadline) {
        movedAt = now
    }

    /// When to look again, so that a peer that takes nothing is found out soon after its time, and
    /// the first-byte clock starts soon after the last byte has left. Nil when neither is limited.
    func nextLook(stall: CompactTime, firstByte: CompactTime, now: NIODeadline) -> NIODeadline? {
        var interval = TimeAmount.seconds(1)
        let (stalls, answers) = (stall.deadline(after: now), firstByte.deadline(after: now))
        for end in [stalls, answers] {
            if let end { interval = min(interval, .nanoseconds((end - now).nanoseconds / 4)) }
        }
        if let end = stall.deadline(after: movedAt) { return min(end, now + interval) }
        return answers == nil ? nil : now + interval
    }

    /// Whether nothing has left for too long.
    func isStalled(after stall: CompactTime, now: NIODeadline) -> Bool {
        guard waiting > 0, let end = stall.deadline(after: movedAt) else { return false }
        return end <= now
    }
}
