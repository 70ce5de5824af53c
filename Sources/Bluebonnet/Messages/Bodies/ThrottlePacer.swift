/// Says how much of a throttled body may be sent when. A value without a clock: time is what has passed since the beginning.
struct ThrottlePacer: Sendable {
    private let packetSize: Int
    private let interval: Duration

    /// Whether packets begin an interval apart, so that a pause that lasted too long is made up for, by one packet at most.
    /// Otherwise the interval lies between them.
    private let isRate: Bool

    /// How much is left of the packet.
    private var room: Int

    /// When the next packet may begin.
    private var due: Duration = .zero

    /// The throttle must be possible.
    init(_ throttle: UploadThrottle) {
        switch throttle.pace {
        case .packets(let size, let delay):
            packetSize = size
            interval = delay
            isRate = false
        case .bytesPerSecond(let count):
            packetSize = min(max(count / 20, 1), 65_536)
            interval = .nanoseconds(packetSize * 1_000_000_000 / count)
            isRate = true
        }
        room = packetSize
    }

    /// How many of the available bytes go next, and how long to wait before.
    mutating func admit(_ available: Int, after elapsed: Duration) -> (count: Int, wait: Duration) {
        var wait = Duration.zero
        if room == 0 {
            wait = max(.zero, due - elapsed)
            room = packetSize
        }
        let count = min(room, available)
        room -= count
        if room == 0 {
            let now = elapsed + wait
            due = isRate ? max(due, now - interval) + interval : now + interval
        }
        return (count, wait)
    }
}
