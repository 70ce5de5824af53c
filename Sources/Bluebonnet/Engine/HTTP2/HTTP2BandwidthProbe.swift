import NIOCore

/// Finds out whether the windows are too small for the link, as a value without I/O: a PING is sent
/// while data comes, and the bytes that come before its acknowledgement are those of one round
/// trip. Where they are more than half of a window, the window held the server up.
struct HTTP2BandwidthProbe {
    /// Whether bytes that wait in sockets are left out, as where the reader is slower than the
    /// link: the acknowledgement waits behind them, and took longer than the shortest round trip.
    private let countsLinkOnly: Bool
    /// The time of the SETTINGS that are not acknowledged.
    private var settingsSentAt: NIODeadline?
    /// The shortest round trip so far.
    private var leastTime: TimeAmount?
    /// The time of the PING that is under way.
    private var sentAt: NIODeadline?
    /// The bytes since that PING.
    private var counted = 0
    /// The bytes since the last probe.
    private var since = 0

    /// A stream's window grows up to this size.
    static let largest = 32 << 20
    /// The bytes between two probes at first: none is worth its while for a small response.
    static let interval = 1 << 20
    /// The most bytes between two probes.
    static let mostInterval = 64 << 20

    /// The bytes before the next probe: twice as many after each that changed nothing.
    private var pause = Self.interval

    init(countsLinkOnly: Bool = false) {
        self.countsLinkOnly = countsLinkOnly
    }

    /// Notes the time at which SETTINGS are sent: their acknowledgement, with nothing before it, is
    /// a round trip, too.
    mutating func sentSettings(now: NIODeadline) {
        settingsSentAt = now
    }

    mutating func settingsAcknowledged(now: NIODeadline) {
        if let settingsSentAt { note(now - settingsSentAt) }
        settingsSentAt = nil
    }

    private mutating func note(_ time: TimeAmount) {
        leastTime = min(leastTime ?? time, time)
    }

    /// Counts bytes that were received. Returns whether a PING is to be sent now.
    mutating func received(_ count: Int, now: NIODeadline) -> Bool {
        guard sentAt == nil else {
            counted += count
            return false
        }
        since += count
        guard since >= pause else { return false }
        sentAt = now
        counted = 0
        return true
    }

    /// The PING was acknowledged. Returns the size that windows of this size should have; nil where
    /// they are large enough.
    mutating func acknowledged(size: Int, now: NIODeadline) -> Int? {
        guard let sentAt else { return nil }
        self.sentAt = nil
        since = 0
        let time = now - sentAt
        note(time)
        let inRoundTrip = countsLinkOnly ? part(of: counted, within: time) : counted
        guard inRoundTrip > size / 2, size < Self.largest else {
            pause = min(2 * pause, Self.mostInterval)
            return nil
        }
        pause = Self.interval
        return min(2 * inRoundTrip, Self.largest)
    }

    /// The bytes of the shortest round trip, at the speed of so many within a longer one.
    private func part(of count: Int, within time: TimeAmount) -> Int {
        guard let leastTime, leastTime < time else { return count }
        return Int(Double(count) * Double(leastTime.nanoseconds) / Double(time.nanoseconds))
    }
}
